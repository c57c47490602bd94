/** How far a document job is, and how long it may still take. */

import type { Platform } from "../../platform.ts";
import { type JobKind, saveProgress } from "./store.ts";

export const PHASES = [
  "new",
  /** Documents of it are still parsed; it has not begun. */
  "waiting",
  "reading",
  "proposing",
  "gating",
  "wording",
  "extracting",
  "saving",
  "done",
] as const;
export type Phase = (typeof PHASES)[number];

export interface JobProgress {
  readonly phase: Phase;
  /** Documents or questions of the phase. */
  readonly done: number;
  readonly total: number;
  /** Since the job began. */
  readonly seconds: number;
  /** Seconds left; null while unknown. */
  readonly estimate: number | null;
}

/** Which share of a job's time each phase takes, about. */
const SHARES: Readonly<Record<JobKind, readonly (readonly [Phase, number])[]>> = {
  induction: [
    ["reading", 0.2],
    ["proposing", 0.45],
    ["gating", 0.25],
    ["wording", 0.05],
    ["saving", 0.05],
  ],
  extraction: [
    ["reading", 0.1],
    ["extracting", 0.8],
    ["saving", 0.1],
  ],
};

/** The first shares are the machine's warming up, and tell little. */
const LEAST_SHARE = 0.05;

/** Seconds left, by how long the shares so far have taken. */
export function secondsLeft(
  kind: JobKind,
  phase: Phase,
  done: number,
  total: number,
  seconds: number,
): number | null {
  if (phase === "done") return 0;
  const shares = SHARES[kind];
  const at = shares.findIndex(([name]) => name === phase);
  const current = shares[at];
  if (current === undefined) return null;
  const before = shares.slice(0, at).reduce((sum, [, share]) => sum + share, 0);
  const fraction = before + current[1] * (total > 0 ? Math.min(1, done / total) : 0);
  if (fraction < LEAST_SHARE) return null;
  return Math.round(((seconds * (1 - fraction)) / fraction) * 10) / 10;
}

const INTERVAL_MS = 250;

/** Saves progress a few times a second at most; each new phase always. */
export class ProgressWriter {
  readonly #platform: Platform;
  readonly #job: { readonly id: string; readonly kind: JobKind };
  readonly #startedAt: number;
  #last = 0;
  #phase: Phase = "new";
  #writing: Promise<void> = Promise.resolve();

  constructor(
    platform: Platform,
    job: { readonly id: string; readonly kind: JobKind; readonly started_at: Date | null },
  ) {
    this.#platform = platform;
    this.#job = job;
    this.#startedAt = job.started_at?.getTime() ?? Date.now();
  }

  at(phase: Phase, done: number, total: number): void {
    const now = Date.now();
    if (phase === this.#phase && now - this.#last < INTERVAL_MS) return;
    this.#phase = phase;
    this.#last = now;
    const seconds = (now - this.#startedAt) / 1000;
    const estimate = secondsLeft(this.#job.kind, phase, done, total, seconds);
    const progress: JobProgress = {
      phase,
      done,
      total,
      seconds: Math.round(seconds * 1000) / 1000,
      estimate,
    };
    this.#writing = this.#writing
      .then(() => this.#platform.db.systemQuery((sql) => saveProgress(sql, this.#job.id, progress)))
      .catch((error: unknown) => {
        // Progress is for people who look; what counts is the result.
        this.#platform.log.warn({ err: error, job: this.#job.id }, "progress was not saved");
      });
  }

  /** Resolves when all that was said so far is saved. */
  async flush(): Promise<void> {
    await this.#writing;
  }
}
