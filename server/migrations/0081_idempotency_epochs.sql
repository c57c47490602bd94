-- From the first use of a key until it is forgotten: ids that follow from the key are of its epoch, so
-- that a key that is used again after its day makes resources of its own.

alter table idempotency_keys
  add column epoch uuid not null default gen_random_uuid(),
  add column began_at timestamptz not null default now();
