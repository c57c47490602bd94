-- The platform: rights of the two roles, row-level security for resource tables, and the queue's
-- record of which process holds which task.

grant usage on schema distillery to distillery_app, distillery_system;

-- The organization of the transaction, null outside one.
create function current_organization_id() returns uuid
language sql stable parallel safe
return nullif(current_setting('distillery.organization_id', true), '')::uuid;

-- Called once for each resource table, in the migration that creates it. The table has a column
-- organization_id uuid not null; from here on the service sees the rows of one organization, and
-- the system those of all.
create procedure protect(resource regclass)
language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', resource);
  execute format('alter table %s force row level security', resource);
  execute format(
    'create policy organization on %s to distillery_app
       using (organization_id = current_organization_id())
       with check (organization_id = current_organization_id())', resource);
  execute format('create policy system on %s to distillery_system using (true) with check (true)', resource);
  execute format('grant select, insert, update, delete on %s to distillery_app, distillery_system', resource);
end
$$;

-- The queue's own schema belongs to the role that works it.
create schema distillery_queue;
grant all on schema distillery_queue to distillery_system;

-- A process that works the queue, alive for as long as its session holds the advisory lock lock_key.
create table queue_instances (
  instance_id uuid primary key,
  lock_key bigint not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now()
);
grant select, insert, update, delete on queue_instances to distillery_system;

-- Who holds a task, and under which attempt: the fence that a task's writes check.
create table queue_claims (
  task_id uuid primary key,
  queue text not null,
  attempt integer not null,
  instance_id uuid not null,
  claimed_at timestamptz not null default now()
);
create index queue_claims_instance on queue_claims (instance_id);
grant select, insert, update, delete on queue_claims to distillery_system;
grant select, update (claimed_at) on queue_claims to distillery_app;
