/** The training job as its row has it. */

import type { PriorRun, RunProgress } from "@distillery/engine";
import type { JobRow } from "../jobs/job.ts";
import type { JobArea } from "../jobs/kind.ts";
import type { JobConfig } from "./job-config.ts";
import type { TrainerRunRequest } from "./request.ts";

export const trainingArea: JobArea = {
  read: "training:read",
  write: "training:write",
  aJob: "a training job",
  folder: "jobs",
};

export interface FurtherModel {
  readonly id: string;
  readonly name: string;
  readonly scores: readonly (number | null)[];
}

export interface TrainingProgress extends RunProgress {
  /** Why no worker has the device that was asked for; absent where one has, or none was. */
  readonly lacking?: string;
}

export interface TrainingJobRow extends JobRow {
  readonly kind: "training";
  readonly request: TrainerRunRequest;
  readonly details: {
    readonly model_id: string;
    /** The model's name is the job's; kept so that a deleted model still has one here. */
    readonly model_name: string;
    /** The interface's `config`. */
    readonly record: JobConfig;
  };
  readonly progress: TrainingProgress | null;
  readonly result: {
    /** Metric values of the first model, by the order of record.metrics; empty until it is trained. */
    readonly scores: readonly (number | null)[];
    /** The models after the first; empty until they are selected, and without a sweep. */
    readonly further_models: readonly FurtherModel[];
  } | null;
}

/** What a job learns from beside its dataset. */
export interface TrainingInputs {
  readonly warm_start: readonly PriorRun[];
}

export const datasetOf = ({ datasets }: Pick<TrainingJobRow, "datasets">): string => datasets[0]!;
