insert into bench_job (state, run_at, attempts, payload)
values ('queued', unixepoch(), 0, :payload)
