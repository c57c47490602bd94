/** Starting a batch prediction of rows that the service has, or can read. */

import { taskType } from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";
import { ObjectHold } from "../../platform/objects/holds.ts";
import { receiveFile } from "../../platform/objects/received-file.ts";
import { encodingOf } from "../datasets/encoding.ts";
import { findTable } from "../datasets/from-query.ts";
import { type Delivery, findDataset, keepDataset } from "../datasets/service.ts";
import { jobOwners, registerJob } from "../jobs/service.ts";
import type { ModelKinds } from "../models/kind.ts";
import { keepReferences } from "../models/service.ts";
import { checkResultColumns } from "../queries/query-file.ts";
import { recordedParameters } from "../queries/request.ts";
import { queryIn, selectAll } from "../queries/workspace-query.ts";
import { findWorkspace } from "../workspaces/service.ts";
import { type Asked, checkNames, checkOptions } from "./columns.ts";
import type { BatchJobRow, BatchSource } from "./job.ts";
import { batchPredictionKind } from "./kind.ts";
import { type FoundModel, findPredictor, kindsToRead } from "./model.ts";
import type { BatchFileQuery, BatchPredictionRequest } from "./request.ts";
import { keepInput } from "./source.ts";

/** Of the look at a statement before it is run. */
const PLAN_SECONDS = 60;

interface Started {
  readonly job_id: string;
  readonly dataset_id?: string;
}

/** @throws 403, 404, 409, 422, and what the plan of a query throws */
export async function startBatch(
  ctx: AuthedContext,
  modelKinds: ModelKinds,
  request: BatchPredictionRequest,
): Promise<Started> {
  const { output, contributions, on_error } = request;
  const asked: Asked = {
    intervals: request.intervals !== false,
    coverage: typeof request.intervals === "number" ? request.intervals : undefined,
    contributions,
    prefix: output.prefix,
    columns: output.columns ?? null,
    explainsErrors: on_error === "null",
  };
  const jobId = ctx.newId();
  const datasetId = ctx.newId();
  const model = await findPredictor(ctx, modelKinds, request.model_id);
  checkOptions(model, asked, ["body"]);
  const { source, names } = await sourceOf(ctx, model, request.source);
  try {
    checkNames(model, names, asked, ["body", "output"]);
  } catch (error) {
    throw asDataFault(error, ["body", "source"]);
  }
  const { register_dataset: datasetName } = output;
  return register(ctx, model, {
    jobId,
    reference: request.model_id,
    name: request.name,
    request: {
      source,
      scopes: [...ctx.auth.scopes],
      format: output.format,
      columns: asked.columns,
      prefix: asked.prefix,
      intervals: asked.intervals,
      coverage: asked.coverage ?? null,
      contributions,
      on_error,
      dataset: datasetName == null ? null : { id: datasetId, name: datasetName },
    },
  });
}

/** The rows, and the names of their columns. */
async function sourceOf(
  ctx: AuthedContext,
  { document }: FoundModel,
  source: BatchPredictionRequest["source"],
): Promise<{ readonly source: BatchSource; readonly names: readonly string[] }> {
  const { services, auth } = ctx;
  if (source === undefined) {
    if (taskType(document.task.kind).framing?.kind === "series") {
      return { source: { kind: "series" }, names: [] };
    }
    throw unprocessable(["body", "source"], "Field required", { type: "missing" });
  }
  if (source.dataset_id !== undefined) {
    assertScope(ctx, "datasets:read");
    const dataset = await findDataset(services.db, auth.organizationId, source.dataset_id);
    if (dataset === null) throw notFound("dataset");
    return {
      source: { kind: "dataset", dataset_id: dataset.id },
      names: dataset.columns.map(({ name }) => name),
    };
  }
  assertScope(ctx, "workspace:read");
  const { table = null } = source;
  const parameters = source.parameters ?? [];
  const workspace = await findWorkspace(services.db, auth.organizationId);
  const sql =
    table === null
      ? (source.sql ?? "")
      : selectAll((await findTable(ctx, workspace, table, ["body", "source", "table"])).name);
  const statement = { sql, parameters, timeoutSeconds: PLAN_SECONDS };
  const plan = await services.sql
    .explain(queryIn(ctx, workspace, statement).request)
    .catch((error: unknown) => {
      throw asDataFault(error, ["body", "source", "sql"]);
    });
  try {
    checkResultColumns(plan);
  } catch (error) {
    throw asDataFault(error, ["body", "source", table === null ? "sql" : "table"]);
  }
  return {
    source: { kind: "query", sql, parameters: recordedParameters(parameters), table },
    names: plan.schema.fields.map(({ name }) => name),
  };
}

/** Of a file's rows, which are the job's own until it ends. @throws as `startBatch` */
export async function startBatchOfFile(
  ctx: AuthedContext,
  modelKinds: ModelKinds,
  query: BatchFileQuery,
  deliver: Delivery,
): Promise<Started> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  if (query.model_id === undefined) {
    throw unprocessable(["query", "model_id"], "Field required", { type: "missing" });
  }
  const asked: Asked = {
    intervals: query.intervals || query.coverage !== undefined,
    coverage: query.coverage,
    contributions: query.contributions,
    prefix: query.prefix ?? "",
    columns: query.columns ?? null,
    explainsErrors: query.on_error === "null",
  };
  const jobId = ctx.newId();
  const datasetId = ctx.newId();
  const model = await findPredictor(ctx, modelKinds, query.model_id);
  checkOptions(model, asked, ["query"]);
  const [owner] = jobOwners([batchPredictionKind]);
  if (owner === undefined) throw new TypeError("batch predictions keep objects");
  const hold = await ObjectHold.take(services, owner, organizationId, [jobId]);
  try {
    const fileName = await services.compute.withLocalPath(async (path) => {
      const { format, kinds, source } = await deliver(async (bytes) => {
        await receiveFile(path, bytes);
      });
      const job = { id: jobId, organization_id: organizationId };
      const read = { ...kindsToRead(model.document), ...kinds };
      const file = { path, format, kinds: read, ...encodingOf(source) };
      const { columns } = await keepInput(services, job, file, ctx.request.signal);
      const names = columns.map(({ name }) => name);
      checkNames(model, names, asked, ["query"]);
      const name = source["file_name"];
      return typeof name === "string" ? name : null;
    });
    return await register(
      ctx,
      model,
      {
        jobId,
        reference: query.model_id,
        name: query.name,
        request: {
          source: { kind: "upload", file_name: fileName },
          format: query.format ?? "parquet",
          columns: asked.columns,
          prefix: asked.prefix,
          intervals: asked.intervals,
          coverage: asked.coverage ?? null,
          contributions: asked.contributions,
          on_error: query.on_error,
          dataset:
            query.register_dataset === undefined
              ? null
              : { id: datasetId, name: query.register_dataset },
        },
      },
      hold,
    );
  } catch (error) {
    throw asDataFault(error, ["body"]);
  } finally {
    await hold.end();
  }
}

interface NewBatch extends Pick<BatchJobRow, "request"> {
  readonly jobId: string;
  readonly reference: string;
  readonly name: string | undefined;
}

async function register(
  ctx: AuthedContext,
  model: FoundModel,
  { jobId, reference, name, request }: NewBatch,
  hold?: ObjectHold,
): Promise<Started> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const { source, dataset } = request;
  if (dataset !== null) assertScope(ctx, "datasets:write");
  const datasets = source.kind === "dataset" ? [source.dataset_id] : [];
  await services.db.forOrganization(organizationId, async (sql) => {
    const meant = new Map([[reference, model.id]]);
    const other = await keepReferences(sql, services.db, organizationId, meant);
    if (other !== null) throw notFound("model");
    for (const id of datasets) {
      if (!(await keepDataset(sql, organizationId, id))) throw notFound("dataset");
    }
    await hold?.release(sql);
    await registerJob<BatchJobRow>(services, sql, organizationId, batchPredictionKind, {
      id: jobId,
      name: name ?? model.name,
      datasets,
      models: [model.id],
      request,
      details: { model_id: model.id, model: reference, model_name: model.name },
    });
  });
  return { job_id: jobId, ...(dataset && { dataset_id: dataset.id }) };
}
