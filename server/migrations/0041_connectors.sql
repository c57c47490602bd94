-- Connectors: what an organization reads of other people's object stores and warehouses. Both kinds
-- share one space of names; names sort by bytes.

create table connectors (
  organization_id uuid not null,
  -- The last segment of workspaces/{workspace}/connectors/{connector}.
  name text collate "C" not null,
  id uuid not null unique,
  kind text not null check (kind in ('objstore', 'warehouse')),
  -- Empty where there is none.
  credential_name text not null default '',
  -- Where it leads: of an object store {url, endpoint, region, path_style}, of a warehouse {engine, url}.
  settings json not null,
  -- Credentials, sealed for [organization_id, id]; null where there are none.
  sealed text,
  -- Counts changes: what was opened with an older one is not used again.
  revision bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, name)
);
create index connectors_newest on connectors (organization_id, kind, created_at desc, id desc);
call protect('connectors');

-- A secret is rotated: a server that has the recorded one as a previous one puts its own in place.
grant update (id, since) on secret_key to distillery_system;
