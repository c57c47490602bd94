/**
 * How true a student is to its teacher, on rows that the student did not learn.
 *
 * The share of the teacher's lift that is kept: with L the loss by the run's first metric against
 * the true labels, (L(baseline) - L(student)) / (L(baseline) - L(teacher)), the baseline being a
 * linear model. Its interval is the percentile bootstrap over rows, all three scored on the same
 * draws (Efron & Tibshirani 1993, ch. 13).
 */

import { CounterRandom, type RandomKey } from "../compute/random.ts";
import { quantile } from "../data/quantile.ts";
import { type Metric, toLoss } from "../metrics/index.ts";
import { hasClasses, outputCount, type Task } from "../tasks/index.ts";

export interface FidelityInput {
  readonly task: Task;
  /** Numbers of the rows in the table; of sequences, among all. */
  readonly rows: Uint32Array;
  /** The true labels of the rows. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  /** Row-major, rows × outputs, as are the teacher's and the baseline's. */
  readonly student: Float64Array;
  readonly teacher: Float64Array;
  readonly baseline: Float64Array;
  readonly metric: Metric;
  readonly key: RandomKey;
}

export interface LiftKept {
  readonly share: number;
  /** Bounds of the central 95 % of the bootstrap. */
  readonly low: number;
  readonly high: number;
}

/** A row of which student and teacher say different things. */
export interface Disagreement {
  /** Its number in the table, from 0; of sequences, among all. */
  readonly row: number;
  /** The true value, or the index of the true class. */
  readonly target: number;
  /** The value, or the probabilities of the classes (of two, of the second). */
  readonly student: readonly number[];
  readonly teacher: readonly number[];
}

export interface Fidelity {
  readonly rows: number;
  /** Pearson correlation of student and teacher over all outputs; null where one is constant. */
  readonly correlation: number | null;
  /** Root of the mean squared difference to the teacher: in the label's units, or of probabilities. */
  readonly difference: number;
  /** Share of rows where both decide for the same class; null for regression. */
  readonly agreement: number | null;
  /** Mean Kullback–Leibler divergence from teacher to student, in nats; null for regression. */
  readonly divergence: number | null;
  /** By the run's first metric, against the true labels; null where it is undefined. */
  readonly scores: {
    readonly student: number | null;
    readonly teacher: number | null;
    readonly baseline: number | null;
  };
  /** Null where the teacher is not surely better than the baseline on these rows. */
  readonly lift: LiftKept | null;
  /** Where they lie furthest apart, the furthest first. */
  readonly disagreements: readonly Disagreement[];
}

/** What a model's card says of it. */
export interface StudentFidelity extends Fidelity {
  readonly teacher: string;
  /** Of the teacher's files; null where it is not known. */
  readonly teacherBytes: number | null;
  readonly augmentedRows: number;
  /** Which rows these are, and who may have seen them. */
  readonly about: string;
}

/** What a run's log says of it: a clock measured it, so it is no part of a model. */
export interface StudentSpeed {
  readonly rows: number;
  /** Least time for the rows, of several turns; null where the teacher did not answer. */
  readonly studentSeconds: number | null;
  /** Asking it included. */
  readonly teacherSeconds: number | null;
  readonly reason: string | null;
}

/** Rows that are named. */
const DISAGREEMENTS = 10;
const RESAMPLES = 300;
/** Rows of the bootstrap at most, evenly spaced. */
const BOOTSTRAP_ROWS = 5000;
/** Probabilities are not taken below this in the divergence. */
const LEAST_PROBABILITY = 1e-7;

export function fidelityOf(input: FidelityInput): Fidelity {
  const { task, target, weights, student, teacher, baseline, metric } = input;
  const outputs = outputCount(task);
  const score = (predictions: Float64Array): number | null => {
    const value = metric.score({ target, predictions, outputs, weights });
    return Number.isFinite(value) ? value : null;
  };
  return {
    rows: target.length,
    correlation: correlationOf(student, teacher),
    difference: Math.sqrt(
      student.reduce((sum, value, i) => sum + (value - teacher[i]) ** 2, 0) / student.length,
    ),
    agreement: hasClasses(task) ? agreementOf(student, teacher, outputs) : null,
    divergence: hasClasses(task) ? divergenceOf(teacher, student, outputs) : null,
    scores: { student: score(student), teacher: score(teacher), baseline: score(baseline) },
    lift: liftKept(input),
    disagreements: furthestApart(input),
  };
}

/** By squared difference over the outputs; of equal ones those that come first. */
function furthestApart({
  task,
  rows,
  target,
  student,
  teacher,
}: FidelityInput): readonly Disagreement[] {
  const outputs = outputCount(task);
  const apart = Float64Array.from(target, (_, place) => {
    let sum = 0;
    for (let at = place * outputs; at < (place + 1) * outputs; at++) {
      sum += (student[at] - teacher[at]) ** 2;
    }
    return sum;
  });
  const furthest = Float64Array.from(apart).sort().at(-DISAGREEMENTS) ?? 0;
  const of = (values: Float64Array, place: number): number[] => [
    ...values.subarray(place * outputs, (place + 1) * outputs),
  ];
  return [...apart.keys()]
    .filter((place) => apart[place] > 0 && apart[place] >= furthest)
    .sort((a, b) => apart[b] - apart[a] || a - b)
    .slice(0, DISAGREEMENTS)
    .map((place) => ({
      row: rows[place],
      target: target[place],
      student: of(student, place),
      teacher: of(teacher, place),
    }));
}

export function correlationOf(a: Float64Array, b: Float64Array): number | null {
  const mean = (values: Float64Array): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    both += (a[i] - meanA) * (b[i] - meanB);
    squaresA += (a[i] - meanA) ** 2;
    squaresB += (b[i] - meanB) ** 2;
  }
  const norm = Math.sqrt(squaresA) * Math.sqrt(squaresB);
  return norm > 0 ? both / norm : null;
}

function agreementOf(a: Float64Array, b: Float64Array, outputs: number): number {
  const rows = a.length / outputs;
  let same = 0;
  for (let row = 0; row < rows; row++) {
    if (decision(a, row, outputs) === decision(b, row, outputs)) same++;
  }
  return same / rows;
}

function decision(values: Float64Array, row: number, outputs: number): number {
  if (outputs === 1) return values[row] > 0.5 ? 1 : 0;
  let best = 0;
  for (let k = 1; k < outputs; k++) {
    if (values[row * outputs + k] > values[row * outputs + best]) best = k;
  }
  return best;
}

/** Mean over rows of Σ p log(p / q). */
export function divergenceOf(p: Float64Array, q: Float64Array, outputs: number): number {
  const rows = p.length / outputs;
  const term = (from: number, to: number): number =>
    from > 0 ? from * Math.log(from / Math.max(to, LEAST_PROBABILITY)) : 0;
  let sum = 0;
  for (let at = 0; at < p.length; at++) {
    sum += term(p[at], q[at]);
    if (outputs === 1) sum += term(1 - p[at], 1 - q[at]);
  }
  return Math.max(0, sum / rows);
}

function liftKept(input: FidelityInput): LiftKept | null {
  const { target, weights, metric, key } = input;
  const outputs = outputCount(input.task);
  const stride = Math.max(1, Math.ceil(target.length / BOOTSTRAP_ROWS));
  const rows = Uint32Array.from(
    { length: Math.ceil(target.length / stride) },
    (_, i) => i * stride,
  );
  const thinned = (values: Float64Array, width: number): Float64Array =>
    Float64Array.from({ length: rows.length * width }, (_, at) => {
      return values[rows[Math.floor(at / width)] * width + (at % width)];
    });
  const some = thinned(target, 1);
  const own = weights ? thinned(weights, 1) : null;
  const predictions = [input.baseline, input.student, input.teacher].map((values) =>
    thinned(values, outputs),
  );
  const losses = (drawn: Float64Array): number[] =>
    predictions.map((each) =>
      toLoss(metric, metric.score({ target: some, predictions: each, outputs, weights: drawn })),
    );
  const random = new CounterRandom(key);
  const shares: number[] = [];
  const lifts: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample++) {
    // A row drawn twice counts twice: for every metric that knows weights, the same as two rows.
    const drawn = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) drawn[random.nextInteger(rows.length)]++;
    if (own) for (let i = 0; i < rows.length; i++) drawn[i] *= own[i];
    const [baseline, student, teacher] = losses(drawn);
    const share = (baseline - student) / (baseline - teacher);
    // A draw without one of the classes leaves some metrics undefined.
    if (Number.isNaN(share) || !Number.isFinite(baseline - teacher)) continue;
    lifts.push(baseline - teacher);
    shares.push(share);
  }
  const [sortedLifts, sortedShares] = [lifts, shares].map((each) => Float64Array.from(each).sort());
  if (shares.length < RESAMPLES / 2 || quantile(sortedLifts, 0.025) <= 0) return null;
  const [baseline, student, teacher] = [input.baseline, input.student, input.teacher].map((each) =>
    toLoss(metric, metric.score({ target, predictions: each, outputs, weights })),
  );
  const share = (baseline - student) / (baseline - teacher);
  if (!Number.isFinite(share) || baseline <= teacher) return null;
  return { share, low: quantile(sortedShares, 0.025), high: quantile(sortedShares, 0.975) };
}
