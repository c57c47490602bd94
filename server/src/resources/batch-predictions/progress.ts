/** How far a batch prediction is, and how long it may still take. */

import type { JobScene } from "../jobs/kind.ts";
import { Pace } from "../jobs/pace.ts";
import type { ProgressWriter } from "../jobs/progress-writer.ts";
import type { BatchProgress } from "./job.ts";

export class RowProgress {
  readonly #writer: ProgressWriter<BatchProgress | null>;
  readonly #elapsed: () => number;
  #phase: BatchProgress["phase"] = "reading";
  #total = 0;
  #done = 0;
  /** Since this attempt began to predict; null before. */
  #pace: Pace | null = null;

  constructor({ progress, elapsed }: Pick<JobScene<BatchProgress | null>, "progress" | "elapsed">) {
    this.#writer = progress;
    this.#elapsed = elapsed;
  }

  at(phase: BatchProgress["phase"]): void {
    this.#phase = phase;
    this.#save();
  }

  /** @param done rows that an earlier attempt has predicted */
  predicts(total: number, done: number): void {
    this.#total = total;
    this.#done = done;
    this.#pace = new Pace(done);
    this.at("predicting");
  }

  predicted(rows: number): void {
    this.#done += rows;
    this.#save();
  }

  #save(): void {
    this.#writer.at(this.#phase, () => this.#now());
  }

  #now(): BatchProgress {
    const seconds = this.#elapsed();
    const rate = this.#pace?.perSecond(this.#done) ?? null;
    const left = this.#pace?.left(this.#done, this.#total) ?? null;
    return {
      phase: this.#phase,
      rows_done: this.#done,
      rows_total: this.#total,
      rows_per_second: rate === null ? null : Math.round(rate),
      seconds: Math.round(seconds * 1000) / 1000,
      estimate: this.#phase === "done" ? 0 : left,
    };
  }
}
