-- Training jobs and the event logs of their runs. JSON is kept as text (json, not jsonb): the order
-- of its members reaches the model's bytes.

create table training_jobs (
  id uuid primary key,
  organization_id uuid not null,
  name text not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  dataset_id uuid not null,
  model_id uuid not null,
  -- The model's name is the job's; kept so that a deleted model still has one here.
  model_name text not null,
  tags json not null,
  -- As the request asked, with defaults filled in.
  config json not null,
  -- The interface's config record.
  record json not null,
  -- Progress and scores as of the last event: what lists and polls read without folding the log.
  progress json,
  -- Metric values of the model, by the order of record.metrics; empty until it is trained.
  scores json not null default '[]',
  error_message text not null default '',
  cancel_requested_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create index training_jobs_newest on training_jobs (organization_id, created_at desc, id desc);
create index training_jobs_by_dataset on training_jobs (dataset_id) where status in ('pending', 'running');
call protect('training_jobs');

create table training_events (
  job_id uuid not null references training_jobs (id) on delete cascade,
  -- From 1, without gaps; the id of the server-sent event.
  sequence integer not null,
  organization_id uuid not null,
  event json not null,
  primary key (job_id, sequence)
);
call protect('training_events');
