/** How well each series was forecast, by every metric that is shown. */

import type { Metric } from "../../metrics/index.ts";
import { pickScored, type ScoredRows, toLoss } from "../../metrics/metric.ts";
import type { RunReport } from "../document.ts";

/** Of more series the worst are named. */
const MOST_SERIES = 1000;

/**
 * @param rows out of fold
 * @param names of all series, by number
 * @param metrics the first of them orders the series
 */
export function seriesScores(
  rows: ScoredRows,
  names: readonly string[],
  metrics: readonly Metric[],
): Pick<RunReport, "seriesScores"> {
  const { series } = rows;
  if (!series || rows.target.length === 0) return {};
  const places = new Map<number, number[]>();
  for (const [row, number] of series.series.entries()) {
    const own = places.get(number);
    if (own) own.push(row);
    else places.set(number, [row]);
  }
  const parts = [...places].map(([, own]) => Uint32Array.from(own));
  const picked = parts.map((part) => pickScored(rows, part));
  const scored = metrics.map((metric) =>
    metric.scoreParts
      ? metric.scoreParts(rows, parts, picked)
      : picked.map((each) => metric.score(each)),
  );
  const each = [...places].map(([number, own], part) => ({
    name: names[number],
    count: rows.weights ? own.filter((row) => (rows.weights?.[row] ?? 1) > 0).length : own.length,
    scores: Object.fromEntries(
      metrics.map(({ name }, m) => [
        name,
        Number.isFinite(scored[m][part]) ? scored[m][part] : null,
      ]),
    ),
  }));
  const [first] = metrics;
  const loss = ({ scores }: (typeof each)[number]): number => {
    const score = scores[first.name];
    return score === null ? Number.NEGATIVE_INFINITY : toLoss(first, score);
  };
  const worst = each.sort((a, b) => loss(b) - loss(a)).slice(0, MOST_SERIES);
  return { seriesScores: { leftOut: each.length - worst.length, series: worst } };
}
