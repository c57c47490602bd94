-- Profiles of tables, the last of each: computed from one scan of the source, kept until the table's
-- definition or its files change.

create table table_profiles (
  organization_id uuid not null,
  catalog text not null,
  schema text not null,
  table_name text not null,
  -- What was profiled: SHA-256, lowercase hex, of the definition, of the connector and, of files, of
  -- their versions.
  identity text not null,
  rows bigint not null,
  -- [{name, kind, nullable}] in the order of the table.
  columns json not null,
  profile json not null,
  warnings json not null,
  computed_at timestamptz(3) not null default now(),
  primary key (organization_id, catalog, schema, table_name)
);
call protect('table_profiles');
