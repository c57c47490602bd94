/** An extraction: a frozen schema's questions, answered for each document, kept as rows. */

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { DataError } from "@distillery/engine";
import { readText } from "../../../platform/objects/object-store.ts";
import {
  type ExtractedDocument,
  InductionError,
} from "../../../reading/induction/runner/induction-runner.ts";
import { extractionPlanSchema } from "../../../reading/induction/schema.ts";
import { registerFile } from "../../datasets/service.ts";
import type { JobEnd } from "../../jobs/kind.ts";
import { jobKey } from "../../jobs/service.ts";
import { documentArea, type ExtractionJobRow } from "../jobs/job.ts";
import { type JobDocuments, jobDocuments, unreadableWarnings } from "../jobs/job-documents.ts";
import type { DocumentScene } from "../jobs/scene.ts";
import { PLAN_FILE, schemaKey } from "../schemas/service.ts";
import { columnKindOf } from "./columns.ts";
import { exportRows, RowTable } from "./parquet.ts";
import { type ExtractedRow, type ReadDocument, rowOf, rowsJson, withLabels } from "./rows.ts";
import { unitWarnings } from "./unit-warnings.ts";

/** Names of the objects that hold the rows. */
export const ROWS = { json: "rows.json", parquet: "rows.parquet" };

export async function extract(
  scene: DocumentScene,
  job: ExtractionJobRow,
): Promise<JobEnd<ExtractionJobRow["result"]>> {
  const { services, signal, progress } = scene;
  const { objects } = services;
  const { schema_id, model_id } = job.details;
  const planKey = schemaKey(job.organization_id, { id: schema_id }, PLAN_FILE);
  const plan = extractionPlanSchema.parse(JSON.parse(await readText(objects.get(planKey))));
  const documents = await jobDocuments(scene, job);
  const extracted = await services.induction.extract(plan, documents.ready, {
    signal,
    onProgress: ({ done, total }) => progress.at("extracting", done, total),
  });
  signal.throwIfAborted();
  progress.at("saving", 0, 1);
  const read = new Map(extracted.map((each) => [each.documentId, each]));
  const rows = rowsOf(
    job,
    documents,
    read,
    plan.answerers.map(({ id }) => id),
  );
  await objects.put(
    jobKey(documentArea, job, ROWS.json),
    (async function* () {
      yield* rowsJson(rows);
    })(),
  );
  const table = new RowTable(plan, rows);
  const path = join(scene.folder, "rows.ndjson");
  await table.write(path);
  const all = [...table.values, ...table.evidence];
  const source = { organizationId: job.organization_id, path, all, signal };
  await exportRows(services, { ...source, wanted: all }, ({ path: file }) =>
    objects.put(jobKey(documentArea, job, ROWS.parquet), createReadStream(file)),
  );
  const { dataset } = job.request;
  if (dataset !== null) {
    await exportRows(services, { ...source, wanted: table.values }, async ({ path: file }) => {
      const kinds = plan.answerers.flatMap((answerer) => {
        const kind = columnKindOf(answerer);
        return kind === null ? [] : [[answerer.id, kind] as const];
      });
      await registerFile(
        { services, organizationId: job.organization_id, id: dataset.id },
        async (store) => {
          await store(createReadStream(file));
          return {
            name: dataset.name,
            format: "parquet",
            kinds: Object.fromEntries(kinds),
            source: { kind: "extraction", job_id: job.id, model_id },
          };
        },
      );
    }).catch((error: unknown) => {
      if (!(error instanceof DataError)) throw error;
      throw new InductionError(`The rows cannot become a dataset: ${error.message}`, {
        cause: error,
      });
    });
  }
  progress.at("done", 1, 1);
  const warnings = [
    ...unreadableWarnings(documents),
    ...documents.ready.flatMap(({ id, name }) =>
      (read.get(id)?.warnings ?? []).map((warning) => `'${name}' (${id}): ${warning}`),
    ),
    ...(dataset === null ? [] : unitWarnings(plan, rows)),
  ];
  return {
    result: { warnings, rows: rows.length, ...(dataset && { dataset_id: dataset.id }) },
  };
}

function rowsOf(
  job: ExtractionJobRow,
  { ready, unreadable }: JobDocuments,
  extracted: ReadonlyMap<string, ExtractedDocument>,
  questions: readonly string[],
): readonly ExtractedRow[] {
  const read = new Map<string, ReadDocument>();
  for (const { id, name } of ready) {
    const { answers = {}, warnings = [] } = extracted.get(id) ?? {};
    read.set(id, { name, answers, warnings, error: "" });
  }
  for (const { id, name, error_message: error } of unreadable) {
    read.set(id, { name, answers: null, error });
  }
  const labels = Map.groupBy(job.request.labels ?? [], ({ document_id }) => document_id);
  return job.request.rows.flatMap((row) => {
    const document = read.get(row.document_id);
    if (document === undefined) return [];
    return withLabels(rowOf(row, questions, document), labels.get(row.document_id) ?? []);
  });
}
