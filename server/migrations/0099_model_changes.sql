-- Every API process hears of changes to what it remembers of an organization's models, aliases and
-- serving endpoints (`platform/db/change-feed.ts`).

create function notify_model_change() returns trigger
language plpgsql
as $$
declare
  changed record;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  perform pg_notify('distillery_model_changes', 'changed ' || changed.organization_id);
  return null;
end
$$;

-- What is not there is not remembered, so that a new model, which is not completed, changes nothing.
create trigger model_gone after delete on models
  for each row execute function notify_model_change();
create trigger model_changed after update on models
  for each row
  when ((old.status, old.registered_name, old.version, old.files::text)
        is distinct from (new.status, new.registered_name, new.version, new.files::text))
  execute function notify_model_change();
create trigger model_alias_changed after insert or update or delete on model_aliases
  for each row execute function notify_model_change();
create trigger serving_endpoint_changed after insert or update or delete on serving_endpoints
  for each row execute function notify_model_change();
