-- SQL that people keep by name in their organization's workspace.

create table saved_statements (
  organization_id uuid not null references workspaces on delete cascade,
  -- The last segment of workspaces/{workspace}/statements/{statement}.
  name text collate "C" not null,
  id uuid not null,
  title text not null,
  sql text not null,
  revision bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, name)
);
call protect('saved_statements');
