/** Counted rows beside a model's reference, in figures. */

import {
  type Distribution,
  type DriftReference,
  lengthOfCounts,
  placesOf,
  rowsNeeded,
  SHIFT_LIMITS,
  stabilityIndex,
} from "@distillery/engine";

export const DRIFT_LEVELS = ["none", "moderate", "large", "too_few_rows", "not_compared"] as const;
export type DriftLevel = (typeof DRIFT_LEVELS)[number];

/** One bin, in training and now. */
export interface ComparedBin {
  /** Of numbers: the greatest in it; null: there is no bound. */
  readonly upTo: number | null;
  /** Of categories: the one that it is of; null: all others. */
  readonly value: string | null;
  /** Shares of rows; null where there are none. */
  readonly share: number | null;
  readonly inTraining: number | null;
}

/** One column, or one side of the predictions, in training and now. */
export interface ComparedDistribution {
  readonly name: string;
  readonly kind: Distribution["kind"];
  readonly level: DriftLevel;
  /** Null where there are no rows on one side, and of times. */
  readonly psi: number | null;
  /** From which on the index is judged; null: the rows of the training data are too few. */
  readonly rowsNeeded: number | null;
  /** Shares of rows; null where there are none. */
  readonly missing: number | null;
  readonly missingInTraining: number | null;
  /** Shares of values that are there. */
  readonly outside: number | null;
  readonly outsideInTraining: number | null;
  /** Beside them, rows are missing. */
  readonly bins: readonly ComparedBin[];
}

export interface Compared {
  readonly rows: number;
  /** The worst of all. */
  readonly level: DriftLevel;
  readonly columns: readonly ComparedDistribution[];
  readonly predictions: readonly ComparedDistribution[];
}

/** @param counts as the engine's `DriftCounter` makes them; empty = no rows */
export function compareWithReference(
  reference: DriftReference,
  counts: readonly number[],
): Compared {
  const now = counts.length > 0 ? counts : new Array<number>(lengthOfCounts(reference)).fill(0);
  let at = 1;
  const next = (of: Distribution): ComparedDistribution => {
    const own = now.slice(at, at + placesOf(of));
    at += placesOf(of);
    return compared(of, own);
  };
  const columns = reference.columns.map(next);
  const predictions = reference.predictions.map(next);
  const levels = new Set([...columns, ...predictions].map(({ level }) => level));
  const order = ["large", "moderate", "none", "too_few_rows"] as const;
  const level = order.find((each) => levels.has(each)) ?? "not_compared";
  return { rows: now[0] ?? 0, level, columns, predictions };
}

function compared(of: Distribution, now: readonly number[]): ComparedDistribution {
  const bins = of.counts.length;
  // Missing values are a bin of their own, so that a column which goes missing has drifted.
  const before = [...of.counts, of.missing];
  const after = now.slice(0, bins + 1);
  const [rowsBefore, rows] = [sum(before), sum(after)];
  // Time goes on: every table of tomorrow would have drifted.
  const psi = of.kind === "timestamp" ? null : stabilityIndex(before, after);
  const used = before.filter((count, bin) => count + (after[bin] ?? 0) > 0).length;
  const needed = rowsNeeded(used, rowsBefore);
  const share = (part: number, all: number): number | null => (all === 0 ? null : part / all);
  const [missing = 0, outside = 0] = now.slice(bins);
  return {
    name: of.name,
    kind: of.kind,
    level: levelOf(of, psi, needed === null || rows < needed),
    psi,
    rowsNeeded: needed,
    missing: share(missing, rows),
    missingInTraining: share(of.missing, rowsBefore),
    outside: share(outside, rows - missing),
    outsideInTraining: share(of.outside, rowsBefore - of.missing),
    bins: of.counts.map((count, bin) => ({
      upTo: ("edges" in of ? of.edges[bin] : null) ?? null,
      value: ("values" in of ? of.values[bin] : null) ?? null,
      share: share(now[bin] ?? 0, rows),
      inTraining: share(count, rowsBefore),
    })),
  };
}

function levelOf({ kind }: Distribution, psi: number | null, isTooFew: boolean): DriftLevel {
  if (kind === "timestamp") return "not_compared";
  if (psi === null || isTooFew) return "too_few_rows";
  if (psi >= SHIFT_LIMITS.large) return "large";
  return psi >= SHIFT_LIMITS.moderate ? "moderate" : "none";
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
