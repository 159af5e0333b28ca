-- Release 1.4.0 (ADR-0020). An expansion: servers before it neither read nor write what is added here, and leave no events.

-- Events as the transactions that made the changes left them, until the sequencer moves them to the log.
create table audit_pending (
  event_id integer primary key,
  created_at integer not null,
  preimage blob not null
) strict;

-- The log: seq has no gap.
create table audit_event (
  seq integer primary key,
  preimage blob not null,
  chain_hash blob not null
) strict;

create trigger audit_event_not_updated before update on audit_event begin
  select raise(abort, 'audit_event is append-only');
end;

create trigger audit_event_not_deleted before delete on audit_event begin
  select raise(abort, 'audit_event is append-only');
end;

-- INSERT OR REPLACE deletes without asking the trigger above.
create trigger audit_event_not_replaced before insert on audit_event
when exists (select 1 from audit_event where seq = new.seq) begin
  select raise(abort, 'audit_event is append-only');
end;

-- One row: how far the log is sealed.
create table audit_head (
  id integer primary key check (id = 1),
  log_id text not null,
  seq integer not null,
  chain_hash blob not null,
  sealed_at integer
) strict;

insert into audit_head (id, log_id, seq, chain_hash) values (1, lower(hex(randomblob(16))), 0, zeroblob(32));
