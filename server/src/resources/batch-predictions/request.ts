/** What a batch prediction is asked for. */

import { HIGHEST_LEVEL, LOWEST_LEVEL } from "@distillery/engine";
import { z } from "zod";
import { OUTPUT_FORMATS } from "../../platform/compute/scoring/formats/index.ts";
import { displayName } from "../../platform/input/display-name.ts";
import { encodingField } from "../datasets/encoding.ts";
import { modelReferenceSchema } from "../models/model-id.ts";
import { sqlParameters, sqlText } from "../queries/request.ts";

const name = displayName();

const sourceSchema = z
  .strictObject({
    dataset_id: z.uuid().optional(),
    table: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe("A table's full name, or its name in SQL, as for a dataset."),
    sql: sqlText.optional(),
    parameters: sqlParameters.unwrap().optional(),
  })
  .superRefine(({ dataset_id, table, sql, parameters }, ctx) => {
    const given = [dataset_id, table, sql].filter((each) => each !== undefined);
    if (given.length !== 1) {
      const message = `exactly one of dataset_id, table and sql must be given, not ${given.length}`;
      ctx.addIssue({ code: "custom", message });
    } else if (parameters !== undefined && sql === undefined) {
      ctx.addIssue({ code: "custom", message: "parameters belong to sql", path: ["parameters"] });
    }
  })
  .describe(
    "The rows: a dataset, or those of a table or a query as they are when the job begins. Absent: a forecasting model forecasts every series of its training data.",
  );

const coverage = z.number().min(LOWEST_LEVEL).max(HIGHEST_LEVEL);

const options = {
  format: z.enum(OUTPUT_FORMATS).default("parquet").describe("`arrow` is an IPC stream."),
  columns: z
    .array(z.string().min(1))
    .max(10_000)
    .nullish()
    .describe("Columns of the rows that stand before the predictions. Default: all; `[]`: none."),
  prefix: z
    .string()
    .max(50)
    .default("")
    .describe("Stands before the name of each column of predictions."),
  register_dataset: name.nullish().describe("Registers the output as a dataset of this name, too."),
};

const intervals = z
  .union([z.boolean(), coverage])
  .default(false)
  .describe(
    "Whether intervals are columns too (`prediction_lower`, `prediction_upper`), or for classes the set of those that may be true (`prediction_set`, a JSON list); a number is their coverage.",
  );
const contributions = z
  .boolean()
  .default(false)
  .describe("Whether the contribution of each column to each prediction is a column too.");
const onError = z
  .enum(["fail", "null"])
  .default("fail")
  .describe(
    "What becomes of a row with a cell that the model cannot read, such as a text in a column of numbers: the job fails and names row and column, or the row has no prediction and says why in `prediction_error`.",
  );

export const batchRequestSchema = z
  .strictObject({
    model_id: modelReferenceSchema,
    source: sourceSchema.optional(),
    output: z.strictObject(options).prefault({}).describe("What becomes of the predictions."),
    intervals,
    contributions,
    on_error: onError,
    name: name.optional(),
  })
  .meta({ id: "BatchPredictionRequest" });

export type BatchPredictionRequest = z.output<typeof batchRequestSchema>;

const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");

/** A quoted name, or what stands up to the next comma; between them alone, a comma. */
const LISTED = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;

const columnList = z.string().transform((text, ctx) => {
  const names: string[] = [];
  LISTED.lastIndex = 0;
  for (let comma = ","; comma === ","; ) {
    const [, quoted, plain = "", end = ""] = LISTED.exec(text) ?? [null, undefined, "", null];
    if (end === null) {
      const message = "a name in double quotes must be closed, followed by a comma or the end";
      ctx.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    const name = quoted?.replaceAll('""', '"') ?? plain.trim();
    if (name !== "") names.push(name);
    comma = end;
  }
  return names;
});

/** The same beside a file, whose rows they are. */
export const batchFileQuery = z.strictObject({
  model_id: modelReferenceSchema.optional().describe("Of the model; required beside a file."),
  format: options.format.optional().describe("Of the output; default parquet."),
  columns: columnList
    .optional()
    .describe(
      'Columns of the file that stand before the predictions, separated by commas; one with a comma in its name in double quotes, as in CSV: `a,"b, c"`.',
    ),
  prefix: options.prefix.optional().describe("Stands before the names of prediction columns."),
  register_dataset: name
    .optional()
    .describe("Registers the output as a dataset of this name, too."),
  intervals: flag.describe("As in the JSON body."),
  coverage: coverage.optional().describe("Of the intervals."),
  contributions: flag,
  on_error: onError,
  name: name.optional(),
  encoding: encodingField,
});

export type BatchFileQuery = z.output<typeof batchFileQuery>;
