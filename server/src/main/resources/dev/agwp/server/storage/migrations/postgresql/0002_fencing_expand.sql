-- Release 1.2.0 (ADR-0013). An expansion: servers before it neither read nor write what is added here.
alter table queue add column require_fencing boolean not null default false;

-- Calls of holders that carried no fencing token, by whom: who would break were it required.
create table unfenced_call (
  queue text not null,
  principal text not null,
  worker text not null,
  calls bigint not null,
  last_at bigint not null,
  primary key (queue, principal, worker)
) with (
  -- Each call updates its row in place (HOT).
  fillfactor = 50
);
