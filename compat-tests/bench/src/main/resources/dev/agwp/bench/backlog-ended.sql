insert into job (job_id, queue, state, claimable, priority, run_at, max_attempts, created_at, updated_at, finished_at, outcome,
                 attempts, attempts_used, payload)
select 'backlog-' || n, :queue, 'succeeded', false, 0, n, 5, n, n, n, 'passed', 1, 1, '{}'
  from generate_series(1, :jobs) as numbers (n)
