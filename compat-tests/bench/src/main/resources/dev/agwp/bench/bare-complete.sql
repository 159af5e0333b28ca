with ended as (
  update bench_job
     set state = 'succeeded', lease_expires_at = null
   where id = :id
     and attempts = :attempts
     and state = 'claimed'
  returning id, attempts
)
insert into bench_attestation (job_id, attempts, body)
select id, attempts, :attestation
  from ended
