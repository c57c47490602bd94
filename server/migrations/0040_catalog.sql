-- The catalog: an organization's one workspace, its catalogs, their schemas, their tables.
--
-- Every change locks the workspace's row first, so that changes of one organization follow one
-- another and its revision counts them. Names sort by bytes, as pages of lists do.
--
-- id is what a create drew for its row: under an Idempotency-Key the same each time, so that a
-- request that is run again after a crash knows its own row.

create table workspaces (
  organization_id uuid primary key,
  id uuid not null,
  -- The last segment of workspaces/{workspace}.
  name text not null,
  -- Empty where there is no default.
  default_catalog text not null default '',
  default_schema text not null default '',
  revision bigint not null default 1,
  -- What new children begin with: above the revision of every child that was deleted, so that a
  -- name that is used again never shows a revision that it had before.
  first_revision bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
call protect('workspaces');

create table catalogs (
  organization_id uuid not null references workspaces on delete cascade,
  name text collate "C" not null,
  id uuid not null,
  -- {connector, sourceCatalog}, or null where the catalog owns its schemas.
  relational json,
  revision bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, name)
);
call protect('catalogs');

create table catalog_schemas (
  organization_id uuid not null,
  catalog text collate "C" not null,
  name text collate "C" not null,
  id uuid not null,
  -- {connector, sourceCatalog, sourceSchema}, or null where the schema owns its tables.
  relational json,
  revision bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, catalog, name),
  foreign key (organization_id, catalog) references catalogs on delete cascade
);
call protect('catalog_schemas');

create table catalog_tables (
  organization_id uuid not null,
  catalog text collate "C" not null,
  schema text collate "C" not null,
  name text collate "C" not null,
  id uuid not null,
  -- The last segment of the connector's name that stands in the spec.
  connector text not null,
  -- As responses show it; json, not jsonb, so that what was stored is what is shown.
  spec json not null,
  -- SHA-256 of the RFC 8785 JSON of {spec}, lowercase hex.
  revision_hash text not null,
  revision bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, catalog, schema, name),
  foreign key (organization_id, catalog, schema) references catalog_schemas on delete cascade
);
create index catalog_tables_by_connector on catalog_tables (organization_id, connector);
call protect('catalog_tables');
