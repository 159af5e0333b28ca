insert into job (job_id, queue, state, claimable, priority, run_at, max_attempts, created_at, updated_at, payload)
select 'backlog-' || n, :queue, 'queued', true, n % 10, n, 5, n, n, '{}'
  from generate_series(1, :jobs) as numbers (n)
