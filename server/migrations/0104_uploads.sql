-- Files on their way to become datasets, in parts.

create table uploads (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  -- As `datasets.format`.
  format text not null,
  kinds json not null,
  source json not null,
  -- Of the whole file.
  bytes bigint not null check (bytes > 0),
  -- Lowercase hex; null where nobody said it.
  sha256 text,
  -- From the beginning, without a gap.
  received_bytes bigint not null default 0 check (received_bytes between 0 and bytes),
  -- Once it was completed; its parts are gone then.
  dataset_id uuid,
  created_at timestamptz(3) not null default now(),
  -- Moved by each part.
  expires_at timestamptz(3) not null
);
create index uploads_newest on uploads (organization_id, created_at desc, id desc);
create index uploads_by_end on uploads (expires_at);
call protect('uploads');

create table upload_parts (
  upload_id uuid not null references uploads (id) on delete cascade,
  organization_id uuid not null,
  -- Offset of its first byte.
  start bigint not null,
  bytes bigint not null,
  object_key text not null,
  primary key (upload_id, start)
);
call protect('upload_parts');
