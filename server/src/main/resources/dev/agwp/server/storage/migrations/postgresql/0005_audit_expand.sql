-- Release 1.4.0 (ADR-0020). An expansion: servers before it neither read nor write what is added here, and leave no events.

-- Events as the transactions that made the changes left them, until the sequencer moves them to the log. Their ids keep cause before
-- effect: an id is drawn after the rows of the change are locked. That needs a sequence without a cache, which is the default.
create table audit_pending (
  event_id bigint generated always as identity primary key,
  created_at bigint not null,
  preimage bytea not null
) with (
  -- Rows live for a second: what they leave must go before it slows down the look for new ones.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

-- The log: seq has no gap.
create table audit_event (
  seq bigint primary key,
  preimage bytea not null,
  chain_hash bytea not null
);

create function audit_event_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'audit_event is append-only';
end
$$;

create trigger audit_event_append_only before update or delete or truncate on audit_event
  for each statement execute function audit_event_is_append_only();

-- One row: how far the log is sealed. Whoever holds its lock is the sequencer.
create table audit_head (
  id integer primary key check (id = 1),
  log_id text not null,
  seq bigint not null,
  chain_hash bytea not null,
  sealed_at bigint
);

insert into audit_head (id, log_id, seq, chain_hash) values (1, gen_random_uuid()::text, 0, decode(repeat('00', 32), 'hex'));
