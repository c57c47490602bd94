-- What training jobs are looked up by, besides their age.

create index training_jobs_by_name
  on training_jobs (organization_id, name text_pattern_ops, created_at desc, id desc);
create index training_jobs_of_dataset
  on training_jobs (organization_id, dataset_id, created_at desc, id desc);

-- Tags of a former version may hold what jsonb cannot: they are found by nothing, and break nothing.
create function searchable_tags(tags json) returns jsonb
  language plpgsql immutable strict parallel safe
as $$
begin
  return tags::jsonb;
exception when others then
  return '{}'::jsonb;
end
$$;
create index training_jobs_by_tag on training_jobs using gin (searchable_tags(tags));
