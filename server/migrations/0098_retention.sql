-- How long organizations keep what they have, and how much of it they may have.

create table quotas (
  organization_id uuid primary key,
  -- Each null = no bound.
  dataset_bytes bigint,
  model_bytes bigint,
  total_bytes bigint,
  datasets bigint,
  models bigint,
  open_jobs bigint
);
call protect('quotas');

create table retention_rules (
  organization_id uuid primary key,
  -- Each null = for ever.
  keep_versions integer,
  unnamed_model_days integer,
  failed_job_days integer,
  job_report_days integer,
  output_days integer,
  unused_dataset_days integer,
  -- When a process last took it upon itself to apply them by the clock.
  applied_at timestamptz(3)
);
call protect('retention_rules');

alter table jobs
  -- Of its objects, measured once it has ended; null before.
  add column kept_bytes bigint,
  -- When its log and its objects were removed while it stayed.
  add column pruned_at timestamptz(3);
create index jobs_unmeasured on jobs (finished_at)
  where kept_bytes is null and status in ('completed', 'failed');

-- What an organization has, by kind: sums over rows, of any resource, so that one statement answers.
create function organization_usage(organization uuid)
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
  select 'open_jobs', count(*), 0
  from jobs where organization_id = organization and status in ('pending', 'running')
$$;
