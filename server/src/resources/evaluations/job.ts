/** The evaluation as its job's row has it. */

import type { Evaluation } from "@distillery/engine";
import type { JobRow } from "../jobs/job.ts";
import type { JobArea } from "../jobs/kind.ts";

export const evaluationArea: JobArea = {
  read: "models:read",
  write: "models:write",
  aJob: "an evaluation",
  folder: "evaluations",
};

export interface EvaluationRequestRecord {
  readonly dataset_id: string;
  readonly metrics: readonly string[] | null;
  readonly slices: readonly string[];
  readonly random_state: number;
}

export const EVALUATION_PHASES = [
  "new",
  "loading",
  "predicting",
  "evaluating",
  "writing",
  "done",
] as const;
export type EvaluationPhase = (typeof EVALUATION_PHASES)[number];

export interface EvaluationProgressRecord {
  readonly phase: EvaluationPhase;
  readonly seconds: number;
  /** Absent of those that an earlier version kept, as is `estimate`. */
  readonly done?: number;
  readonly total?: number;
  readonly estimate?: number | null;
}

export interface EvaluationJobRow extends JobRow {
  readonly kind: "evaluation";
  readonly request: EvaluationRequestRecord;
  readonly details: {
    /** The first is the one that the others are compared with. */
    readonly models: readonly {
      readonly model_id: string;
      /** As it was asked for. */
      readonly model: string;
    }[];
    readonly dataset_name: string;
  };
  readonly progress: EvaluationProgressRecord | null;
  /** Without the figures, which are in the report. */
  readonly result:
    | (Omit<Evaluation, "models"> & {
        readonly models: readonly Omit<Evaluation["models"][number], "figures">[];
      })
    | null;
}
