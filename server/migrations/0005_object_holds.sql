-- Whose objects somebody is at work on while no row speaks for them: a request that stores before it
-- registers, or a sweeper that removes what nobody owns. A hold that is not renewed is a dead
-- process's.

create table object_holds (
  organization_id uuid not null,
  -- The folder of the kind of resource, and the owner's id: organizations/<id>/<folder>/<owner_id>/.
  folder text not null,
  owner_id uuid not null,
  token uuid not null,
  sweeping boolean not null,
  renewed_at timestamptz not null default now(),
  primary key (organization_id, folder, owner_id)
);
create index object_holds_by_token on object_holds (token);
call protect('object_holds');
