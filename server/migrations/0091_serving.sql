-- Serving endpoints: stable addresses in front of models.

create table serving_endpoints (
  id uuid primary key,
  organization_id uuid not null,
  -- Another way to address it.
  name text collate "C" not null,
  revision integer not null default 1,
  -- [{model_id, traffic}]: references as they were written, traffic in percent.
  models json not null,
  -- [[index of a model, number of slots]]: which of 10,000 slots of keys each model answers.
  slots json not null,
  -- The revision with which this split came.
  split_revision integer not null default 1,
  -- A reference as it was written; null = none.
  shadow_model_id text,
  -- Percent of the requests for predictions that it gets too.
  shadow_percent double precision not null default 100,
  -- All of its references, ids in lower case: what they mean is kept from being deleted.
  model_references text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index serving_endpoints_by_name on serving_endpoints (organization_id, name);
create index serving_endpoints_newest
  on serving_endpoints (organization_id, created_at desc, id desc);
create index serving_endpoints_by_reference on serving_endpoints using gin (model_references);
call protect('serving_endpoints');

-- Each split that an endpoint has had, the present one too.
create table serving_splits (
  endpoint_id uuid not null references serving_endpoints (id) on delete cascade,
  organization_id uuid not null,
  -- Of the endpoint, with which the split came.
  revision integer not null,
  models json not null,
  slots json not null,
  -- The revision whose split a rollback brought back; null where it was written.
  restored_revision integer,
  created_at timestamptz(3) not null default now(),
  primary key (endpoint_id, revision)
);
call protect('serving_splits');
