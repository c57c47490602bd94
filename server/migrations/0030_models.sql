-- Models: registered with the job that trains them, completed when their files are in place.

create table models (
  id uuid primary key,
  organization_id uuid not null,
  job_id uuid not null,
  dataset_id uuid not null,
  name text not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  task json not null,
  error_message text not null default '',
  -- The model directory's document without its feature schema; null until completed.
  document json,
  -- [{path, bytes, sha256}], relative to the model's directory.
  files json not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index models_newest on models (organization_id, created_at desc, id desc);
call protect('models');
