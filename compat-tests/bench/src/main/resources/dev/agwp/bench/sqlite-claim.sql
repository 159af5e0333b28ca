update bench_job
   set state = 'claimed',
       attempts = attempts + 1,
       lease_expires_at = unixepoch() + 60
 where id = (select id from bench_job where state = 'queued' order by run_at, id limit 1)
returning id, attempts, payload
