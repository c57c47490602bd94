/** Giving models names, tags and notes. */

import type { AuthedContext } from "../../../api/context/context.ts";
import type { Sql } from "../../../platform/db/database.ts";
import {
  conflict,
  notFound,
  type Problem,
  unprocessable,
} from "../../../platform/input/problem.ts";
import { changingModels } from "../changing.ts";
import { refuseWhileKept } from "../kept.ts";
import type { ModelKinds, ModelUser } from "../kind.ts";
import { aliasReference, LATEST } from "../model-id.ts";
import {
  completeModel,
  findVersion,
  lockWriting,
  type ModelWriting,
  saveName,
  saveWriting,
  type TrainedResult,
} from "../store.ts";
import { lockRegistry, nameIsTaken, nextVersion, takeName } from "./store.ts";

export const MOST_TAGS = 50;

/** What is left out stays; null takes away. */
export interface ModelChange {
  readonly name?: string | null | undefined;
  readonly notes?: string | null | undefined;
  /** Tags that are null are taken away, those that are left out stay. */
  readonly tags?: Readonly<Record<string, string | null>> | null | undefined;
}

/**
 * A model that is given another name is its next version.
 *
 * @throws 404, 409 for a name that is a model's id, and while one of the users needs the name that it has,
 *   422 for too many tags
 */
export async function changeModel(
  ctx: AuthedContext,
  kinds: ModelKinds,
  users: readonly ModelUser[],
  id: string,
  { name, notes, tags }: ModelChange,
): Promise<void> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  await changingModels(services, organizationId, async (sql) => {
    if (name != null) await takeModelName(ctx, kinds, sql, name);
    else if (name === null) await lockRegistry(sql, organizationId);
    const written = await lockWriting(sql, organizationId, id);
    if (written === null) throw notFound("model");
    if (name !== undefined && name !== written.registered_name) {
      const called = await referencesByName(ctx, id, written);
      await refuseWhileKept(sql, users, organizationId, called);
      const version = name === null ? 0 : await nextVersion(sql, organizationId, name);
      await saveName(sql, organizationId, id, name === null ? null : { name, version });
    }
    if (notes === undefined && tags === undefined) return;
    await saveWriting(sql, organizationId, id, {
      notes: notes === undefined ? written.notes : (notes ?? ""),
      tags: mergedTags(written.tags, tags),
    });
  });
}

/** What means the model by the name that it has, and would mean another or none without it. */
async function referencesByName(
  { services, auth }: AuthedContext,
  id: string,
  { registered_name: name, version }: ModelWriting,
): Promise<readonly string[]> {
  if (name === null) return [];
  const latest = await findVersion(services.db, auth.organizationId, name, null);
  return [`${name}@${version}`, ...(latest === id ? [name, aliasReference(name, LATEST)] : [])];
}

function mergedTags(
  before: Readonly<Record<string, string>>,
  change: ModelChange["tags"],
): Readonly<Record<string, string>> {
  if (change === undefined) return before;
  if (change === null) return {};
  const merged = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > MOST_TAGS) {
    const message = `the model would have ${merged.size} tags; there can be ${MOST_TAGS}`;
    throw unprocessable(["body", "tags"], message);
  }
  return Object.fromEntries(merged);
}

/**
 * The name is one for versions from here on: nothing else is called so.
 *
 * @throws 409 where it is the id of a model
 */
export async function takeModelName(
  { services, auth }: AuthedContext,
  kinds: ModelKinds,
  sql: Sql,
  name: string,
): Promise<void> {
  const { organizationId } = auth;
  await lockRegistry(sql, organizationId);
  for (const kind of kinds) {
    if ((await kind.find(services.db, organizationId, name)) !== null) {
      throw conflict(`There is a model with the id ${name} already; choose another name.`);
    }
  }
  await takeName(sql, organizationId, name);
}

/**
 * The id is none of the registry's names, and does not become one before the transaction ends.
 *
 * @throws 409
 */
export async function refuseModelName(
  sql: Sql,
  organizationId: string,
  id: string,
  taken: () => Problem,
): Promise<void> {
  await lockRegistry(sql, organizationId);
  if (await nameIsTaken(sql, organizationId, id)) throw taken();
}

/** The model is completed, and the next version of the name that its row asks for. */
export async function completeAndRegister(
  sql: Sql,
  id: string,
  result: TrainedResult,
): Promise<void> {
  const asked = await completeModel(sql, id, result);
  if (asked === null) return;
  const { organizationId, name } = asked;
  const version = await nextVersion(sql, organizationId, name);
  await saveName(sql, organizationId, id, { name, version });
}
