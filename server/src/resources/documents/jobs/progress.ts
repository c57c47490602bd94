/** How far a document job is, and how long it may still take. */

import type { JobScene } from "../../jobs/kind.ts";
import type { ProgressWriter } from "../../jobs/progress-writer.ts";

type DocumentJobKind = "induction" | "extraction";

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
const SHARES: Readonly<Record<DocumentJobKind, readonly (readonly [Phase, number])[]>> = {
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
  kind: DocumentJobKind,
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

/** What a run says of its phases, with the time that is left. */
export class PhaseProgress {
  readonly #writer: ProgressWriter<JobProgress | null>;
  readonly #kind: DocumentJobKind;
  readonly #elapsed: () => number;
  /** The job's age where this attempt began: what ended attempts did is done again. */
  readonly #before: number;

  constructor(
    { progress, elapsed }: Pick<JobScene<JobProgress | null>, "progress" | "elapsed">,
    { kind }: { readonly kind: DocumentJobKind },
  ) {
    this.#writer = progress;
    this.#kind = kind;
    this.#elapsed = elapsed;
    this.#before = elapsed();
  }

  at(phase: Phase, done: number, total: number): void {
    this.#writer.at(phase, () => {
      const seconds = this.#elapsed();
      const here = seconds - this.#before;
      return {
        phase,
        done,
        total,
        seconds: Math.round(seconds * 1000) / 1000,
        estimate: secondsLeft(this.#kind, phase, done, total, here),
      };
    });
  }
}
