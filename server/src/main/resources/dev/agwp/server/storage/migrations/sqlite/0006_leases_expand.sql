-- File leases and integrations (ADR-0021, ADR-0022). An expansion: servers before it neither read nor write what is added here.
-- Paths compare by their bytes, so that all that is in a folder is one range.

-- One row for each repo, never deleted. Whatever changes a lease or integrates locks it first: that is the order of the repo.
create table lease_repo (
  repo text primary key,
  last_token integer not null,
  last_sequence integer not null
) strict;

-- paths is a JSON array, as the caller gave it. state is expired only once an overlapping lease was given; ended_at is when that was,
-- or when it was released.
create table lease (
  repo text not null,
  fencing_token integer not null,
  lease_id text not null unique,
  paths text not null,
  holder text not null,
  request_id text,
  state text not null,
  acquired_at integer not null,
  expires_at integer not null,
  ended_at integer,
  primary key (repo, fencing_token)
) strict;

create index lease_request on lease (repo, holder, request_id) where request_id is not null and state = 'held';

-- A row for each path of each lease, kept for ever: whether a token is the highest of its path is read here.
create table lease_path (
  repo text not null,
  path text not null,
  fencing_token integer not null,
  held integer not null,
  primary key (repo, path, fencing_token)
) strict;

create unique index lease_path_held on lease_path (repo, path) where held;
create index lease_path_of_lease on lease_path (repo, fencing_token) where held;

-- An acquire that waits, in order of arrival. It ends by itself unless the server that waits keeps it alive.
create table lease_ticket (
  seq integer primary key autoincrement,
  repo text not null,
  holder text not null,
  alive_until integer not null
) strict;

create index lease_ticket_repo on lease_ticket (repo, alive_until);

create table lease_ticket_path (
  repo text not null,
  path text not null,
  ticket integer not null,
  primary key (repo, path, ticket)
) strict;

create index lease_ticket_path_ticket on lease_ticket_path (ticket);

-- paths and fencing_tokens are JSON arrays, as the caller gave them. What state it is in, the row of its job says.
create table integration (
  repo text not null,
  sequence integer not null,
  integration_id text not null unique,
  change_digest text not null,
  paths text not null,
  fencing_tokens text not null,
  base text,
  holder text not null,
  request_id text,
  job_id text,
  created_at integer not null,
  primary key (repo, sequence)
) strict;

create unique index integration_request on integration (repo, holder, request_id) where request_id is not null;
create unique index integration_job on integration (job_id) where job_id is not null;

-- What each integration touched, and the token that let it: the memory of the repo.
create table integration_path (
  repo text not null,
  path text not null,
  sequence integer not null,
  fencing_token integer not null,
  primary key (repo, sequence, path)
) strict;

create index integration_path_sequence on integration_path (repo, path, sequence);
create index integration_path_token on integration_path (repo, path, fencing_token);
