-- Release 1.4.0 (ADR-0019). An expansion: servers before it neither read nor write what is added here.
alter table queue add column attestation text not null default 'none';
alter table job add column attestation_key_id text;

-- Public keys of those who sign attestations. A key is of one principal for ever. A revoked one stays: what it signed before can still be
-- verified, and it cannot be added again.
create table attestation_key (
  key_id text primary key,
  principal text not null,
  public_key blob not null,
  created_at integer not null,
  revoked_at integer
) strict;
