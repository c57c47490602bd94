-- Which secret the servers of this database share: its id, never the secret. One row.
create table secret_key (
  sole boolean primary key default true check (sole),
  id text not null,
  since timestamptz(3) not null default now()
);
grant select, insert on secret_key to distillery_system;
