/** What is said of gains and thresholds, on the report's page and elsewhere. */

import type { GainsSection, ThresholdsSection } from "../decision-document.ts";
import { figure, percent, plural, shortened, whole } from "./format.ts";

/** Heads of a table and its rows; the first cell of each row is its head. */
export interface WordTable {
  readonly heads: string[];
  readonly rows: string[][];
}

/** As it may be typed again, unless it was tuned to a number of many digits. */
function thresholdText(threshold: number): string {
  const exact = String(threshold);
  return exact.length <= 9 ? exact : figure(threshold);
}

export function gainsSays({ of, groups, prevalence }: GainsSection, rows: string): string {
  const [first] = groups;
  return `Of the class ${shortened(of, 60)}, by descending probability. The first ${percent(first.share)} of the ${rows} hold ${percent(first.gain)} of it; at random they would hold ${percent(first.share)}, the dashed line. No order could be above the other line, since ${percent(prevalence)} of the ${rows} are of the class.`;
}

export function liftSays({ of, groups }: GainsSection, rows: string): string {
  return `How often ${shortened(of, 60)} is true in ${plural(groups.length, "group")} of ${rows} by descending probability, over how often it is in all: on the dashed line, 1, a group is like all ${rows}. Lines are 95 % intervals. Equal probabilities are in one group.`;
}

export function gainsTable({ groups, prevalence }: GainsSection, rows: string): WordTable {
  return {
    heads: [
      "Probability from",
      rows,
      "Of the class",
      "95 % interval",
      "Lift",
      `Share of ${rows.toLowerCase()} so far`,
      "Share of the class so far",
      "Lift so far",
    ],
    rows: groups.map(({ threshold, rows: count, rate, low, high, lift, share, gain }) => [
      thresholdText(threshold),
      whole(count),
      percent(rate),
      `${percent(low)} … ${percent(high)}`,
      figure(lift),
      percent(share),
      percent(gain),
      share > 0 && prevalence > 0 ? figure(gain / share) : "–",
    ]),
  };
}

const MEASURES = { f1: "F1", youden: "recall less false-positive rate" } as const;

export function thresholdsSays({ of, best, own }: ThresholdsSection): string {
  const named = best.map(({ by, threshold, value, apart }) =>
    threshold === null
      ? `No threshold is better by ${MEASURES[by]} than saying it of no row.`
      : `${figure(value)} is the highest ${MEASURES[by]}, at ${thresholdText(threshold)}; by thresholds that were chosen without each row it is ${figure(apart)}.`,
  );
  return `What saying ${shortened(of, 60)} from a probability upwards does, on rows that were held out. The model's own threshold is ${thresholdText(own)}. ${named.join(" ")}`;
}

export function thresholdsTable(
  { thresholds, best, own }: ThresholdsSection,
  rows: string,
): WordTable {
  const noteOf = (threshold: number, count: number): string =>
    [
      ...(threshold === own ? ["the model's own"] : []),
      ...best.flatMap(({ by, rows: flagged, threshold: at }) =>
        at !== null && flagged === count
          ? [`best ${by === "f1" ? "F1" : "by Youden's index"}`]
          : [],
      ),
    ].join(", ");
  return {
    heads: [
      "Probability from",
      "Which",
      `Flagged ${rows}`,
      "Share flagged",
      "Precision",
      "Recall",
      "False-positive rate",
      "F1",
    ],
    rows: thresholds.map((at) => [
      thresholdText(at.threshold),
      noteOf(at.threshold, at.rows),
      whole(at.rows),
      percent(at.flagged),
      at.precision === null ? "–" : percent(at.precision),
      percent(at.recall),
      percent(at.falsePositiveRate),
      figure(at.f1),
    ]),
  };
}

export const COSTS_SAY =
  "Where a missed row of the class costs as much as so many false alarms: the threshold of least cost, and the mean cost of a row in false alarms, measured by thresholds that were chosen without it, beside that of flagging all rows or none.";

export function costsTable({ costs }: ThresholdsSection): WordTable {
  return {
    heads: [
      "A miss costs",
      "Best threshold",
      "Share flagged",
      "Cost of a row",
      "Without the model",
      "Saved",
    ],
    rows: costs.map(({ missCost, threshold, flagged, cost, constantCost }) => [
      figure(missCost),
      threshold === null ? "flag none" : threshold === 0 ? "flag all" : thresholdText(threshold),
      percent(flagged),
      figure(cost),
      figure(constantCost),
      constantCost > 0 ? percent(1 - cost / constantCost) : "–",
    ]),
  };
}
