/** The SQL of counted rows of endpoints, and the only place of it. */

import type { Database } from "../../../platform/db/database.ts";

/** Rows that one model answered for one endpoint in one hour. */
export interface HourCounts {
  readonly endpointId: string;
  readonly modelId: string;
  /** Hours since 1970. */
  readonly hour: number;
  readonly counts: Float64Array;
}

export interface SummedCounts {
  readonly endpoint_id: string;
  readonly model_id: string;
  readonly organization_id: string;
  readonly counts: readonly number[];
}

/** Adds to what any process counted before; of an endpoint that is gone nothing is kept. */
export async function addCounts(
  db: Database,
  { endpointId, modelId, hour, counts }: HourCounts,
): Promise<void> {
  await db.systemQuery(
    (sql) => sql`
      insert into serving_drift_counts as kept (endpoint_id, organization_id, model_id, hour, counts)
      select id, organization_id, ${modelId}::uuid, to_timestamp(${hour * 3600}::float8),
             ${`{${counts.join(",")}}`}::text::bigint[]
      from serving_endpoints where id = ${endpointId}::uuid
      on conflict (endpoint_id, model_id, hour) do update
      set counts = (
        select array_agg(before + more order by place)
        from unnest(kept.counts, excluded.counts) with ordinality as added (before, more, place))`,
  );
}

/**
 * Of the hour that is now and the `hours` - 1 before it, by endpoint and model.
 *
 * @param endpointId null = of all
 * @param organizationId null = of all
 */
export async function sumCounts(
  db: Database,
  wanted: {
    readonly organizationId: string | null;
    readonly endpointId: string | null;
    readonly hours: number;
  },
): Promise<readonly SummedCounts[]> {
  const { organizationId, endpointId, hours } = wanted;
  return db.systemQuery(
    (sql) => sql<SummedCounts[]>`
      select endpoint_id, model_id, organization_id, json_agg(rows order by place) as counts
      from (
        select endpoint_id, model_id, organization_id, place, sum(cell)::bigint as rows
        from serving_drift_counts, unnest(counts) with ordinality as cells (cell, place)
        where (${organizationId}::uuid is null or organization_id = ${organizationId}::uuid)
          and (${endpointId}::uuid is null or endpoint_id = ${endpointId}::uuid)
          and hour > date_trunc('hour', now()) - make_interval(hours => ${hours}::integer)
        group by endpoint_id, model_id, organization_id, place
      ) as summed
      group by endpoint_id, model_id, organization_id
      order by endpoint_id, model_id`,
  );
}

export async function dropCounts(db: Database, olderThanHours: number): Promise<void> {
  await db.systemQuery(
    (sql) => sql`
      delete from serving_drift_counts
      where hour < date_trunc('hour', now()) - make_interval(hours => ${olderThanHours}::integer)`,
  );
}
