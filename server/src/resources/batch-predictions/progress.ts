/** How far a batch prediction is, and how long it may still take. */

import type { JobScene } from "../jobs/kind.ts";
import type { ProgressWriter } from "../jobs/progress-writer.ts";
import type { BatchProgress } from "./job.ts";

export class RowProgress {
  readonly #writer: ProgressWriter<BatchProgress | null>;
  readonly #elapsed: () => number;
  #phase: BatchProgress["phase"] = "reading";
  #total = 0;
  #done = 0;
  /** Since this attempt began to predict, and rows that were done by then. */
  #since: { readonly time: number; readonly done: number } | null = null;

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
    this.#since = { time: Date.now(), done };
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
    const since = this.#since;
    const passed = since === null ? 0 : (Date.now() - since.time) / 1000;
    const rate = since !== null && passed > 0 ? (this.#done - since.done) / passed : 0;
    const left = rate > 0 ? (this.#total - this.#done) / rate : null;
    const isOver = this.#phase === "done";
    return {
      phase: this.#phase,
      rows_done: this.#done,
      rows_total: this.#total,
      rows_per_second: rate > 0 ? Math.round(rate) : null,
      seconds: Math.round(seconds * 1000) / 1000,
      estimate: isOver ? 0 : left === null ? null : Math.round(left * 10) / 10,
    };
  }
}
