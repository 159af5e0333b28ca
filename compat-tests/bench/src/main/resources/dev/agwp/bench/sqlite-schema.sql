create table bench_job (
  id integer primary key,
  state text not null,
  run_at integer not null,
  attempts integer not null,
  lease_expires_at integer,
  payload text not null
);
create index bench_job_claim_order on bench_job (run_at, id) where state = 'queued';
create table bench_attestation (
  job_id integer primary key,
  attempts integer not null,
  body text not null
)
