-- What serving endpoints have answered, as Parquet files in the object store, and what turned out to be true.

alter table serving_endpoints
  -- {sample_rate, keep_days}; null = nothing is logged.
  add column prediction_log json;

-- A file each: what one process logged of one endpoint in a while.
create table prediction_log_files (
  id uuid primary key,
  organization_id uuid not null,
  endpoint_id uuid not null references serving_endpoints (id) on delete cascade,
  rows integer not null,
  bytes bigint not null,
  -- Rows by the id of the model that answered.
  models json not null,
  -- Of its predictions.
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now()
);
create index prediction_log_files_newest
  on prediction_log_files (endpoint_id, created_at desc, id desc);
create index prediction_log_files_by_time on prediction_log_files (endpoint_id, last_at, first_at);
create index prediction_log_files_by_end on prediction_log_files (expires_at);
create index prediction_log_files_by_organization on prediction_log_files (organization_id);
call protect('prediction_log_files');

create table prediction_feedback (
  endpoint_id uuid not null references serving_endpoints (id) on delete cascade,
  organization_id uuid not null,
  prediction_id text collate "C" not null,
  -- Of the request, from 0.
  row_index integer not null,
  -- The name of a class, or a number.
  label text not null,
  predicted_at timestamptz(3) not null,
  labelled_at timestamptz(3) not null default now(),
  primary key (endpoint_id, prediction_id, row_index)
);
create index prediction_feedback_by_time on prediction_feedback (endpoint_id, predicted_at);
call protect('prediction_feedback');

create or replace function organization_usage(organization uuid)
  returns table (kind text, count bigint, bytes bigint)
  language sql stable
as $$
  select 'datasets', count(*), coalesce(sum(datasets.bytes), 0)::bigint
  from datasets where organization_id = organization
  union all
  select 'models', count(*), coalesce(sum(size), 0)::bigint
  from (
    select size_bytes as size from models where organization_id = organization
    union all
    select (select sum((file ->> 'bytes')::bigint) from json_array_elements(files) as file)
    from document_schemas where organization_id = organization
  ) as made
  union all
  select 'documents', count(*), coalesce(sum(documents.bytes), 0)::bigint
  from documents where organization_id = organization
  union all
  select 'jobs', count(*), coalesce(sum(kept_bytes), 0)::bigint
  from jobs where organization_id = organization
  union all
  select 'prediction_logs', count(*), coalesce(sum(prediction_log_files.bytes), 0)::bigint
  from prediction_log_files where organization_id = organization
  union all
  select 'open_jobs', count(*), 0
  from jobs where organization_id = organization and status in ('pending', 'running')
$$;
