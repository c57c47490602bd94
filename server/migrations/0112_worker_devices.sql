-- The devices of a process that works the queue, as it shows them, and which of them tasks can ask for.
alter table queue_instances
  add column devices json not null default '{"devices": [], "missing": []}',
  add column offers text[] not null default '{}';
