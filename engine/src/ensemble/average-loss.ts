/**
 * The loss of a running average with one candidate more, which greedy selection asks for thousands
 * of times. For the metrics that most runs optimise it is computed in one pass over what the metric
 * reads of a prediction; for the others the average is written out and scored.
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import { type LabelledRows, pickRows } from "./labelled-rows.ts";

export interface AverageLoss {
  /** What the loss reads of a candidate's predictions; sums are kept of this. */
  read(predictions: Float64Array): Float64Array;
  /** Whether `of` is the metric, but for rounding; else it only orders averages as the metric would. */
  readonly isExact: boolean;
  /** Loss of (sum + added) / count. */
  of(sum: Float64Array, added: Float64Array, count: number): number;
}

/** Below, the metric itself is quick enough, and its ties are exact. */
const LEAST_ROWS = 512;

export function averageLoss(metric: Metric, rows: LabelledRows): AverageLoss {
  if (rows.target.length < LEAST_ROWS) return scored(metric, rows);
  switch (metric.name) {
    case "log_loss":
      return logLossOfTruth(rows);
    case "rmse":
    case "brier":
      return squared(metric, rows);
    case "mae":
      return absolute(rows);
    case "roc_auc":
      return rows.outputs === 1 ? binnedArea(rows) : scored(metric, rows);
    case "wql":
    case "msis":
    case "coverage_error":
      return rows.target.length > MOST_SORTED ? sampled(metric, rows) : scored(metric, rows);
    default:
      return scored(metric, rows);
  }
}

/** Rows that a metric sorts again for every average. */
const MOST_SORTED = 4000;

/** By the metric itself, of rows at equal distances. */
function sampled(metric: Metric, rows: LabelledRows): AverageLoss {
  const { target, outputs } = rows;
  const places = Uint32Array.from({ length: MOST_SORTED }, (_, i) =>
    Math.floor((i * target.length) / MOST_SORTED),
  );
  const few = scored(metric, pickRows(rows, places));
  return {
    ...few,
    isExact: false,
    read: (candidate) =>
      Float64Array.from(
        { length: places.length * outputs },
        (_, i) => candidate[places[Math.floor(i / outputs)] * outputs + (i % outputs)],
      ),
  };
}

/** By the metric itself. */
export function scored(metric: Metric, rows: LabelledRows): AverageLoss {
  const { target, outputs } = rows;
  const predictions = new Float64Array(target.length * outputs);
  return {
    isExact: true,
    read: (candidate) => candidate,
    of(sum, added, count) {
      for (let i = 0; i < predictions.length; i++) predictions[i] = (sum[i] + added[i]) / count;
      return toLoss(metric, metric.score({ ...rows, predictions }));
    },
  };
}

/** Factors to a logarithm: a product of so many probabilities, none under 2e-16, does not vanish. */
const FACTORS = 16;

/** Only the probability of the true class counts, whatever the number of classes. */
function logLossOfTruth({ target, weights, outputs }: LabelledRows): AverageLoss {
  const total = weights === null ? target.length : weights.reduce((sum, weight) => sum + weight, 0);
  const clipped = (p: number) => Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, p));
  return {
    isExact: true,
    read: (candidate) =>
      target.map((y, i) =>
        outputs > 1 ? candidate[i * outputs + y] : y === 1 ? candidate[i] : 1 - candidate[i],
      ),
    of(sum, added, count) {
      let loss = 0;
      if (weights !== null) {
        for (let i = 0; i < sum.length; i++) {
          if (weights[i] > 0) loss -= weights[i] * Math.log(clipped((sum[i] + added[i]) / count));
        }
        return loss / total;
      }
      let product = 1;
      for (let i = 0; i < sum.length; i++) {
        product *= clipped((sum[i] + added[i]) / count);
        if (i % FACTORS === FACTORS - 1) {
          loss -= Math.log(product);
          product = 1;
        }
      }
      return (loss - Math.log(product)) / total;
    },
  };
}

/** rmse, and the Brier score, which is a mean of squares of all outputs. */
function squared(metric: Metric, { target, weights, outputs }: LabelledRows): AverageLoss {
  const total = weights === null ? target.length : weights.reduce((sum, weight) => sum + weight, 0);
  const truth = new Float64Array(target.length * outputs);
  const weightOf = weights && new Float64Array(truth.length);
  for (let i = 0; i < target.length; i++) {
    for (let k = 0; k < outputs; k++) {
      truth[i * outputs + k] = outputs === 1 ? target[i] : target[i] === k ? 1 : 0;
      if (weightOf && weights) weightOf[i * outputs + k] = weights[i];
    }
  }
  return {
    isExact: true,
    read: (candidate) => candidate,
    of(sum, added, count) {
      let loss = 0;
      for (let i = 0; i < truth.length; i++) {
        const error = (sum[i] + added[i]) / count - truth[i];
        loss += weightOf === null ? error * error : weightOf[i] * error * error;
      }
      return metric.name === "rmse" ? Math.sqrt(loss / total) : loss / total;
    },
  };
}

function absolute({ target, weights }: LabelledRows): AverageLoss {
  const total = weights === null ? target.length : weights.reduce((sum, weight) => sum + weight, 0);
  return {
    isExact: true,
    read: (candidate) => candidate,
    of(sum, added, count) {
      let loss = 0;
      for (let i = 0; i < target.length; i++) {
        const error = Math.abs((sum[i] + added[i]) / count - target[i]);
        loss += weights === null ? error : weights[i] * error;
      }
      return loss / total;
    },
  };
}

/** Bits of a float's fraction that tell bins apart: neighbours differ by 1 in 256. */
const FRACTION_BITS = 8;
/** Exponents from 2^−24 to 2^−1; what is smaller shares the first bin. */
const EXPONENTS = 24;
const HALF_BINS = EXPONENTS << FRACTION_BITS;

/**
 * The area under the ROC curve of binned scores: a pass in place of a sort. Bins are fine near 0 and
 * near 1, where the scores of rare or easy classes lie; rows of one bin count as tied.
 */
function binnedArea({ target, weights }: LabelledRows): AverageLoss {
  const positives = new Float64Array(2 * HALF_BINS);
  const negatives = new Float64Array(2 * HALF_BINS);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  const first = ((127 - EXPONENTS) << FRACTION_BITS) | 0;
  /** Rises with the share, 0 … HALF_BINS − 1 for shares up to one half. */
  const halfBin = (share: number): number => {
    float[0] = share;
    const bin = (bits[0] >>> (23 - FRACTION_BITS)) - first;
    return bin < 0 ? 0 : bin >= HALF_BINS ? HALF_BINS - 1 : bin;
  };
  return {
    isExact: false,
    read: (candidate) => candidate,
    of(sum, added, count) {
      positives.fill(0);
      negatives.fill(0);
      for (let i = 0; i < target.length; i++) {
        const p = (sum[i] + added[i]) / count;
        const bin = p <= 0.5 ? halfBin(p) : 2 * HALF_BINS - 1 - halfBin(1 - p);
        const weight = weights === null ? 1 : weights[i];
        if (target[i] === 1) positives[bin] += weight;
        else negatives[bin] += weight;
      }
      let [area, below, allPositive] = [0, 0, 0];
      for (let bin = 0; bin < positives.length; bin++) {
        area += positives[bin] * (below + negatives[bin] / 2);
        below += negatives[bin];
        allPositive += positives[bin];
      }
      return allPositive > 0 && below > 0 ? -area / allPositive / below : Number.NaN;
    },
  };
}
