create table bench_job (
  id bigint generated always as identity primary key,
  state text not null,
  run_at timestamptz not null,
  attempts bigint not null,
  lease_expires_at timestamptz,
  payload text not null
);
create index bench_job_claim_order on bench_job (run_at, id) where state = 'queued';
create table bench_attestation (
  job_id bigint primary key,
  attempts bigint not null,
  body text not null
)
