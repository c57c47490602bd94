/** What is done with a model of any kind. */

import type { AuthedContext, Principal } from "../../api/context/context.ts";
import { allows } from "../../api/context/scopes.ts";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Services } from "../../api/services.ts";
import type { Operation } from "../../platform/compute/model-rows.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import { conflict, notFound, type Problem, unprocessable } from "../../platform/input/problem.ts";
import type { OwnerKind } from "../../platform/objects/holds.ts";
import { ObjectNotFoundError } from "../../platform/objects/object-store.ts";
import { removeUnowned } from "../../platform/objects/unowned.ts";
import type { JobKind } from "../jobs/kind.ts";
import { refuseWhileUsed } from "../jobs/service.ts";
import { changingModels, type RememberedModel, rememberedModels } from "./changing.ts";
import { modelKey } from "./files.ts";
import { refuseWhileKept } from "./kept.ts";
import type { FoundRow, ListedRow, ModelKind, ModelKinds, ModelUser } from "./kind.ts";
import { localModels } from "./local-models.ts";
import type { ModelFilter } from "./model-filter.ts";
import { isLatest, isUuid } from "./model-id.ts";
import { giveUpAliases } from "./registry/aliases.ts";
import { nearReference } from "./registry/near.ts";
import { referencesTo, resolveReference } from "./registry/resolve.ts";
import { lockRegistry } from "./registry/store.ts";
import { findModel, keepModel, type ModelRowWithDocument } from "./store.ts";

export interface FoundModel {
  readonly kind: ModelKind;
  readonly row: FoundRow;
}

/** In whose name a model is looked for. */
export interface ModelScene {
  readonly services: Pick<Services, "db">;
  /** Without scopes: whoever asks may read models. */
  readonly auth: Pick<AuthedContext["auth"], "organizationId"> &
    Partial<Pick<AuthedContext["auth"], "scopes">>;
}

/**
 * The model of an id or of a reference: see `model-id.ts`. Ids come first, and no name is one.
 *
 * @throws 404
 */
export async function requireModel(
  { services, auth }: ModelScene,
  kinds: ModelKinds,
  reference: string,
): Promise<FoundModel> {
  const { db } = services;
  const { organizationId } = auth;
  const find = async (id: string): Promise<FoundModel | null> => {
    for (const kind of kinds) {
      const row = await kind.find(db, organizationId, id);
      if (row) return { kind, row };
    }
    return null;
  };
  const byId = reference.includes("@") ? null : await find(reference);
  if (byId !== null) return byId;
  const id = isUuid(reference) ? null : await resolveReference(db, organizationId, reference);
  const byName = id === null ? null : await find(id);
  if (byName === null) throw await noSuchModel({ services, auth }, reference, kinds);
  return byName;
}

/** Document schemas, which callers name: so many of the newest are compared with a name. */
const MOST_IDS = 200;

/** The 404 of a reference, with what there is near it where the caller may read models. */
export async function noSuchModel(
  { services: { db }, auth: { organizationId, scopes } }: ModelScene,
  reference: string,
  kinds: readonly ModelKind[] = [],
): Promise<Problem> {
  if (isUuid(reference) || (scopes !== undefined && !allows(scopes, "models:read"))) {
    return notFound("model");
  }
  const listed = kinds.map(async (kind) => {
    const rows = await kind.list(db, organizationId, { name: null, tags: [] }, MOST_IDS, null);
    return rows.map((row) => kind.idOf(row)).filter((id) => !isUuid(id));
  });
  const ids = (await Promise.all(listed)).flat();
  return notFound("model", await nearReference(db, organizationId, reference, ids));
}

/** A trained model by an id or a reference, for those who know no kinds. */
export async function findTrainedModel(
  db: Database,
  organizationId: string,
  reference: string,
): Promise<ModelRowWithDocument | null> {
  const id = await resolveReference(db, organizationId, reference);
  return id === null ? null : findModel(db, organizationId, id);
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listAllModels(
  { services, auth }: AuthedContext,
  kinds: ModelKinds,
  page: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly type: string | null;
    readonly filter: ModelFilter;
  },
): Promise<readonly { readonly kind: ModelKind; readonly row: ListedRow }[]> {
  const { limit, after, type, filter } = page;
  const lists = kinds
    .filter((kind) => type === null || kind.type === type)
    .map(async (kind) => {
      const rows = await kind.list(services.db, auth.organizationId, filter, limit, after);
      return rows.map((row) => ({ kind, row }));
    });
  return (await Promise.all(lists))
    .flat()
    .sort((a, b) => newestFirst(a.row, b.row))
    .slice(0, limit + 1);
}

const newestFirst = (a: ListedRow, b: ListedRow): number =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);

/** Of the directories of models of every kind. */
export const modelOwners = (kinds: ModelKinds): OwnerKind => ({
  folder: "models",
  async existing(sql, ids) {
    const found: string[] = [];
    for (const kind of kinds) found.push(...(await kind.existing(sql, ids)));
    return found;
  },
});

/** A model that predicts, for the threads that predict with it. */
export interface PredictingModel {
  readonly modelId: string;
  /** A local copy of its directory. */
  readonly folder: string;
  /** The serving endpoint that it answers for; absent: none. */
  readonly endpointId?: string;
}

/**
 * As `predictingModel`; what is wrong with the body is said first, as it is by every operation.
 *
 * @param operation what its rows are sent for
 */
export async function predictingModelFor(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  body: Uint8Array,
  operation: Operation,
): Promise<PredictingModel> {
  try {
    return await predictingModel(ctx, kinds, reference);
  } catch (error) {
    await ctx.services.compute.checkBody(body, operation);
    throw error;
  }
}

/** @throws 404, or 409 while it is not completed, or where it predicts nothing */
export async function predictingModel(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
): Promise<PredictingModel> {
  const find = async (): Promise<RememberedModel> => {
    const { kind, row } = await requireModel(ctx, kinds, reference);
    if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
    kind.assertCompleted(row);
    return { modelId: row.id, files: row.files };
  };
  const { organizationId } = ctx.auth;
  // The end of a run, which nobody waits for, changes what a name alone means.
  const { modelId, files } = isLatest(reference)
    ? await find()
    : await rememberedModels(ctx.services).get(organizationId, reference, find);
  try {
    const folder = await localModels(ctx.services).folder(organizationId, modelId, files);
    return { modelId, folder };
  } catch (error) {
    // Where it was deleted since it was found, that is what there is to say.
    if (error instanceof ObjectNotFoundError) await find();
    throw error;
  }
}

/** A local copy of a trained model's directory, for a job. */
export const localFolderOf = (
  services: Services,
  organizationId: string,
  { id, files }: ModelRowWithDocument,
): Promise<string> => localModels(services).folder(organizationId, id, files);

/** The files that a model shows. @throws 409 while it is not completed */
export async function presignFiles(
  ctx: AuthedContext,
  { kind, row }: FoundModel,
  expiresInSeconds: number,
): Promise<{ path: string; url: string }[]> {
  kind.assertCompleted(row);
  return Promise.all(
    row.files.map(async ({ path }) => ({
      path,
      url: await ctx.services.objects.presign(modelKey(ctx.auth.organizationId, row.id, path), {
        expiresInSeconds,
        fileName: path.slice(path.lastIndexOf("/") + 1),
        baseUrl: ctx.request.baseUrl,
      }),
    })),
  );
}

/** What may refer to a model. */
export interface ModelUsers {
  /** Whose open jobs may. */
  readonly jobKinds: readonly JobKind[];
  readonly others: readonly ModelUser[];
}

/**
 * By its id alone: what a name or an alias means may change between looking and deleting.
 *
 * @param forcedBy whose word takes the aliases away that lead to it; null = they keep it
 * @param stillGoes asked behind the registry's lock; false = it stays, which is a 409
 * @returns its id
 * @throws 404, 409 while it is made or something refers to it, 422 for a reference
 */
export async function removeModel(
  ctx: ModelScene & { readonly services: Services; readonly isAbout?: AuthedContext["isAbout"] },
  kinds: ModelKinds,
  users: ModelUsers,
  {
    model_id: given,
    forcedBy,
    stillGoes,
  }: {
    readonly model_id: string;
    readonly forcedBy: Principal | null;
    readonly stillGoes?: (sql: Sql) => Promise<boolean>;
  },
): Promise<string> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const { kind, row } = await requireModel(ctx, kinds, given);
  const { id, status } = row;
  const shown = kind.idOf(row);
  ctx.isAbout?.(shown);
  if (given !== shown && !isUuid(given)) {
    const message = `a model is deleted by its id; '${given}' means ${shown} now`;
    throw unprocessable(["path", "model_id"], message);
  }
  if (status === "pending" || status === "running") throw conflict(kind.whyNotYet(row));
  await changingModels(services, organizationId, async (sql) => {
    await lockRegistry(sql, organizationId);
    if (stillGoes !== undefined && !(await stillGoes(sql))) {
      throw conflict("The model has been given another name.");
    }
    if (!(await kind.remove(sql, organizationId, id))) throw notFound("model");
    // All asked behind the delete, which waits for what is beginning to refer to the model.
    await refuseWhileUsed(sql, users.jobKinds, organizationId, "models", id);
    const references = await referencesTo(services.db, sql, organizationId, id);
    await refuseWhileKept(sql, users.others, organizationId, references);
    await giveUpAliases(sql, organizationId, id, forcedBy);
  });
  await localModels(services).forget(id);
  await removeUnowned(services, modelKey(organizationId, id, ""));
  return shown;
}

/**
 * Keeps what references mean until the transaction ends: the model from being deleted, the alias from
 * being moved.
 *
 * @param meanings ids of models by the references that mean them
 * @returns the first reference that does not mean its model any more; null where all do
 */
export async function keepReferences(
  sql: Sql,
  db: Database,
  organizationId: string,
  meanings: ReadonlyMap<string, string>,
): Promise<string | null> {
  // Before rows, as everywhere, so that no two transactions wait for each other.
  if ([...meanings.keys()].some((reference) => !isUuid(reference))) {
    await lockRegistry(sql, organizationId);
  }
  const inOrder = [...meanings].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  for (const [reference, id] of inOrder) {
    const isHere = await keepModel(sql, organizationId, id);
    if (!isHere || (await resolveReference(db, organizationId, reference)) !== id) return reference;
  }
  return null;
}

export { changingModels } from "./changing.ts";
export { localModels } from "./local-models.ts";
export { completeAndRegister, refuseModelName, takeModelName } from "./registry/naming.ts";
export { referencesTo, resolveReference } from "./registry/resolve.ts";
export { aliasedModels, lockRegistry, organizationsWithAliases } from "./registry/store.ts";
export type { StoredDocument } from "./store.ts";
export {
  deleteModelsExcept,
  findModel,
  insertModel,
  keepModel,
  listKeepable,
  lockWriting,
  setModelsStatus,
} from "./store.ts";
