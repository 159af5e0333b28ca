with picked as materialized (
  select id as picked_id
    from bench_job
   where state = 'queued'
   order by run_at, id
   limit 1
     for update skip locked
)
update bench_job
   set state = 'claimed',
       attempts = attempts + 1,
       lease_expires_at = now() + interval '60 seconds'
  from picked
 where id = picked_id
returning id, attempts, payload
