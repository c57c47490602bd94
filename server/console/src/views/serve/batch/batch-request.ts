/** What a batch prediction is asked with: as JSON, or as the query beside a file. */

export const SOURCES = ["dataset", "table", "sql", "upload", "series"] as const;
export type SourceKind = (typeof SOURCES)[number];

export const FORMATS = ["parquet", "csv", "arrow"] as const;

export interface BatchForm {
  readonly model: string;
  readonly source: SourceKind;
  readonly dataset: string;
  readonly table: string;
  readonly sql: string;
  readonly file: File | null;
  readonly format: (typeof FORMATS)[number];
  readonly prefix: string;
  /** The name of the dataset to come; empty for none. */
  readonly register: string;
  readonly intervals: boolean;
  readonly contributions: boolean;
  readonly skipsFaulty: boolean;
  readonly name: string;
}

/** Of rows that the service has; what is as it is by default is left out. */
export function bodyOf(form: BatchForm): Readonly<Record<string, unknown>> {
  const source = sourceOf(form);
  return {
    model_id: form.model,
    ...(source !== null && { source }),
    output: {
      format: form.format,
      ...(form.prefix !== "" && { prefix: form.prefix }),
      ...(form.register !== "" && { register_dataset: form.register }),
    },
    ...(form.intervals && { intervals: true }),
    ...(form.contributions && { contributions: true }),
    ...(form.skipsFaulty && { on_error: "null" }),
    ...(form.name !== "" && { name: form.name }),
  };
}

function sourceOf({
  source,
  dataset,
  table,
  sql,
}: BatchForm): Readonly<Record<string, string>> | null {
  if (source === "dataset") return { dataset_id: dataset };
  if (source === "table") return { table };
  return source === "sql" ? { sql } : null;
}

/** The path and the query of a request whose body is a file. */
export function fileCall(form: BatchForm): string {
  const query = new URLSearchParams({
    model_id: form.model,
    format: form.format,
    ...(form.prefix !== "" && { prefix: form.prefix }),
    ...(form.register !== "" && { register_dataset: form.register }),
    ...(form.intervals && { intervals: "true" }),
    ...(form.contributions && { contributions: "true" }),
    ...(form.skipsFaulty && { on_error: "null" }),
    ...(form.name !== "" && { name: form.name }),
  });
  return `/v1/batch_predictions?${query}`;
}
