/** The records that retention decides on, from the resources that have them. */

import type { Principal } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { countByDay } from "../audit/store.ts";
import { listKeepableDatasets } from "../datasets/service.ts";
import type { DatasetUser } from "../datasets/user.ts";
import { findRelatedSchemas } from "../documents/schemas/service.ts";
import type { JobKind } from "../jobs/kind.ts";
import { lastUses, listEnded, openReferences } from "../jobs/service.ts";
import type { ModelKinds, ModelUser } from "../models/kind.ts";
import { listKeepable, resolveReference } from "../models/service.ts";
import { heldReferences } from "../serving/held-models.ts";
import type { JobRecord, ModelRecord, Records } from "./select.ts";
import { currentTime } from "./store.ts";

/** What there is, and what refers to it; handed to this room where the service is assembled. */
export interface RetainedKinds {
  readonly jobKinds: readonly JobKind[];
  readonly modelKinds: ModelKinds;
  readonly modelUsers: readonly ModelUser[];
  readonly datasetUsers: readonly DatasetUser[];
}

/** For whom: by a request, or by the clock. */
export interface RetentionScope {
  readonly services: Services;
  readonly auth: Pick<Principal, "organizationId">;
}

export interface Gathered {
  readonly records: Records;
  /** Of the look. */
  readonly now: Date;
}

/** As it is at one moment; what has changed by the time that something goes is asked again then. */
export async function gather(
  { services, auth }: RetentionScope,
  kinds: RetainedKinds,
): Promise<Gathered> {
  const { db } = services;
  const { organizationId } = auth;
  const [gathered, held] = await db.forOrganization(organizationId, async (sql) => {
    const ended = await listEnded(sql, organizationId);
    const keepsOf = new Map(kinds.jobKinds.map(({ name, keeps }) => [name, keeps]));
    const jobs = ended.map(
      ({ kind, pruned_at, ...job }): JobRecord => ({
        ...job,
        keeps: pruned_at === null ? (keepsOf.get(kind) ?? null) : null,
      }),
    );
    const failed = ended.filter(({ status }) => status === "failed").map(({ id }) => id);
    const models = await listKeepable(sql, organizationId);
    const open = await openReferences(sql, organizationId, "models");
    const datasets = await datasetsOf(sql, organizationId, models);
    const records = { jobs, datasets, auditDays: await countByDay(sql, organizationId) };
    const now = await currentTime(sql);
    const found = { models, failed, open, records, now };
    return [found, await heldReferences(sql, organizationId)] as const;
  });
  const served = new Set<string>();
  for (const reference of held.keys()) {
    const id = await resolveReference(db, organizationId, reference);
    if (id !== null) served.add(id);
  }
  const schemas = await findRelatedSchemas(db, organizationId, {
    ids: [],
    jobs: gathered.failed,
  });
  const models: ModelRecord[] = [
    ...gathered.models.map(({ has_alias, dataset_id: _, ...model }) => ({
      ...model,
      type: "model" as const,
      is_used: has_alias || served.has(model.id) || gathered.open.has(model.id),
    })),
    ...schemas.map(({ id: row, model_id, job_id, status, updated_at }) => ({
      ...{ type: "document_schema" as const, id: model_id, name: model_id, job_id, status },
      ...{ updated_at, bytes: 0, registered_name: null, version: null },
      is_used: gathered.open.has(row),
    })),
  ];
  return { records: { ...gathered.records, models }, now: gathered.now };
}

async function datasetsOf(
  sql: Sql,
  organizationId: string,
  models: Awaited<ReturnType<typeof listKeepable>>,
): Promise<Records["datasets"]> {
  const open = await openReferences(sql, organizationId, "datasets");
  const read = await lastUses(sql, organizationId, "datasets");
  const learned = new Set(
    models.filter(({ status }) => status !== "failed").map(({ dataset_id }) => dataset_id),
  );
  const datasets = await listKeepableDatasets(sql, organizationId);
  return datasets.map(({ created_at, ...dataset }) => {
    const last = read.get(dataset.id) ?? created_at;
    return {
      ...dataset,
      used_at: new Date(Math.max(last.getTime(), created_at.getTime())),
      is_used: learned.has(dataset.id) || open.has(dataset.id),
    };
  });
}
