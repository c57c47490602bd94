-- Sessions of the console that began at the OpenID Connect issuer: of a person, and of no API key.

alter table console_sessions alter column api_key_id drop not null;
alter table console_sessions
  -- The token's, and the client that it was made out to: a service that trusts another has none of its sessions.
  add column issuer text,
  add column client_id text,
  add column subject text,
  -- That the token granted when it was signed in with.
  add column scopes text[];
alter table console_sessions add constraint console_sessions_of_key_or_person check (
  case when api_key_id is null
    then issuer is not null and client_id is not null and subject is not null and scopes is not null
    else issuer is null and client_id is null and subject is null and scopes is null
  end);
create index console_sessions_by_subject on console_sessions (organization_id, subject)
  where subject is not null;

create table console_used_states (
  -- SHA-256 of the state of a sign-in that began a session; the same one begins no other.
  hash bytea primary key check (length(hash) = 32),
  expires_at timestamptz(3) not null
);
create index console_used_states_by_end on console_used_states (expires_at);
grant select, insert, delete on console_used_states to distillery_system;
