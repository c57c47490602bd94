-- What has come of uploads under way takes room too. As 0101 has it, with them.

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
  select 'uploads', count(*), coalesce(sum(received_bytes), 0)::bigint
  from uploads where organization_id = organization and dataset_id is null
  union all
  select 'open_jobs', count(*), 0
  from jobs where organization_id = organization and status in ('pending', 'running')
$$;
