-- Documents, the schemas that were induced from them, and the jobs that do it.

create table documents (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  -- SHA-256 of the bytes, lowercase hex: the same bytes are the same document.
  hash text not null,
  bytes bigint not null,
  -- What the bytes were found to be; while they are parsed, what the upload said.
  media_type text not null,
  status text not null check (status in ('parsing', 'ready', 'failed')),
  -- Null until parsed.
  pages integer,
  warnings json not null default '[]',
  error_message text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index documents_by_hash on documents (organization_id, hash);
create index documents_newest on documents (organization_id, created_at desc, id desc);
call protect('documents');

-- Inductions of schemas and extractions of answers.
create table document_jobs (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null check (kind in ('induction', 'extraction')),
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  -- The schema that it makes, or follows.
  schema_id uuid not null,
  -- That schema's id as callers know it.
  model_id text not null,
  -- What it reads, each once.
  document_ids uuid[] not null,
  -- As it was asked for, with defaults filled in and documents as ids.
  request json not null,
  -- {phase, done, total, seconds, estimate} as of the last look.
  progress json,
  -- What it made, but for rows: those are objects.
  result json,
  error_message text not null default '',
  cancel_requested_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create index document_jobs_newest on document_jobs (organization_id, created_at desc, id desc);
create index document_jobs_open on document_jobs using gin (document_ids)
  where status in ('pending', 'running');
create index document_jobs_by_schema on document_jobs (schema_id)
  where status in ('pending', 'running');
call protect('document_jobs');

create table document_schemas (
  id uuid primary key,
  organization_id uuid not null,
  -- What callers name it by: the id above, or one that they chose.
  model_id text collate "C" not null,
  job_id uuid not null,
  skill text not null,
  use_case text not null,
  -- Documents of the sample.
  documents integer not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  -- {skill, use_case, questions, metadata}; null until completed.
  schema json,
  -- [{path, bytes, sha256}], relative to the model's directory; nothing of reasoning/.
  files json not null default '[]',
  error_message text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index document_schemas_by_model_id on document_schemas (organization_id, model_id);
create index document_schemas_newest on document_schemas (organization_id, created_at desc, id desc);
create index document_schemas_by_job on document_schemas (job_id);
call protect('document_schemas');
