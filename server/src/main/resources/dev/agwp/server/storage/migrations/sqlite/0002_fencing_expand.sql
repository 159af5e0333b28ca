-- Release 1.2.0 (ADR-0013). An expansion: servers before it neither read nor write what is added here.
alter table queue add column require_fencing integer not null default false;

-- Calls of holders that carried no fencing token, by whom: who would break were it required.
create table unfenced_call (
  queue text not null,
  principal text not null,
  worker text not null,
  calls integer not null,
  last_at integer not null,
  primary key (queue, principal, worker)
) strict;
