/** Scores of answers that a model gave before, as the API answers them, once their truth is known. */

import type { Metric } from "../metrics/metric.ts";
import { metricForTask, metricOf } from "../tasks/fitting-metrics.ts";
import { hasClasses, outputCount, type Task, typeOf } from "../tasks/index.ts";
import { intervalAround, resample } from "./bootstrap.ts";
import { named, type Scored, scoresOf } from "./scoring.ts";

/** One answer, of whatever kind the task's are, and what turned out to be true. */
export interface LabelledAnswer {
  /** The value, or the index of the class. */
  readonly target: number;
  /** Of a value, or of a middle quantile. */
  readonly value?: number | undefined;
  /** Of a class. */
  readonly label?: string | undefined;
  /** By class. */
  readonly probabilities?: Readonly<Record<string, number>> | undefined;
  /** By level. */
  readonly quantiles?: Readonly<Record<string, number>> | undefined;
  /** Both ends included; null or absent where there was none. */
  readonly interval?: readonly [low: number, high: number] | null | undefined;
  /** Names of classes. */
  readonly set?: readonly string[] | undefined;
}

/** Rows of each resample: somebody waits for the scores. */
const MOST_DRAWN = 2_000;

/** What the answers are scored by. */
export interface AnswersToScore {
  readonly task: Task;
  /** By name or alias; the usual ones of the task are added. */
  readonly metrics?: readonly string[] | undefined;
  /** At least one. */
  readonly answers: readonly LabelledAnswer[];
  readonly randomState?: number | undefined;
}

/** Of answers that were given before. */
export interface AnswerScores {
  readonly rows: number;
  readonly metrics: readonly { readonly name: string; readonly direction: Metric["direction"] }[];
  /** By metric; null where it is undefined for these rows. */
  readonly scores: Readonly<Record<string, number | null>>;
  /** 95 % of the scores of resampled rows lie between both ends. */
  readonly intervals: Readonly<Record<string, readonly [low: number, high: number] | null>>;
  /** Of the answers with an interval or a set, the share that held the truth, and their mean size. */
  readonly coverage: { readonly measured: number; readonly meanSize: number } | null;
}

/**
 * Scores of answers that a model gave before, once their truth is known: the same metrics, by the same code, as of an
 * evaluation on a dataset.
 *
 * @throws MetricError for a metric that is unknown, or fits another task
 * @throws RangeError where an answer is not of the task, or the task's answers are scored in windows
 */
export function scoreAnswers({
  task,
  metrics: asked = [],
  answers,
  randomState = 0,
}: AnswersToScore): AnswerScores {
  const type = typeOf(task);
  if (type.framing?.kind === "series") throw new RangeError("Forecasts are scored by windows.");
  const names = [...asked, ...type.usualMetrics.map(({ name }) => name)];
  const canonical = new Set(names.map((name) => metricForTask(name, task.kind).name));
  const metrics = [...canonical].map((name) => metricOf(task, name));
  const scored = scoredRows(task, answers);
  const all = Uint32Array.from(answers, (_, row) => row);
  const whole = scoresOf(metrics, scored, all);
  const { deviations } = resample(
    answers.length,
    [(rows) => scoresOf(metrics, scored, rows)],
    randomState,
    MOST_DRAWN,
  );
  return {
    rows: answers.length,
    metrics: metrics.map(({ name, direction }) => ({ name, direction })),
    scores: named(metrics, whole),
    intervals: Object.fromEntries(
      metrics.map(({ name }, k) => [name, intervalAround(whole[k], deviations[0][k])]),
    ),
    coverage: coverageOf(task, answers),
  };
}

function scoredRows(task: Task, answers: readonly LabelledAnswer[]): Scored {
  const outputs = outputCount(task);
  const predictions = new Float64Array(answers.length * outputs);
  for (const [row, answer] of answers.entries()) {
    const values = outputsOf(task, outputs, answer);
    if (values.length !== outputs || !values.every(Number.isFinite)) {
      throw new RangeError(`answer ${row} is none of a ${task.kind} task`);
    }
    predictions.set(values, row * outputs);
  }
  const rows = {
    target: Float64Array.from(answers, ({ target }) => target),
    predictions,
    outputs,
    weights: null,
  };
  if (typeOf(task).decision !== "threshold") return { rows, decided: null };
  const places = new Map(task.classes.map((name, place) => [name, place]));
  const said = answers.map(({ label }) => places.get(label ?? "") ?? Number.NaN);
  return { rows, decided: { ...rows, predictions: Float64Array.from(said) } };
}

/** As models predict them: of two classes the second one's probability. */
function outputsOf(
  task: Task,
  outputs: number,
  { value, probabilities = {}, quantiles = {} }: LabelledAnswer,
): number[] {
  if (hasClasses(task)) {
    const all = task.classes.map((name) => probabilities[name] ?? Number.NaN);
    return outputs === 1 ? all.slice(1) : all;
  }
  if (task.quantiles) return task.quantiles.map((level) => quantiles[String(level)] ?? Number.NaN);
  return [value ?? Number.NaN];
}

function coverageOf(task: Task, answers: readonly LabelledAnswer[]): AnswerScores["coverage"] {
  let rows = 0;
  let held = 0;
  let size = 0;
  for (const { target, interval, set } of answers) {
    if (interval) {
      const [low, high] = interval;
      rows++;
      if (target >= low && target <= high) held++;
      size += high - low;
    } else if (set) {
      rows++;
      if (set.includes(task.classes[target])) held++;
      size += set.length;
    }
  }
  return rows === 0 ? null : { measured: held / rows, meanSize: size / rows };
}
