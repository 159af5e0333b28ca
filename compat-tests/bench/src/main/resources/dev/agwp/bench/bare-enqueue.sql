insert into bench_job (state, run_at, attempts, payload)
select 'queued', now(), 0, :payload
  from generate_series(1, :jobs)
