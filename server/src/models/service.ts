/** What is done with a trained model. */

import type { Rows } from "@distillery/engine";
import {
  type ExplanationsAnswer,
  MOST_ROWS,
  type PredictionsAnswer,
} from "../compute/model-rows.ts";
import { completedSchema, removeSchema } from "../documents/schemas/service.ts";
import type { AuthedContext } from "../http/context.ts";
import { conflict } from "../http/problem.ts";
import { countTaughtBy } from "../training/open-jobs.ts";
import { requireModel } from "./any-model.ts";
import { modelKey } from "./files.ts";
import { localModels } from "./local-models.ts";
import { deleteModel, type ModelRowWithDocument } from "./store.ts";

/** The model, trained. @throws 404, or 409 while it is not completed, or where it is no such model */
async function completedModel(ctx: AuthedContext, id: string): Promise<ModelRowWithDocument> {
  const found = await requireModel(ctx, id);
  if (found.type !== "trained") {
    throw conflict(
      "This is a document schema, which predicts nothing: extract with it, and train on the rows.",
    );
  }
  const { row: model } = found;
  if (model.status === "completed") return model;
  throw conflict(
    model.status === "failed"
      ? `The training of this model failed: ${model.error_message}`
      : `This model is ${model.status}; it can be used once its training job is completed.`,
  );
}

export async function predictRows(
  ctx: AuthedContext,
  modelId: string,
  rows: Rows,
  coverage: number | undefined,
): Promise<PredictionsAnswer> {
  const folder = await localFolder(ctx, modelId);
  return ctx.platform.compute.predict({ modelId, folder, rows, coverage });
}

export async function explainRows(
  ctx: AuthedContext,
  modelId: string,
  rows: Rows,
): Promise<ExplanationsAnswer> {
  const folder = await localFolder(ctx, modelId);
  return ctx.platform.compute.explain({ modelId, folder, rows });
}

/** As `predictRows`, from the JSON of the rows to that of the answer. */
export async function predictBody(
  ctx: AuthedContext,
  modelId: string,
  body: Uint8Array,
  coverage: number | undefined,
): Promise<Uint8Array> {
  const folder = await folderFor(ctx, modelId, body, MOST_ROWS.predict);
  return ctx.platform.compute.predictBody({ modelId, folder, body, coverage });
}

/** As `explainRows`, from the JSON of the rows to that of the answer. */
export async function explainBody(
  ctx: AuthedContext,
  modelId: string,
  body: Uint8Array,
): Promise<Uint8Array> {
  const folder = await folderFor(ctx, modelId, body, MOST_ROWS.explain);
  return ctx.platform.compute.explainBody({ modelId, folder, body });
}

/** As `localFolder`; what is wrong with the body is said first, as it is by every operation. */
async function folderFor(
  ctx: AuthedContext,
  id: string,
  body: Uint8Array,
  most: number,
): Promise<string> {
  try {
    return await localFolder(ctx, id);
  } catch (error) {
    await ctx.platform.compute.checkBody(body, most);
    throw error;
  }
}

export async function presignFiles(
  ctx: AuthedContext,
  id: string,
  expiresInSeconds: number,
): Promise<{ path: string; url: string }[]> {
  const { files, key } = await downloadable(ctx, id);
  return Promise.all(
    files.map(async ({ path }) => ({
      path,
      url: await ctx.platform.objects.presign(key(path), {
        expiresInSeconds,
        fileName: path.slice(path.lastIndexOf("/") + 1),
        baseUrl: ctx.request.baseUrl,
      }),
    })),
  );
}

/** The files that a model shows, and where they lie. @throws 404, or 409 while it is not completed */
async function downloadable(ctx: AuthedContext, id: string) {
  const { organizationId } = ctx.auth;
  const found = await requireModel(ctx, id);
  const row =
    found.type === "trained" ? await completedModel(ctx, id) : await completedSchema(ctx, id);
  return { files: row.files, key: (path: string) => modelKey(organizationId, row.id, path) };
}

/** @throws 404, or 409 while its job is still at work on it, or another learns from it */
export async function removeModel(ctx: AuthedContext, id: string): Promise<void> {
  const { platform, auth } = ctx;
  const found = await requireModel(ctx, id);
  if (found.type === "document_schema") return removeSchema(ctx, found.row);
  const { row: model } = found;
  if (model.status === "pending" || model.status === "running") {
    throw conflict(`Training job ${model.job_id} is still at work on this model; cancel it first.`);
  }
  await platform.db.forOrganization(auth.organizationId, async (sql) => {
    await deleteModel(sql, auth.organizationId, id);
    // Counted behind the delete, which waits for a job that is being registered with this teacher.
    const taught = await countTaughtBy(sql, auth.organizationId, id);
    if (taught > 0) throw conflict("An open training job learns from this model; cancel it first.");
  });
  await localModels(platform).forget(id);
  await platform.objects.deletePrefix(modelKey(auth.organizationId, id, ""));
}

async function localFolder(ctx: AuthedContext, id: string): Promise<string> {
  const { files } = await completedModel(ctx, id);
  return localModels(ctx.platform).folder(ctx.auth.organizationId, id, files);
}
