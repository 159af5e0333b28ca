-- Times are milliseconds since 1970 by this database's clock. A queue exists from its first job.
create table queue (
  name text primary key,
  paused boolean not null default false,
  created_at bigint not null
);

-- attempts is the number of claims and never falls. attempts_used is the retry budget spent: a release gives one back.
-- claimable and due_at only help claims to find rows; what may be claimed is decided by state, run_at and
-- lease_expires_at. claimable: a claim should look at the row. due_at: when the row must be looked at again, because its
-- run_at comes or its lease may have run out. A heartbeat does not move due_at, so it touches no indexed column.
create table job (
  seq bigint generated always as identity primary key,
  job_id text not null unique,
  queue text not null,
  state text not null,
  claimable boolean not null,
  due_at bigint,
  priority integer not null,
  run_at bigint not null,
  attempts bigint not null default 0 check (attempts >= 0),
  attempts_used bigint not null default 0 check (attempts_used >= 0),
  max_attempts bigint not null check (max_attempts >= 1),
  claimed_by text,
  lease_expires_at bigint,
  claim_request_id text,
  claim_position integer,
  progress integer,
  status_message text,
  created_at bigint not null,
  updated_at bigint not null,
  finished_at bigint,
  outcome text,
  summary text,
  result text,
  log_url text,
  attestation_digest text,
  error_reason text,
  error_message text,
  error_at bigint,
  unique_key text,
  subject_digest text,
  payload text not null
) with (
  -- Room in each page for heartbeats to update in place (HOT), and big values out of line so that they need not be copied.
  fillfactor = 80,
  toast_tuple_target = 512,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);

create index job_claim_order on job (queue, priority desc, run_at, seq) where claimable;
create index job_due on job (due_at) where due_at is not null;
create index job_by_state on job (queue, state, seq);
create unique index job_unique_key on job (queue, unique_key)
  where unique_key is not null and state in ('queued', 'claimed');
-- Two deliveries of one claim request cannot both claim: the second meets the first one's rows here.
create unique index job_claim_request on job (claimed_by, claim_request_id, claim_position)
  where claim_request_id is not null and state = 'claimed';

create table attestation (
  job_id text primary key,
  attempts bigint not null,
  media_type text not null,
  digest text not null,
  body bytea not null,
  stored_at bigint not null
);
