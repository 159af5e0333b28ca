insert into job (job_id, queue, state, claimable, due_at, priority, run_at, max_attempts, created_at, updated_at, payload)
select 'backlog-' || n, :queue, 'queued', false, 4102444800000 + n, 0, 4102444800000 + n, 5, n, n, '{}'
  from generate_series(1, :jobs) as numbers (n)
