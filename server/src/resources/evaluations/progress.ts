/** How far an evaluation is, and how long its phase may still take. */

import type { EvaluationProgress, EvaluationStage } from "@distillery/engine";
import type { JobScene } from "../jobs/kind.ts";
import { Pace } from "../jobs/pace.ts";
import type { ProgressWriter } from "../jobs/progress-writer.ts";
import type { EvaluationPhase, EvaluationProgressRecord } from "./job.ts";

const PHASE_OF: Readonly<Record<EvaluationStage, EvaluationPhase>> = {
  reading: "loading",
  predicting: "predicting",
  resampling: "evaluating",
};

export class PhaseProgress {
  readonly #writer: ProgressWriter<EvaluationProgressRecord | null>;
  readonly #elapsed: () => number;
  #phase: EvaluationPhase = "new";
  /** Since the phase was first seen. */
  #pace = new Pace(0);

  constructor({
    progress,
    elapsed,
  }: Pick<JobScene<EvaluationProgressRecord | null>, "progress" | "elapsed">) {
    this.#writer = progress;
    this.#elapsed = elapsed;
  }

  at(phase: EvaluationPhase, done = 0, total = 0): void {
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#pace = new Pace(done);
    }
    this.#writer.at(phase, () => ({
      phase,
      done,
      total,
      seconds: Math.round(this.#elapsed() * 1000) / 1000,
      estimate: phase === "done" ? 0 : this.#pace.left(done, total),
    }));
  }

  /** What the thread says of its stage. */
  follow({ stage, done, total }: EvaluationProgress): void {
    this.at(PHASE_OF[stage], done, total);
  }
}
