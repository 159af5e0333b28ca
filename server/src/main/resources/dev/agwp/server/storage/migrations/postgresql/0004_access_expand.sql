-- Release 1.4.0 (ADR-0017). An expansion: servers before it neither read nor write what is added here.
-- A row is never deleted: a server that has once asked for credentials must not open again with its last token.
-- secret_hash is the SHA-256 of the whole token in hex; scopes and queues are words parted by a space.
create table access_token (
  id text primary key,
  secret_hash text not null,
  principal text not null,
  scopes text not null,
  queues text not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
