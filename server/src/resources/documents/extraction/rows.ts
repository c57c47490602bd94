/** What an extraction answers: one row a document, as JSON. */

import { z } from "zod";
import type { Answers } from "../../../reading/induction/extract.ts";
import { boxSchema } from "../../../reading/parsing/normal-form.ts";
import type { Label } from "../labels/store.ts";
import type { ExtraValue, RequestedRow } from "./request.ts";

const spanSchema = z
  .object({
    text: z.string().describe("Verbatim, as it stands in the document."),
    start: z.int(),
    end: z.int(),
    box: boxSchema
      .nullable()
      .describe(
        "Left, top, right, bottom in points from the page's top left corner; null where the format knows no positions.",
      ),
  })
  .describe("Where it stands: offsets of GET /v1/documents/{document_id}/text.");

export const answerSchema = z
  .object({
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .describe(
        "In one form whatever was written: dates as YYYY-MM-DD, amounts as numbers, several values joined by `; `; of a question about a table's column the entries of its rows, in their order, each as the column's kind has it and empty where a row has none, so that the nth entries of all columns of a table are one row; null where the document does not say.",
      ),
    unit: z.string().nullable(),
    confidence: z.number().nullable().describe("0 to 1."),
    page: z.int().nullable().describe("From 1."),
    span: spanSchema.nullable(),
    note: z
      .string()
      .optional()
      .describe(
        "What the document leaves open, such as whether day or month stands first in 05/03/2024; confidence allows for it.",
      ),
    is_label: z
      .boolean()
      .optional()
      .describe(
        "True where it is a label: somebody said so. Page and span are there where the same was read.",
      ),
  })
  .meta({ id: "DocumentAnswer" });

/** Of one document; absent where there is nothing to say. */
export const fileWarnings = z
  .array(z.string())
  .optional()
  .describe(
    "What to know of its answers, such as that the file seems to hold several documents, of which the first is answered.",
  );

export const rowSchema = z
  .object({
    document_id: z.uuid(),
    name: z.string(),
    columns: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .optional()
      .describe("As the request gave them."),
    answers: z.record(z.string(), answerSchema).describe("By the ids of the questions."),
    error_message: z.string().optional().describe("Why the document could not be read."),
    warnings: fileWarnings,
  })
  .meta({ id: "ExtractedRow" });

export type DocumentAnswer = z.infer<typeof answerSchema>;
export interface ExtractedRow {
  readonly document_id: string;
  readonly name: string;
  readonly columns?: Readonly<Record<string, ExtraValue>>;
  readonly answers: Readonly<Record<string, DocumentAnswer>>;
  readonly error_message?: string;
  readonly warnings?: string[];
}

const NOT_STATED: DocumentAnswer = {
  value: null,
  unit: null,
  confidence: null,
  page: null,
  span: null,
};

export interface ReadDocument {
  readonly name: string;
  /** Null where the document could not be read. */
  readonly answers: Answers | null;
  readonly warnings?: readonly string[];
  readonly error: string;
}

/** @param questions ids, in the order of the schema */
export function rowOf(
  requested: RequestedRow,
  questions: readonly string[],
  { name, answers, warnings = [], error }: ReadDocument,
): ExtractedRow {
  return {
    document_id: requested.document_id,
    name,
    ...(requested.columns && { columns: requested.columns }),
    answers: Object.fromEntries(questions.map((id) => [id, answerOf(answers ?? {}, id)])),
    ...(answers === null && { error_message: error }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** What people said in place of what was read; labels of questions that are asked no more are none. */
export function withLabels(row: ExtractedRow, labels: readonly Label[]): ExtractedRow {
  const said = labels.flatMap(({ question, value, unit: given = null }) => {
    const answer = row.answers[question];
    if (answer === undefined) return [];
    const unit = given ?? answer.unit;
    const isRead = answer.value === value && answer.unit === unit;
    const evidence = isRead ? answer : NOT_STATED;
    return [[question, { ...evidence, unit, value, confidence: 1, is_label: true }]];
  });
  return { ...row, answers: { ...row.answers, ...Object.fromEntries(said) } };
}

const answerOf = (answers: Answers, id: string): DocumentAnswer =>
  (Object.hasOwn(answers, id) ? answers[id] : null) ?? NOT_STATED;

/** The rows as the text of a JSON array, piece by piece. */
export function* rowsJson(rows: Iterable<ExtractedRow>): Generator<Uint8Array> {
  let open = "[";
  for (const row of rows) {
    yield Buffer.from(`${open}${JSON.stringify(row)}`);
    open = ",\n";
  }
  yield Buffer.from(open === "[" ? "[]" : "]");
}
