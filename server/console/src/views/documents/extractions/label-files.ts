/** The labels of a schema as files: what people said of documents, to be checked, kept or moved elsewhere. */

import type { Label } from "./labels.ts";
import { csvLines } from "./rows.ts";

const COLUMNS = [
  "document_id",
  "document_name",
  "question_id",
  "value",
  "unit",
  "labelled_by",
  "updated_at",
] as const satisfies readonly (keyof Label)[];

/** A line for each label; no value: the document does not state it. */
export const labelsCsv = (labels: readonly Label[]): string =>
  csvLines([
    COLUMNS,
    ...labels.map((label) => COLUMNS.map((column) => String(label[column] ?? ""))),
  ]);

/** As the API lists them, without its pages. */
export const labelsJson = (labels: readonly Label[]): string =>
  `${JSON.stringify({ labels }, null, 2)}\n`;

export const LABEL_FILES = {
  csv: (labels: readonly Label[]) => new Blob([labelsCsv(labels)], { type: "text/csv" }),
  json: (labels: readonly Label[]) => new Blob([labelsJson(labels)], { type: "application/json" }),
};
