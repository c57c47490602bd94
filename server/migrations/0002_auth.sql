-- Who may use the service: organizations, their API keys, and the answers kept by Idempotency-Key.

create table organizations (
  id uuid primary key,
  -- What an access token's organization claim says, or 'default' for the first one.
  slug text not null unique check (length(slug) between 1 and 200),
  created_at timestamptz(3) not null default now()
);
alter table organizations enable row level security;
alter table organizations force row level security;
create policy organization on organizations to distillery_app using (id = current_organization_id());
create policy system on organizations to distillery_system using (true) with check (true);
grant select on organizations to distillery_app;
grant select, insert on organizations to distillery_system;

create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  name text not null,
  -- SHA-256 of the whole key; the key itself is kept nowhere.
  hash bytea not null unique check (length(hash) = 32),
  -- The first characters, for people to tell keys apart; empty for a key that an operator chose.
  prefix text not null,
  scopes text[] not null,
  origin text not null check (origin in ('created', 'bootstrap', 'configured')),
  created_by text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_newest on api_keys (organization_id, created_at desc, id desc);
call protect('api_keys');

-- Every API process drops what it remembers of a key that was changed.
create function notify_api_key() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('distillery_api_keys', encode(old.hash, 'hex'));
  return null;
end
$$;
create trigger api_key_changed after update or delete on api_keys
  for each row execute function notify_api_key();

create table idempotency_keys (
  organization_id uuid not null references organizations (id),
  operation text not null,
  key text not null,
  -- Fences a request that lost its claim to a later one.
  token uuid not null,
  claimed_at timestamptz not null default now(),
  completed_at timestamptz,
  fingerprint text,
  status integer,
  headers jsonb,
  body text,
  primary key (organization_id, operation, key)
);
create index idempotency_keys_completed on idempotency_keys (completed_at);
call protect('idempotency_keys');
