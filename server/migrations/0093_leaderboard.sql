-- What a model says of the data that it learned from, though they be deleted, and what the leaderboard
-- ranks models by.

alter table models
  -- {name, hash, rows} of its dataset, and in `apart` what else of the request says which rows are scored
  -- and how they are split; null for a model whose dataset was deleted before this was kept.
  add column data json,
  add column dataset_deleted_at timestamptz(3),
  -- The same for models whose scores can be compared: one data hash, one filter, one task.
  add column comparable text,
  -- Of its card, by metric in the order of its run; null until completed, as the two below are.
  add column scores json,
  add column families json,
  add column size_bytes bigint,
  -- {fit_seconds, predict_seconds}: of the run, and of 1,000 rows; null where nobody looked at the clock.
  add column timing json;

-- Members in any order are the same; null for what jsonb cannot hold.
create function comparable_runs(data json, task json) returns text
  language plpgsql immutable parallel safe
as $$
begin
  if data is null then
    return null;
  end if;
  return md5(jsonb_build_object(
    'hash', data::jsonb -> 'hash',
    'apart', jsonb_strip_nulls(data::jsonb -> 'apart'),
    'task', jsonb_strip_nulls(task::jsonb - 'ignore_columns'))::text);
exception when others then
  return null;
end
$$;

-- Row-level security holds for the owner of the tables as well.
set local role distillery_system;

update models
set data = json_build_object(
      'name', datasets.name, 'hash', datasets.hash, 'rows', datasets.rows,
      'apart', json_build_object(
        'filter', jobs.request -> 'filter',
        'weight_column', jobs.request -> 'weight_column',
        'group_column', jobs.request -> 'group_column',
        'time_column', jobs.request -> 'time_column',
        'missing_labels', jobs.request -> 'missing_labels',
        'rare_classes', jobs.request -> 'rare_classes'))
from datasets, jobs
where datasets.id = models.dataset_id and jobs.id = models.job_id;

-- When is not known.
update models set dataset_deleted_at = now()
where not exists (select 1 from datasets where datasets.id = models.dataset_id);

update models
set comparable = comparable_runs(data, task);

update models
set scores = document -> 'card' -> 'scores',
    families = (
      select coalesce(json_agg(distinct member ->> 'family'), '[]')
      from json_array_elements(document -> 'members') as member),
    size_bytes = (
      select coalesce(sum((file ->> 'bytes')::bigint), 0) from json_array_elements(files) as file)
where status = 'completed' and document is not null;

reset role;

create index models_comparable on models (organization_id, comparable)
  where comparable is not null and status = 'completed';
create index models_of_dataset on models (dataset_id);

-- What a dataset, a model or a document came to, whether its jobs are open or not.
create index jobs_of_model on jobs using gin (models);
create index jobs_of_document on jobs using gin (documents);
