/** What the service and a process that reads tables say to each other. */

import type { Inspection, PlanInput, RunPlan, UploadedFile } from "@distillery/engine";
import type { RowsInput, ShownRows, StoreInput } from "@distillery/engine/reading";
import { z } from "zod";

/** What a table's file is read for. */
export type ReadingTask =
  | { readonly kind: "inspect"; readonly input: UploadedFile }
  /** As `inspect`, with the table written into its own file. */
  | { readonly kind: "store"; readonly input: StoreInput }
  | { readonly kind: "plan"; readonly input: PlanInput }
  | { readonly kind: "rows"; readonly input: RowsInput };

/** The profile as JSON: of a wide table it is some megabytes, which the service need not read. */
export interface StoredInspection extends Omit<Inspection, "profile"> {
  readonly profile: string;
}

export interface ReadingResults {
  readonly inspect: Inspection;
  readonly store: StoredInspection;
  readonly plan: RunPlan;
  readonly rows: ShownRows;
}

/** The result goes before the answer, as JSON in pieces. */
export const readingAnswerSchema = z.object({
  id: z.int(),
  answer: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("done") }),
    z.object({
      kind: z.literal("thrown"),
      thrown: z.object({
        name: z.string(),
        message: z.string(),
        stack: z.string().optional(),
        members: z.record(z.string(), z.unknown()),
      }),
    }),
  ]),
});
export type ReadingAnswer = z.output<typeof readingAnswerSchema>["answer"];

/** Of one frame, either way: a run's configuration may carry what earlier jobs found. */
export const MAX_READING_FRAME_BYTES = 64 << 20;
export const PIECE_BYTES = 1 << 20;
/** Of a result: thousands of columns, each with its profile. */
export const MAX_RESULT_BYTES = 128 << 20;
