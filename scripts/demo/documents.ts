/** The steps from receipts to a model, as a client takes them. */

import { readFileSync } from "node:fs";
import type { Api } from "./api.ts";
import { JobEnded } from "./job-ended.ts";
import { duration } from "./text.ts";

const FOLDER = new URL("../../fixtures/receipts/", import.meta.url);
const USE_CASE = "file a receipt under its kind of expense, by the shop and what is on it";
const LABEL = "expense";
/** One receipt of so many is not learned from. */
const KEPT_EVERY = 6;

export interface Receipt {
  readonly name: string;
  readonly text: string;
  /** What is known of it beside its text. */
  readonly expense: string;
}

export interface Schema {
  readonly questions: readonly {
    readonly id: string;
    readonly question: string;
    readonly rationale: string;
    readonly unit: string;
  }[];
  readonly metadata: { readonly documents: number; readonly held_back: number };
}

export interface Row {
  readonly name: string;
  readonly answers: Readonly<
    Record<
      string,
      {
        readonly value: string | number | boolean | null;
        readonly confidence: number | null;
        readonly span: { readonly text: string; readonly start: number } | null;
      }
    >
  >;
}

/** Those to learn from, and those that come later. */
export function readReceipts(count: number): { sample: Receipt[]; unseen: Receipt[] } {
  const keys: { document: string; expense: string }[] = JSON.parse(
    readFileSync(new URL("keys.json", FOLDER), "utf8"),
  );
  const receipts = keys.slice(0, count).map(({ document, expense }) => ({
    name: document,
    text: readFileSync(new URL(`docs/${document}`, FOLDER), "utf8"),
    expense,
  }));
  const isKept = (at: number): boolean => at % KEPT_EVERY === KEPT_EVERY - 1;
  return {
    sample: receipts.filter((_, at) => !isKept(at)),
    unseen: receipts.filter((_, at) => isKept(at)),
  };
}

export async function induce(
  api: Api,
  sample: readonly Receipt[],
): Promise<{ schemaId: string; schema: Schema }> {
  console.log(`\n${sample.length} receipts (ICDAR 2019 SROIE), to ${USE_CASE}.`);
  const { job_id, schema_id } = await api.post<{ job_id: string; schema_id: string }>(
    "/v1/agentic/documents/induce_schema",
    {
      documents: sample.map(({ name, text }) => ({ name, text })),
      use_case: USE_CASE,
      skill: "invoice",
    },
  );
  const seconds = await finished(api, job_id);
  const { schema } = await api.get<{ schema: Schema }>(
    `/v1/agentic/documents/schemas/${schema_id}`,
  );
  const { documents, held_back } = schema.metadata;
  console.log(
    `Studied in ${duration(seconds)}; ${held_back} of the ${documents} were held back to judge by.`,
  );
  return { schemaId: schema_id, schema };
}

/** @param dataset the name of the dataset that the rows become, or null */
export async function extract(
  api: Api,
  schemaId: string,
  receipts: readonly Receipt[],
  dataset: string | null,
): Promise<{ rows: readonly Row[]; datasetId: string }> {
  const { job_id, dataset_id = "" } = await api.post<{ job_id: string; dataset_id?: string }>(
    "/v1/agentic/documents/extract",
    {
      model_id: schemaId,
      documents: receipts.map(({ name, text, expense }) => ({
        name,
        text,
        ...(dataset !== null && { columns: { [LABEL]: expense } }),
      })),
      register_dataset: dataset === null ? null : { name: dataset },
    },
  );
  await finished(api, job_id);
  const { result } = await api.get<{ result: { rows: readonly Row[] } }>(`/v1/results/${job_id}`);
  return { rows: result.rows, datasetId: dataset_id };
}

export async function learn(api: Api, datasetId: string): Promise<string> {
  const { job_id } = await api.post<{ job_id: string }>("/v1/trainer/run", {
    dataset_id: datasetId,
    n_trials: 2,
    model_families: ["random_forest", "linear"],
    task: {
      task_kind: "multiclass",
      label_column: LABEL,
      ignore_columns: ["document_id", "document_name"],
    },
  });
  const seconds = await finished(api, job_id);
  console.log(`\nA model of the answers, made in ${duration(seconds)}.`);
  const { result } = await api.get<{ result: { model_id: string } }>(`/v1/results/${job_id}`);
  return result.model_id;
}

/** Seconds that the job took. */
async function finished(api: Api, jobId: string): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { status, error_message } = await api.get<{ status: string; error_message?: string }>(
      `/v1/results/${jobId}`,
    );
    if (status === "completed") return (performance.now() - since) / 1000;
    if (status === "failed") throw new JobEnded(error_message ?? "The job failed.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
