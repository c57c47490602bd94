/** The SQL of names, versions and aliases; what a model's own row has of them is in `models/store.ts`. */

import type { Principal } from "../../../api/context/context.ts";
import type { Database, Sql } from "../../../platform/db/database.ts";
import { MOST_EDITS } from "../../../platform/input/near-names.ts";
import type { AliasName, AliasTarget } from "./walk.ts";

/** Until the transaction ends, nobody else changes the organization's names and aliases. */
export async function lockRegistry(sql: Sql, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`registry ${organizationId}`}, 0))`;
}

/** Whether the name is taken, though it may have no version. */
export async function nameIsTaken(
  sql: Sql,
  organizationId: string,
  name: string,
): Promise<boolean> {
  const rows = await sql`
    select 1 from model_names where organization_id = ${organizationId} and name = ${name}`;
  return rows.length > 0;
}

/** Takes a name for versions to come. */
export async function takeName(sql: Sql, organizationId: string, name: string): Promise<void> {
  await sql`
    insert into model_names (organization_id, name) values (${organizationId}, ${name})
    on conflict do nothing`;
}

/** A number that no model of the name has had. */
export async function nextVersion(sql: Sql, organizationId: string, name: string): Promise<number> {
  const [row] = await sql<[{ last_version: number }]>`
    insert into model_names as taken (organization_id, name, last_version)
    values (${organizationId}, ${name}, 1)
    on conflict (organization_id, name) do update set last_version = taken.last_version + 1
    returning last_version`;
  return row.last_version;
}

/** The model that an alias leads to; null where there is none. */
export async function aliasedModel(
  db: Database,
  organizationId: string,
  { name, alias }: AliasName,
): Promise<string | null> {
  const [row] = await db.read<[{ id: string | null }]>(
    organizationId,
    (sql) => sql`select aliased_model(${organizationId}, ${name}, ${alias}) as id`,
  );
  return row.id;
}

export interface NameRow {
  readonly name: string;
  /** Of the versions that there are; null where there is none. */
  readonly latest_version: number | null;
  /** Of the latest completed version. */
  readonly latest_model_id: string | null;
  readonly versions: number;
  readonly aliases: readonly { readonly alias: string; readonly model_id: string | null }[];
  readonly created_at: Date;
}

/**
 * Names that have a version or an alias, in the order of their bytes; one more than `limit` where there
 * is a further page.
 *
 * @param only this one
 * @param after names behind this one
 */
export async function listNames(
  db: Database,
  organizationId: string,
  {
    only = null,
    after = "",
    limit,
  }: {
    readonly only?: string | null;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<readonly NameRow[]> {
  return db.read<NameRow[]>(
    organizationId,
    (sql) => sql`
      select taken.name, taken.created_at, counted.versions, counted.latest_version,
             latest.id as latest_model_id, pointing.aliases
      from model_names as taken
      cross join lateral (
        select count(*)::int as versions, max(version) as latest_version from models
        where organization_id = ${organizationId} and registered_name = taken.name
      ) as counted
      left join lateral (
        select id from models
        where organization_id = ${organizationId} and registered_name = taken.name
          and status = 'completed'
        order by version desc limit 1
      ) as latest on true
      cross join lateral (
        select coalesce(
          json_agg(json_build_object('alias', alias, 'model_id',
                                     aliased_model(${organizationId}, name, alias))
                   order by alias), '[]') as aliases
        from model_aliases where organization_id = ${organizationId} and name = taken.name
      ) as pointing
      where taken.organization_id = ${organizationId} and taken.name > ${after}
        ${only === null ? sql`` : sql`and taken.name = ${only}`}
        and (counted.versions > 0 or json_array_length(pointing.aliases) > 0)
      order by taken.name
      limit ${limit + 1}`,
  );
}

/** Some of the names that have a version or an alias and about so many letters: few enough to compare. */
export async function namesOfLength(
  db: Database,
  organizationId: string,
  length: number,
): Promise<readonly string[]> {
  const rows = await db.read<{ name: string }[]>(
    organizationId,
    (sql) => sql`
      select name from model_names as taken
      where organization_id = ${organizationId}
        and length(name) between ${length - MOST_EDITS} and ${length + MOST_EDITS}
        and (exists (select 1 from models
                     where organization_id = ${organizationId} and registered_name = taken.name)
             or exists (select 1 from model_aliases
                        where organization_id = ${organizationId} and name = taken.name))
      order by name
      limit 1000`,
  );
  return rows.map(({ name }) => name);
}

export type AliasRow = AliasName &
  AliasTarget & { readonly created_at: Date; readonly updated_at: Date };

export async function findAlias(
  sql: Sql,
  organizationId: string,
  { name, alias }: AliasName,
): Promise<AliasRow | null> {
  const rows = await sql<AliasRow[]>`
    select name, alias, model_id, target_name, target_alias, created_at, updated_at
    from model_aliases
    where organization_id = ${organizationId} and name = ${name} and alias = ${alias}`;
  return rows[0] ?? null;
}

export async function setAlias(
  sql: Sql,
  organizationId: string,
  { name, alias }: AliasName,
  { model_id, target_name, target_alias }: AliasTarget,
): Promise<void> {
  await sql`
    insert into model_aliases (organization_id, name, alias, model_id, target_name, target_alias)
    values (${organizationId}, ${name}, ${alias}, ${model_id}, ${target_name}, ${target_alias})
    on conflict (organization_id, name, alias) do update
    set model_id = excluded.model_id, target_name = excluded.target_name,
        target_alias = excluded.target_alias, updated_at = now()`;
}

/** Whether there was such an alias. */
export async function deleteAlias(
  sql: Sql,
  organizationId: string,
  { name, alias }: AliasName,
): Promise<boolean> {
  const rows = await sql`
    delete from model_aliases
    where organization_id = ${organizationId} and name = ${name} and alias = ${alias}
    returning alias`;
  return rows.length > 0;
}

/** Aliases that point to this one, as they are written. */
export async function aliasesOfAlias(
  sql: Sql,
  organizationId: string,
  { name, alias }: AliasName,
): Promise<readonly string[]> {
  const rows = await sql<{ reference: string }[]>`
    select name || '@' || alias as reference from model_aliases
    where organization_id = ${organizationId} and target_name = ${name} and target_alias = ${alias}
    order by name, alias`;
  return rows.map(({ reference }) => reference);
}

/** Organizations that have aliases. */
export async function organizationsWithAliases(db: Database): Promise<readonly string[]> {
  const rows = await db.systemQuery(
    (sql) => sql<{ organization_id: string }[]>`
      select distinct organization_id from model_aliases`,
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Ids of the models that aliases point to, those of the latest aliases first. */
export async function aliasedModels(
  db: Database,
  organizationId: string,
): Promise<readonly string[]> {
  const rows = await db.read<{ model_id: string }[]>(
    organizationId,
    (sql) => sql`
      select model_id from model_aliases
      where organization_id = ${organizationId} and model_id is not null
      order by updated_at desc`,
  );
  return [...new Set(rows.map(({ model_id }) => model_id))];
}

/** Aliases that lead to a model, as they are written. */
export async function aliasesOfModel(
  sql: Sql,
  organizationId: string,
  modelId: string,
): Promise<readonly string[]> {
  const [row] = await sql<[{ aliases: readonly string[] }]>`
    select aliases_of_model(${organizationId}, ${modelId}) as aliases`;
  return row.aliases;
}

/** The target of an alias that was deleted. */
const NOWHERE = { model_id: null, target_name: null, target_alias: null } as const;

export type MoveRow = (AliasTarget | typeof NOWHERE) & {
  readonly moved_by_kind: Principal["kind"];
  readonly moved_by: string;
  readonly moved_at: Date;
};

/** @param target null = the alias was deleted */
export async function recordMove(
  sql: Sql,
  { organizationId, kind, subject }: Pick<Principal, "organizationId" | "kind" | "subject">,
  { name, alias }: AliasName,
  target: AliasTarget | null,
): Promise<void> {
  const { model_id, target_name, target_alias } = target ?? NOWHERE;
  await sql`
    insert into model_alias_moves (organization_id, name, alias, model_id, target_name,
                                   target_alias, moved_by_kind, moved_by)
    values (${organizationId}, ${name}, ${alias}, ${model_id}, ${target_name}, ${target_alias},
            ${kind}, ${subject})`;
}

export const pointsSomewhere = <Row extends AliasTarget | typeof NOWHERE>(
  row: Row,
): row is Row & AliasTarget => row.model_id !== null || row.target_name !== null;

/** Newest first. */
export async function listMoves(
  sql: Sql,
  organizationId: string,
  { name, alias }: AliasName,
  limit: number,
): Promise<readonly MoveRow[]> {
  return await sql<MoveRow[]>`
    select model_id, target_name, target_alias, moved_by_kind, moved_by, moved_at
    from model_alias_moves
    where organization_id = ${organizationId} and name = ${name} and alias = ${alias}
    order by id desc limit ${limit}`;
}
