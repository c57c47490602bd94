-- The registry: names whose versions are models, aliases that point to a model, and what people write
-- on models.

alter table models
  -- A version of this name; both null = a model without a name. What `name` was stays beside it.
  add column registered_name text collate "C",
  add column version integer,
  -- The name that it becomes the next version of when it is completed.
  add column register_as text collate "C",
  -- {key: text}.
  add column tags json not null default '{}',
  add column notes text not null default '',
  add constraint models_have_whole_versions check ((registered_name is null) = (version is null));
create unique index models_by_version on models (organization_id, registered_name, version)
  where registered_name is not null;
create index models_by_tag on models using gin (searchable_tags(tags));

-- A name stays when its last version is gone, so that no number is given twice.
create table model_names (
  organization_id uuid not null,
  name text collate "C" not null,
  -- The highest number that was given.
  last_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, name)
);
call protect('model_names');

create table model_aliases (
  organization_id uuid not null,
  name text collate "C" not null,
  alias text collate "C" not null,
  -- Either the model that it points to, or the other alias.
  model_id uuid,
  target_name text collate "C",
  target_alias text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, name, alias),
  check ((model_id is null) = (target_name is not null)),
  check ((target_name is null) = (target_alias is null))
);
create index model_aliases_of_model on model_aliases (model_id) where model_id is not null;
create index model_aliases_of_alias on model_aliases (organization_id, target_name, target_alias)
  where target_name is not null;
call protect('model_aliases');

-- Where an alias has pointed, and who said so. All of a target is null where the alias was deleted.
create table model_alias_moves (
  id bigint generated always as identity primary key,
  organization_id uuid not null,
  name text collate "C" not null,
  alias text collate "C" not null,
  model_id uuid,
  target_name text collate "C",
  target_alias text collate "C",
  -- 'api_key' or 'oidc', and the key's id or the token's subject.
  moved_by_kind text not null,
  moved_by text not null,
  moved_at timestamptz(3) not null default now()
);
create index model_alias_moves_newest
  on model_alias_moves (organization_id, name, alias, id desc);
call protect('model_alias_moves');

-- The model that an alias leads to, over any aliases between; null where it leads to none.
create function aliased_model(organization uuid, of_name text, of_alias text) returns uuid
  language sql stable
as $$
  with recursive hops as (
    select model_id, target_name, target_alias from model_aliases
    where organization_id = organization and name = of_name and alias = of_alias
    union
    select next.model_id, next.target_name, next.target_alias
    from hops join model_aliases as next
      on next.organization_id = organization
        and next.name = hops.target_name and next.alias = hops.target_alias
  )
  select model_id from hops where model_id is not null
$$;

-- The aliases that lead to a model, `name@alias` each.
create function aliases_of_model(organization uuid, model uuid) returns json
  language sql stable
as $$
  with recursive pointing as (
    select name, alias from model_aliases where organization_id = organization and model_id = model
    union
    select further.name, further.alias
    from pointing join model_aliases as further
      on further.organization_id = organization
        and further.target_name = pointing.name and further.target_alias = pointing.alias
  )
  select coalesce(json_agg(name || '@' || alias order by name, alias), '[]') from pointing
$$;
