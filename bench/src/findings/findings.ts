/** What a bench has found: figures of ours, most beside those of another library or beside what is asked for. */

/** What stands beside a figure that a target was set for. */
export const ASKED_FOR = "asked for";

export interface Finding {
  readonly part: string;
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  /** A library with its version, or what is asked for; null: ours stands alone. */
  readonly against: string | null;
  readonly theirs: number | null;
  /** How many times better ours is, above 1 whichever way the unit counts; null where it stands alone. */
  readonly ratio: number | null;
}

export interface Comparison {
  readonly what: string;
  readonly unit: string;
  /** Whether a smaller figure is the better one, as of seconds and losses, or a larger one, as of rates. */
  readonly better: "smaller" | "larger";
  readonly ours: number;
  readonly against: string;
  readonly theirs: number;
}

/** Of one part of the bench. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #part: string;

  constructor(part: string) {
    this.#part = part;
  }

  /** Figures that are not there, as of a library that failed, are left out. */
  compare({ what, unit, better, ours, against, theirs }: Comparison): void {
    if (!Number.isFinite(ours) || !Number.isFinite(theirs)) return;
    const ratio = better === "smaller" ? theirs / ours : ours / theirs;
    if (!Number.isFinite(ratio)) return;
    this.all.push({ part: this.#part, what, unit, ours, against, theirs, ratio });
  }

  note(what: string, unit: string, ours: number): void {
    if (!Number.isFinite(ours)) return;
    const alone = { against: null, theirs: null, ratio: null };
    this.all.push({ part: this.#part, what, unit, ours, ...alone });
  }
}

/** Of the ratios of one thing over several data sets. */
export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
