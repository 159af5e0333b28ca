-- One row for each job that was written for: the largest fencing token seen.
create table if not exists agwp_fencing_guard (
  job_id text primary key,
  token bigint not null
)
