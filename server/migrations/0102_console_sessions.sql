-- People who are signed in at the console, the links that sign them in, and where the console is.

create table console_sessions (
  -- SHA-256 of what the browser's cookie holds; that itself is kept nowhere.
  hash bytea primary key check (length(hash) = 32),
  organization_id uuid not null references organizations (id) on delete cascade,
  -- Whose scopes it has, and with which it ends.
  api_key_id uuid not null references api_keys (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  -- Moved by each use.
  idle_until timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index console_sessions_by_key on console_sessions (api_key_id);
create index console_sessions_by_end on console_sessions (least(idle_until, expires_at));
call protect('console_sessions');

create table console_links (
  -- SHA-256 of the token behind the link's #; that itself is kept nowhere. Used once, it is gone.
  hash bytea primary key check (length(hash) = 32),
  organization_id uuid not null references organizations (id) on delete cascade,
  -- Of the session that it begins.
  api_key_id uuid not null references api_keys (id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index console_links_by_key on console_links (api_key_id);
create index console_links_by_end on console_links (expires_at);
call protect('console_links');

-- Where the server that started last is reached; what prints a link for it runs in another process.
create table console_address (
  is_only boolean primary key default true check (is_only),
  url text not null
);
grant select, insert, update on console_address to distillery_system;
