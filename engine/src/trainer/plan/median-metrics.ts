/**
 * Labels whose mean and median lie far apart, under a metric that is least at medians (Gneiting, "Making and
 * evaluating point forecasts", JASA 2011): told before the run, since scores do not show that totals are far too
 * low, or that models of means lose to one number.
 */

import { quantile } from "../../data/quantile.ts";
import { TASK_KINDS, type Task, taskType, typeOf } from "../../tasks/index.ts";

const AT_MEDIANS: readonly string[] = [
  "mae",
  "mape",
  "mase",
  "median_absolute_error",
  "smape",
  "wape",
];
/** Of these, the sums of absolute errors of rows that count alike. */
const OF_ABSOLUTE_ERRORS: readonly string[] = ["mae", "wape"];
/** How much more the mean of all labels misses than their median, from which on it is told. */
const CLEARLY_MORE = 1.1;
const FEWEST_VALUES = 30;

interface Labels {
  readonly task: Task;
  /** The name of the first, by which models are chosen. */
  readonly metric: string;
  readonly target: Float64Array;
  /** One a label: 1 where it is there; absent: all are. */
  readonly observed?: Uint8Array | undefined;
}

/** Whether families of values may learn by absolute errors, which the metric is a sum of. */
export function seeksMedians(task: Task, metric: string): boolean {
  const { loss, framing } = typeOf(task);
  return OF_ABSOLUTE_ERRORS.includes(metric) && loss === "squared_error" && framing === null;
}

/** @returns at most one sentence */
export function medianMetricWarnings({ task, metric, target, observed }: Labels): string[] {
  const { loss, framing } = typeOf(task);
  if (!AT_MEDIANS.includes(metric) || loss !== "squared_error") return [];
  const values = observed ? target.filter((_, at) => observed[at] === 1) : target;
  if (values.length < FEWEST_VALUES) return [];
  if (framing?.kind === "series") return ofZeros(metric, values);
  return framing === null ? ofMeans(metric, values) : [];
}

function ofZeros(metric: string, target: Float64Array): string[] {
  const zeros = target.filter((value) => value === 0).length / target.length;
  if (zeros <= 0.5 || zeros === 1) return [];
  return [
    `${(100 * zeros).toFixed(0)} % of the values are 0: by ${metric} forecasts near 0 are the best, and sums of them fall far short of what comes. If totals matter, as of orders and stock, ask for \`rmsse\` as the first of \`metrics\`; forecasts are then of means.`,
  ];
}

function ofMeans(metric: string, target: Float64Array): string[] {
  const mean = target.reduce((sum, value) => sum + value / target.length, 0);
  const median = quantile(target.toSorted(), 0.5);
  const missedBy = (answer: number): number =>
    target.reduce((sum, value) => sum + Math.abs(value - answer), 0);
  const more = missedBy(mean) / missedBy(median);
  if (!(more >= CLEARLY_MORE)) return [];
  const kind = TASK_KINDS.find((each) => taskType(each).loss === "pinball");
  return [
    `The label is skewed, and models learn its mean, while ${metric} is least at medians: the mean of all labels misses them by ${(100 * (more - 1)).toFixed(0)} % more than their median does. A blend's values are moved to medians along one line, where that helps; to train medians themselves, run it as \`${kind}\` with \`quantiles\` [0.5].`,
  ];
}
