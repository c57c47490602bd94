-- What a process that works the queue is, and when it last said that it lives.
alter table queue_instances
  add column version text not null default '',
  add column threads integer not null default 0,
  add column seen_at timestamptz(3) not null default now();
