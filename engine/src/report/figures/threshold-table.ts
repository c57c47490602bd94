/**
 * What a threshold between two classes does: how much it flags, finds and gets right, at thresholds over the whole range,
 * at that of the model, and at those that are best by one measure. What is best is chosen with the rows that it is
 * measured on; so it is measured as well by thresholds that were chosen without the row.
 */

import type { BinaryScores } from "../../metrics/one-vs-rest.ts";
import { bestCut, type Counted, countedFrom, type ScoreCuts } from "./score-cuts.ts";
import { nearestPlace } from "./tenths.ts";

export interface ThresholdRow {
  readonly threshold: number;
  readonly rows: number;
  /** Weighted share of all rows that score at least `threshold`. */
  readonly flagged: number;
  /** Null where none does. */
  readonly precision: number | null;
  readonly recall: number;
  readonly falsePositiveRate: number;
  readonly f1: number;
}

export interface BestThreshold {
  readonly by: "f1" | "youden";
  /** Null: no row is flagged. */
  readonly threshold: number | null;
  /** That score at least so much. */
  readonly rows: number;
  /** F1, or Youden's index. */
  readonly value: number;
  /** The same by thresholds that were chosen without each row. */
  readonly apart: number;
}

export interface CostThreshold {
  /** What a missed row of the class costs, where a false alarm costs 1. */
  readonly missCost: number;
  /** Null: no row is flagged. */
  readonly threshold: number | null;
  readonly flagged: number;
  /** Mean cost of a row, in false alarms, by thresholds that were chosen without it. */
  readonly cost: number;
  /** Mean cost of a row where all are flagged, or none, whichever is less. */
  readonly constantCost: number;
}

export interface ThresholdTable {
  /** Descending by threshold. */
  readonly thresholds: readonly ThresholdRow[];
  readonly best: readonly BestThreshold[];
  readonly costs: readonly CostThreshold[];
}

/** Shares of the rows that thresholds are shown for. */
const FLAGGED: readonly number[] = [
  0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95,
];
const MISS_COSTS: readonly number[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

type CountedRows = Counted & { readonly rows: number };

const f1Of = ({ positives, negatives }: Counted, total: Counted): number =>
  (2 * positives) / (positives + negatives + total.positives);

/** Youden, "Index for rating diagnostic tests", Cancer 1950. */
const youdenOf = ({ positives, negatives }: Counted, total: Counted): number =>
  positives / total.positives - negatives / total.negatives;

const BEST = [
  { by: "f1", of: f1Of },
  { by: "youden", of: youdenOf },
] as const;

/** @param decided the model's own threshold, which is shown beside the others */
export function thresholdTable(
  binary: BinaryScores,
  cut: ScoreCuts,
  decided: number,
): ThresholdTable {
  const { cuts, total } = cut;
  const all = total.positives + total.negatives;
  const rowOf = (threshold: number, above: CountedRows): ThresholdRow => {
    const weight = above.positives + above.negatives;
    return {
      threshold,
      rows: above.rows,
      flagged: weight / all,
      precision: weight > 0 ? above.positives / weight : null,
      recall: above.positives / total.positives,
      falsePositiveRate: above.negatives / total.negatives,
      f1: f1Of(above, total),
    };
  };
  // By their number of rows: thresholds with nothing between them are one.
  const shown = new Map<number, ThresholdRow>();
  const show = (threshold: number, above: CountedRows): void => {
    shown.set(above.rows, rowOf(threshold, above));
  };
  const shares = cuts.map(({ positives, negatives }) => (positives + negatives) / all);
  for (const wanted of FLAGGED) {
    const nearest = cuts[nearestPlace(shares, wanted)];
    show(nearest.threshold, nearest);
  }
  const best = BEST.map(({ by, of }): BestThreshold => {
    const { cut: chosen, apart } = bestCut(cut, of);
    if (chosen) show(chosen.threshold, chosen);
    return {
      by,
      threshold: chosen?.threshold ?? null,
      rows: chosen?.rows ?? 0,
      value: chosen ? of(chosen, total) : 0,
      apart: of(apart, total),
    };
  });
  show(decided, countedFrom(binary, decided));
  return {
    thresholds: [...shown.values()].sort((a, b) => b.threshold - a.threshold),
    best,
    costs: MISS_COSTS.map((missCost) => {
      const costOf = (above: Counted, of: Counted): number =>
        missCost * (of.positives - above.positives) + above.negatives;
      const { cut: chosen, apart } = bestCut(cut, (above, of) => -costOf(above, of));
      return {
        missCost,
        threshold: chosen?.threshold ?? null,
        flagged: chosen ? (chosen.positives + chosen.negatives) / all : 0,
        cost: costOf(apart, total) / all,
        constantCost: Math.min(missCost * total.positives, total.negatives) / all,
      };
    }),
  };
}
