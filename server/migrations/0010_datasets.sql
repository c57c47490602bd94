-- Datasets: immutable snapshots of uploaded bytes, with what was found in them.

create table datasets (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  format text not null check (format in ('csv', 'parquet', 'arrow', 'ndjson')),
  object_key text not null,
  rows bigint not null,
  bytes bigint not null,
  -- SHA-256 of the stored bytes, lowercase hex.
  hash text not null,
  source json not null,
  -- In the order of the file: [{name, kind, nullable}].
  columns json not null,
  profile json not null,
  warnings json not null,
  created_at timestamptz(3) not null default now()
);
create index datasets_newest on datasets (organization_id, created_at desc, id desc);
call protect('datasets');
