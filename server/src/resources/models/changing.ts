/** Changes to what models, aliases and endpoints mean, and what a process remembers of them meanwhile. */

import type { ModelFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { RememberedRows } from "../../platform/db/remembered-rows.ts";

/** What is remembered of a completed model that predicts. */
export interface RememberedModel {
  readonly modelId: string;
  readonly files: readonly ModelFile[];
}

/** A transaction that resolves when every process answers by what it has changed. */
export async function changingModels<Result>(
  { db, modelChanges }: Services,
  organizationId: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const result = await db.forOrganization(organizationId, work);
  await modelChanges.settled();
  return result;
}

const instances = new WeakMap<Services, RememberedRows<RememberedModel>>();

/** The one instance of a process's services. */
export function rememberedModels(services: Services): RememberedRows<RememberedModel> {
  const instance = instances.get(services) ?? new RememberedRows(services.modelChanges);
  instances.set(services, instance);
  return instance;
}
