with ended as (
  update bench_job
     set state = 'succeeded', lease_expires_at = null
    from unnest(:ids, :attempts) as claim (claim_id, claim_attempts)
   where id = claim_id
     and attempts = claim_attempts
     and state = 'claimed'
  returning id, attempts
)
insert into bench_attestation (job_id, attempts, body)
select id, attempts, :attestation
  from ended
