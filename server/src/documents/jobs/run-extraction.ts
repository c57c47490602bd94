/** An extraction: a frozen schema's questions, answered for each document, kept as rows. */

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { DataError } from "@distillery/engine";
import { registerFile } from "../../datasets/service.ts";
import type { Answers } from "../../induction/extract.ts";
import { extractionPlanSchema } from "../../induction/schema.ts";
import { readText } from "../../objects/object-store.ts";
import { documentJobKey, ROWS_JSON, ROWS_PARQUET } from "../object-keys.ts";
import { columnKindOf } from "../results/columns.ts";
import { exportRows, RowTable } from "../results/parquet.ts";
import { type ExtractedRow, type ReadDocument, rowOf, rowsJson } from "../results/rows.ts";
import { PLAN_FILE, schemaKey } from "../schemas/service.ts";
import { type JobDocuments, jobDocuments, unreadableWarnings } from "./job-documents.ts";
import { JobFault } from "./job-fault.ts";
import type { JobScene } from "./run-job.ts";
import { type ExtractionJobRow, markCompleted } from "./store.ts";

export async function runExtraction(scene: JobScene, job: ExtractionJobRow): Promise<void> {
  const { platform, task, signal, progress } = scene;
  const { db, objects } = platform;
  const planKey = schemaKey(job.organization_id, { id: job.schema_id }, PLAN_FILE);
  const plan = extractionPlanSchema.parse(JSON.parse(await readText(objects.get(planKey))));
  const documents = await jobDocuments(scene, job);
  const extracted = await platform.induction.extract(plan, documents.ready, {
    signal,
    onProgress: ({ done, total }) => progress.at("extracting", done, total),
  });
  signal.throwIfAborted();
  progress.at("saving", 0, 1);
  const answers = new Map(extracted.map((each) => [each.documentId, each.answers]));
  const rows = rowsOf(
    job,
    documents,
    answers,
    plan.answerers.map(({ id }) => id),
  );
  await objects.put(
    documentJobKey(job.organization_id, job.id, ROWS_JSON),
    (async function* () {
      yield* rowsJson(rows);
    })(),
  );
  const table = new RowTable(plan, rows);
  const path = join(scene.folder, "rows.ndjson");
  await table.write(path);
  const all = [...table.values, ...table.evidence];
  const source = { organizationId: job.organization_id, path, all, signal };
  await exportRows(platform, { ...source, wanted: all }, ({ path: file }) =>
    objects.put(documentJobKey(job.organization_id, job.id, ROWS_PARQUET), createReadStream(file)),
  );
  const { dataset } = job.request;
  if (dataset !== null) {
    await exportRows(platform, { ...source, wanted: table.values }, async ({ path: file }) => {
      const kinds = plan.answerers.flatMap((answerer) => {
        const kind = columnKindOf(answerer);
        return kind === null ? [] : [[answerer.id, kind] as const];
      });
      await registerFile(
        { platform, organizationId: job.organization_id, id: dataset.id },
        async (store) => {
          await store(createReadStream(file));
          return {
            name: dataset.name,
            format: "parquet",
            kinds: Object.fromEntries(kinds),
            source: { kind: "extraction", job_id: job.id, model_id: job.model_id },
          };
        },
      );
    }).catch((error: unknown) => {
      if (!(error instanceof DataError)) throw error;
      throw new JobFault(`The rows are no dataset: ${error.message}`, { cause: error });
    });
  }
  progress.at("done", 1, 1);
  await progress.flush();
  const warnings = unreadableWarnings(documents);
  await db.system(async (sql) => {
    await task.fence(sql);
    const outcome = { warnings, rows: rows.length, ...(dataset && { dataset_id: dataset.id }) };
    await markCompleted(sql, job.id, outcome);
  });
}

function rowsOf(
  job: ExtractionJobRow,
  { ready, unreadable }: JobDocuments,
  answers: ReadonlyMap<string, Answers>,
  questions: readonly string[],
): readonly ExtractedRow[] {
  const read = new Map<string, ReadDocument>();
  for (const { id, name } of ready) {
    read.set(id, { name, answers: answers.get(id) ?? {}, error: "" });
  }
  for (const { id, name, error_message: error } of unreadable) {
    read.set(id, { name, answers: null, error });
  }
  return job.request.rows.flatMap((row) => {
    const document = read.get(row.document_id);
    return document ? rowOf(row, questions, document) : [];
  });
}
