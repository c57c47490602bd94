/** The SQL of the leaderboard: completed models by what they can be compared with. */

import type { Database, Sql } from "../../../platform/db/database.ts";
import { hasTags, type ModelFilter } from "../model-filter.ts";

/** All that is given must hold. */
export interface BoardFilter extends ModelFilter {
  /** See `models.comparable`. */
  readonly group: string | null;
  /** Models whose data are those of this dataset, though they may have come twice. */
  readonly datasetId: string | null;
  readonly hash: string | null;
  readonly labelColumn: string | null;
  readonly taskKind: string | null;
}

function conditions(sql: Sql, organizationId: string, filter: BoardFilter) {
  const { group, datasetId, hash, labelColumn, taskKind, name, tags } = filter;
  return sql`
    organization_id = ${organizationId} and status = 'completed' and comparable is not null
    ${group === null ? sql`` : sql`and comparable = ${group}`}
    ${
      datasetId === null
        ? sql``
        : sql`and data ->> 'hash' in (
            select same.data ->> 'hash' from models as same
            where same.organization_id = ${organizationId} and same.dataset_id = ${datasetId})`
    }
    ${hash === null ? sql`` : sql`and data ->> 'hash' = ${hash}`}
    ${labelColumn === null ? sql`` : sql`and task ->> 'label_column' = ${labelColumn}`}
    ${taskKind === null ? sql`` : sql`and task ->> 'task_kind' = ${taskKind}`}
    ${name === null ? sql`` : sql`and registered_name = ${name}`}
    ${hasTags(sql, tags)}`;
}

export interface GroupRow {
  readonly comparable: string;
  readonly models: number;
  readonly dataset_ids: readonly string[];
  readonly data: {
    readonly name: string;
    readonly hash: string;
    readonly rows: number;
    readonly apart: Readonly<Record<string, unknown>>;
  };
  readonly task: Readonly<Record<string, unknown>>;
  /** Of the latest model. */
  readonly scores: Readonly<Record<string, number | null>>;
}

/** Those with the latest models first; one more than `limit` where there is a further page. */
export async function listGroups(
  db: Database,
  organizationId: string,
  filter: BoardFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly GroupRow[]> {
  return db.read<GroupRow[]>(
    organizationId,
    (sql) => sql`
      with found as (
        select * from models where ${conditions(sql, organizationId, filter)}
      ), groups as (
        select comparable, count(*)::int as models, max(created_at) as latest_at,
               json_agg(distinct dataset_id) as dataset_ids
        from found group by comparable
        order by latest_at desc, comparable limit ${limit + 1} offset ${offset}
      )
      select groups.comparable, groups.models, groups.dataset_ids, latest.data, latest.task,
             latest.scores
      from groups cross join lateral (
        select data, task, scores from found
        where found.comparable = groups.comparable
        order by created_at desc, id desc limit 1
      ) as latest
      order by groups.latest_at desc, groups.comparable`,
  );
}

export interface RankedRow {
  readonly id: string;
  readonly name: string;
  readonly version: number | null;
  readonly aliases: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly job_id: string;
  readonly dataset_id: string;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly families: readonly string[];
  readonly size_bytes: number;
  readonly timing: {
    readonly fit_seconds: number;
    readonly predict_seconds: number | null;
  } | null;
  readonly splitter: string | null;
  readonly created_at: Date;
}

/**
 * The models of a group, the best first, those that have no score last; of equal ones the earlier first.
 * One more than `limit` where there is a further page.
 */
export async function rankModels(
  db: Database,
  organizationId: string,
  filter: BoardFilter,
  metric: { readonly name: string; readonly direction: "maximize" | "minimize" },
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly RankedRow[]> {
  const score = (sql: Sql) => sql`(scores ->> ${metric.name})::float8`;
  return db.read<RankedRow[]>(
    organizationId,
    (sql) => sql`
      select id, coalesce(registered_name, name) as name, version, tags, job_id, dataset_id, scores,
             families, size_bytes, timing, document -> 'card' ->> 'splitter' as splitter,
             created_at, aliases_of_model(organization_id, id) as aliases
      from models where ${conditions(sql, organizationId, filter)}
      order by ${metric.direction === "maximize" ? sql`${score(sql)} desc nulls last` : sql`${score(sql)} asc nulls last`},
               created_at, id
      limit ${limit + 1} offset ${offset}`,
  );
}
