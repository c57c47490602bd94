-- Who asked for which change, and how it ended. Nobody changes a line; only age removes it.

create table audit_events (
  id uuid primary key,
  -- Of whom nobody knows the organization, that of the operator.
  organization_id uuid not null references organizations (id) on delete cascade,
  created_at timestamptz(3) not null,
  operation text not null,
  resource_type text not null,
  resource_id text,
  path text not null,
  status smallint not null,
  request_id text not null,
  address text not null,
  -- Null where nobody knows who it was.
  caller_kind text check (caller_kind in ('api_key', 'oidc')),
  subject text,
  key_id uuid,
  is_session boolean not null
);
create index audit_events_newest on audit_events (organization_id, created_at desc, id desc);
create index audit_events_by_key on audit_events (organization_id, key_id, created_at desc, id desc);
call protect('audit_events');
revoke insert, update, delete on audit_events from distillery_app;
revoke update on audit_events from distillery_system;

-- Null = for ever.
alter table retention_rules add column audit_event_days integer;
