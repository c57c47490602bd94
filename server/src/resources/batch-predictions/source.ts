/** Where the rows of a batch prediction are, as a dataset's file. */

import { DataError, type TableFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import type { StoredInspection } from "../../platform/compute/reading/messages.ts";
import { findDataset, withTableFile } from "../datasets/service.ts";
import { findModel } from "../models/service.ts";
import { withQueryFile } from "../queries/query-file.ts";
import { queryIn } from "../queries/workspace-query.ts";
import { findWorkspace } from "../workspaces/service.ts";
import type { BatchJobRow, BatchSource } from "./job.ts";
import { kindsToRead, learnedDateOrders } from "./model.ts";
import { inputKey, inputWarnings, putInputWarnings } from "./objects.ts";

/** Of a query. */
const TIMEOUT_SECONDS = 3600;

interface RunningJob {
  readonly services: Services;
  readonly signal: AbortSignal;
}

/** Lends the file, and what is to be said of the rows before any is read. @throws DataError, SqlError */
export async function withRows<Result>(
  scene: RunningJob,
  job: BatchJobRow,
  use: (file: TableFile | null, warnings: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { services, signal } = scene;
  const { organization_id: organizationId, request } = job;
  const { source } = request;
  switch (source.kind) {
    case "series":
      return use(null, []);
    case "dataset": {
      const dataset = await findDataset(services.db, organizationId, source.dataset_id);
      if (dataset === null) throw new DataError("The dataset was deleted.");
      return withTableFile({ services, organizationId, dataset, signal }, (file) => use(file, []));
    }
    case "query":
      // A run that is taken up again reads what its first attempt read.
      if ((await services.objects.head(inputKey(job))) === null) {
        await keepQuery(scene, job, source);
      }
      return withKept(services, job, await inputWarnings(services, job), use);
    case "upload":
      return withKept(services, job, [], use);
  }
}

function withKept<Result>(
  { compute }: Services,
  job: BatchJobRow,
  warnings: readonly string[],
  use: (file: TableFile, warnings: readonly string[]) => Promise<Result>,
): Promise<Result> {
  return compute.withLocalFile(inputKey(job), (path) => use({ path, format: "stored" }, warnings));
}

async function keepQuery(
  { services, signal }: RunningJob,
  job: BatchJobRow,
  { sql, parameters }: Extract<BatchSource, { kind: "query" }>,
): Promise<void> {
  const { organization_id: organizationId } = job;
  const { scopes } = job.request;
  const workspace = await findWorkspace(services.db, organizationId);
  const auth = { organizationId, ...(scopes && { scopes: new Set(scopes) }) };
  const scene = { services, auth, request: { signal } };
  const statement = { sql, parameters, timeoutSeconds: TIMEOUT_SECONDS };
  const { request: asked } = queryIn(scene, workspace, statement);
  const model = await findModel(services.db, organizationId, job.details.model_id);
  if (model?.document == null) throw new DataError("The model was deleted.");
  const kinds = kindsToRead(model.document);
  const dateOrders = learnedDateOrders(services, organizationId, model, signal);
  const request = { ...asked, dateOrders };
  await withQueryFile(services, request, async (path, warnings) => {
    // Before the rows, whose being there says that all is.
    await putInputWarnings(services, job, warnings);
    await keepInput(services, job, { path, format: "parquet", kinds }, signal);
  });
}

/** Reads a file of rows into the job's own copy of them. @throws DataError where it is no table */
export function keepInput(
  { compute, objects }: Pick<Services, "compute" | "objects">,
  job: Pick<BatchJobRow, "id" | "organization_id">,
  file: Parameters<Services["compute"]["withStoredTable"]>[0],
  signal: AbortSignal,
): Promise<StoredInspection> {
  const scene = { organizationId: job.organization_id, signal };
  return compute.withStoredTable(file, scene, async (path, inspection) => {
    await objects.putFile(inputKey(job), path);
    return inspection;
  });
}
