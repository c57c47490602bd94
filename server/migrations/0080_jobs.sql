-- Jobs of every kind in one table: what all have in common is a column, what is special of a kind is
-- JSON. Queues keep their names and tasks, so that a job which waits or runs is taken up as it was.

-- Nobody begins or ends a job, or adds to a log, while rows move.
lock table training_jobs, training_events, document_jobs in access exclusive mode;

create table jobs (
  id uuid primary key,
  organization_id uuid not null,
  kind text not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  -- Empty of kinds whose jobs have no names.
  name text not null default '',
  tags json not null default '{}',
  -- What it refers to, in the order of its request; while it is open they stay. Rows of document
  -- schemas are among the models.
  datasets uuid[] not null default '{}',
  models uuid[] not null default '{}',
  documents uuid[] not null default '{}',
  -- As it was asked for, with defaults filled in. JSON is kept as text (json, not jsonb): the order of
  -- its members reaches a model's bytes.
  request json not null,
  -- What the kind keeps beside the request.
  details json not null default '{}',
  -- What the run needs and nobody is shown.
  inputs json not null default '{}',
  -- Secrets that the run needs, sealed for this job; null once it has ended.
  sealed text,
  -- As of the last look.
  progress json,
  -- What it has made so far.
  result json,
  error_message text not null default '',
  cancel_requested_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);

call protect('jobs');

-- Row-level security holds for the owner of the tables as well.
set local role distillery_system;

insert into jobs (id, organization_id, kind, status, name, tags, datasets, models, request, details,
                  inputs, sealed, progress, result, error_message, cancel_requested_at, created_at,
                  updated_at, started_at, finished_at)
select id, organization_id, 'training', status, name, tags, array[dataset_id],
       array_remove(array[teacher_model_id], null), config,
       json_build_object('model_id', model_id, 'model_name', model_name, 'record', record),
       json_build_object('warm_start', warm_start), sealed_headers, progress,
       json_build_object('scores', scores, 'further_models', further_models), error_message,
       cancel_requested_at, created_at, updated_at, started_at, finished_at
from training_jobs;

insert into jobs (id, organization_id, kind, status, models, documents, request, details, progress,
                  result, error_message, cancel_requested_at, created_at, updated_at, started_at,
                  finished_at)
select id, organization_id, kind, status,
       case kind when 'extraction' then array[schema_id] else '{}' end, document_ids, request,
       json_build_object('schema_id', schema_id, 'model_id', model_id), progress, result,
       error_message, cancel_requested_at, created_at, updated_at, started_at, finished_at
from document_jobs;

reset role;

-- The log of a job's run: its sequence is from 1, without gaps, and the id of the server-sent event.
alter table training_events drop constraint training_events_job_id_fkey;
alter table training_events rename to job_events;
alter table job_events rename constraint training_events_pkey to job_events_pkey;
alter table job_events
  add constraint job_events_job_id_fkey foreign key (job_id) references jobs (id) on delete cascade;

drop table training_jobs;
drop table document_jobs;

create index jobs_newest on jobs (organization_id, kind, created_at desc, id desc);
create index jobs_by_name on jobs (organization_id, name text_pattern_ops, created_at desc, id desc);
create index jobs_by_tag on jobs using gin (searchable_tags(tags));
create index jobs_of_dataset on jobs using gin (datasets);
create index jobs_open_of_model on jobs using gin (models) where status in ('pending', 'running');
create index jobs_open_of_document on jobs using gin (documents)
  where status in ('pending', 'running');
