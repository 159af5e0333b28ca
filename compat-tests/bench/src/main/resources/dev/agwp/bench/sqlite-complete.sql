update bench_job
   set state = 'succeeded', lease_expires_at = null
 where id = :id
   and attempts = :attempts
   and state = 'claimed'
