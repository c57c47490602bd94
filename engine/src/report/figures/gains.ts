/**
 * Rows in the order of their scores: how many of a class are among the first (cumulative gains), and by how much
 * that is more than among as many drawn at random (lift). Equal scores are never parted, so what is said of a
 * group can be had again by its threshold.
 */

import { wilson } from "../../metrics/wilson.ts";
import type { Cut, ScoreCuts } from "./score-cuts.ts";
import { tenthEnds } from "./tenths.ts";
import { type CurvePoint, thinned } from "./threshold-curves.ts";

export interface GainsGroup {
  /** Its rows score at least so much, and less than those of the group before. */
  readonly threshold: number;
  readonly rows: number;
  /** Weighted share of its rows that are of the class, with Wilson's 95 % interval. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** `rate` over that of all rows. */
  readonly lift: number;
  /** Down to its end, as weighted shares: of all rows, and of those of the class. */
  readonly share: number;
  readonly gain: number;
}

export interface Gains {
  /** Up to ten of about equally many rows, the highest scores first. */
  readonly groups: readonly GainsGroup[];
  /** Share of the rows → share of those of the class among them, from (0, 0) to (1, 1). */
  readonly curve: readonly CurvePoint[];
  /** Weighted share of the class. */
  readonly prevalence: number;
}

export function gains({ cuts, total }: ScoreCuts): Gains {
  const all = total.positives + total.negatives;
  const prevalence = total.positives / all;
  const shareOf = ({ positives, negatives }: Cut): number => (positives + negatives) / all;
  const curve = cuts.map((cut): CurvePoint => [shareOf(cut), cut.positives / total.positives]);
  const groups: GainsGroup[] = [];
  let before = { rows: 0, positives: 0, negatives: 0 };
  for (const end of tenthEnds(cuts.map(shareOf))) {
    const cut = cuts[end];
    const weight = cut.positives + cut.negatives - before.positives - before.negatives;
    const rows = cut.rows - before.rows;
    const rate = weight > 0 ? (cut.positives - before.positives) / weight : 0;
    groups.push({
      threshold: cut.threshold,
      rows,
      rate,
      ...wilson(rate, rows),
      lift: rate / prevalence,
      share: shareOf(cut),
      gain: cut.positives / total.positives,
    });
    before = cut;
  }
  return { groups, curve: thinned([[0, 0], ...curve]), prevalence };
}
