/** How a file of delimited text is written, as a query's process finds out. */

import type { SampledColumn } from "@distillery/engine/csv";
import { z } from "zod";

/** What is known of a file of delimited text, and what is to be found out. */
export interface CsvLook {
  /** Null = to be found out. */
  readonly delimiter: string | null;
  /** Empty = none; null = to be found out. */
  readonly comment: string | null;
  /** Null = to be found out. */
  readonly encoding: string | null;
  readonly hasHeader: boolean;
  /** Rows that the columns' forms are told from; 0 = none is. */
  readonly sampleRows: number;
}

const sampledValueSchema = z.object({ text: z.string(), row: z.number().int() });
const markedNumbersSchema = z.object({ first: sampledValueSchema, cells: z.number().int() });
const sampledColumnSchema: z.ZodType<SampledColumn> = z.object({
  form: z
    .discriminatedUnion("kind", [
      z.object({
        kind: z.literal("comma-number"),
        doubt: markedNumbersSchema.extend({ among: z.enum(["column", "file"]) }).nullable(),
      }),
      z.object({
        kind: z.enum(["date", "timestamp"]),
        monthFirst: z.boolean(),
        dayFirst: z.boolean(),
        first: sampledValueSchema,
      }),
    ])
    .nullable(),
  contrary: z.object({ dayFirst: sampledValueSchema, monthFirst: sampledValueSchema }).nullable(),
  marks: z.object({
    comma: markedNumbersSchema.nullable(),
    point: markedNumbersSchema.nullable(),
  }),
  numbers: z
    .object({
      values: z.number().int(),
      others: z.number().int(),
      other: sampledValueSchema.nullable(),
      code: sampledValueSchema.nullable(),
      lost: sampledValueSchema.nullable(),
      wholeDigits: z.number().int(),
    })
    .nullable(),
  fine: sampledValueSchema.nullable(),
  far: sampledValueSchema.nullable(),
});

export const csvSchema = z.object({
  kind: z.literal("csv"),
  /** By the Encoding Standard's name. */
  encoding: z.string(),
  delimiter: z.string(),
  /** Whether the file was written anew: with tabs for runs of blanks, with a place for the name of the rows' names, or without empty lines before the header. */
  isChanged: z.boolean(),
  comment: z.string(),
  /** Whether the first line declares the delimiter. */
  isDeclared: z.boolean(),
  /** Where a sample was asked for. */
  columns: z.array(sampledColumnSchema).readonly(),
  /** What is wrong with the first record of the sample that is damaged. */
  fault: z.string().nullable(),
});
export type CsvFile = z.output<typeof csvSchema>;
