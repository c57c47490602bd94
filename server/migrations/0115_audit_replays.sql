-- Requests that were answered by their Idempotency-Key as before, which changed nothing again.
alter table audit_events add column is_replay boolean not null default false;
