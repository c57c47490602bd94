/** What is done with a model of any kind. */

import type { AuthedContext } from "../../api/context/context.ts";
import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Operation } from "../../platform/compute/model-rows.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import type { OwnerKind } from "../../platform/objects/holds.ts";
import type { JobKind } from "../jobs/kind.ts";
import { refuseWhileUsed } from "../jobs/service.ts";
import { modelKey } from "./files.ts";
import type { FoundRow, ListedRow, ModelKind, ModelKinds } from "./kind.ts";
import { localModels } from "./local-models.ts";

/** @throws 404 */
export async function requireModel(
  { services, auth }: AuthedContext,
  kinds: ModelKinds,
  id: string,
): Promise<{ readonly kind: ModelKind; readonly row: FoundRow }> {
  for (const kind of kinds) {
    const row = await kind.find(services.db, auth.organizationId, id);
    if (row) return { kind, row };
  }
  throw notFound("model");
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listAllModels(
  { services, auth }: AuthedContext,
  kinds: ModelKinds,
  page: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly type: string | null;
  },
): Promise<readonly { readonly kind: ModelKind; readonly row: ListedRow }[]> {
  const { limit, after, type } = page;
  const lists = kinds
    .filter((kind) => type === null || kind.type === type)
    .map(async (kind) => {
      const rows = await kind.list(services.db, auth.organizationId, limit, after);
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

/**
 * As `predictingFolder`; what is wrong with the body is said first, as it is by every operation.
 *
 * @param operation what its rows are sent for
 */
export async function predictingFolderFor(
  ctx: AuthedContext,
  kinds: ModelKinds,
  id: string,
  body: Uint8Array,
  operation: Operation,
): Promise<string> {
  try {
    return await predictingFolder(ctx, kinds, id);
  } catch (error) {
    await ctx.services.compute.checkBody(body, operation);
    throw error;
  }
}

/**
 * A local copy of the model's directory, for the threads that predict with it.
 *
 * @throws 404, or 409 while it is not completed, or where it predicts nothing
 */
export async function predictingFolder(
  ctx: AuthedContext,
  kinds: ModelKinds,
  id: string,
): Promise<string> {
  const { kind, row } = await requireModel(ctx, kinds, id);
  if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
  kind.assertCompleted(row);
  return localModels(ctx.services).folder(ctx.auth.organizationId, row.id, row.files);
}

/** The files that a model shows. @throws 404, or 409 while it is not completed */
export async function presignFiles(
  ctx: AuthedContext,
  kinds: ModelKinds,
  id: string,
  expiresInSeconds: number,
): Promise<{ path: string; url: string }[]> {
  const { kind, row } = await requireModel(ctx, kinds, id);
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

/** @throws 404, or 409 while it is made, or an open job refers to it */
export async function removeModel(
  ctx: AuthedContext,
  kinds: ModelKinds,
  jobKinds: readonly JobKind[],
  modelId: string,
): Promise<void> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const { kind, row } = await requireModel(ctx, kinds, modelId);
  const { id, status } = row;
  if (status === "pending" || status === "running") throw conflict(kind.whyNotYet(row));
  await services.db.forOrganization(organizationId, async (sql) => {
    if (!(await kind.remove(sql, organizationId, id))) throw notFound("model");
    await refuseWhileUsed(sql, jobKinds, organizationId, "models", id);
  });
  await localModels(services).forget(id);
  await services.objects.deletePrefix(modelKey(organizationId, id, ""));
}

export {
  completeModel,
  deleteModelsExcept,
  findModel,
  insertModel,
  keepModel,
  setModelsStatus,
} from "./store.ts";
