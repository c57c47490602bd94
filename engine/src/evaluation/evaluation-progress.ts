/** How far an evaluation is: written by the thread that evaluates, in memory that others read meanwhile. */

/** In their order: models and rows are read, models predict the rows, and scores are taken of rows that are drawn again and again. */
const EVALUATION_STAGES = ["reading", "predicting", "resampling"] as const;
/** What an evaluation is at: models and rows are read; models predict the rows; resamples of the rows are scored. */
export type EvaluationStage = (typeof EVALUATION_STAGES)[number];

/** How much of its stage an evaluation has done. */
export interface EvaluationProgress {
  readonly stage: EvaluationStage;
  /** Of `total`: rows, of each model anew, or resamples. */
  readonly done: number;
  /** 0 of a stage that is not counted. */
  readonly total: number;
}

export type TellProgress = (progress: EvaluationProgress) => void;

/** The stage, what is done, and the whole of it. */
const WORDS = 3;
const MOST = 2 ** 31 - 1;

/** To be given to `evaluateFile`, in whatever thread it runs. */
export const newProgressWords = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));

export function writeProgress(words: Int32Array, { stage, done, total }: EvaluationProgress): void {
  Atomics.store(words, 1, Math.min(done, MOST));
  Atomics.store(words, 2, Math.min(total, MOST));
  Atomics.store(words, 0, EVALUATION_STAGES.indexOf(stage));
}

/** How far the evaluation is that was given these words; it may be asked at any time, by any thread. */
export function readProgress(words: Int32Array): EvaluationProgress {
  const stage = EVALUATION_STAGES[Atomics.load(words, 0)] ?? "reading";
  const total = Atomics.load(words, 2);
  // A stage may begin between two looks.
  return { stage, done: Math.min(Atomics.load(words, 1), total), total };
}
