/**
 * Runs the folds of a step's trials side by side.
 *
 * A trial that may be pruned runs its folds one after the other and is judged after each; others
 * run theirs in any order, and begin none once one has failed. When there are threads without work, the next fold of a trial is begun
 * before the verdict on the last: a guess, that is thrown away if the trial ends. What is
 * committed, and after what, is the same with and without guesses, and on any number of threads.
 * Of a trial that has ended nothing is committed, however many of its folds still run.
 */

import type { TrialState } from "../log/state.ts";

export type FoldOutcome<Output> =
  | { readonly state: "finished"; readonly output: Output }
  | { readonly state: "failed"; readonly reason: string }
  /** Cut off by the deadline: as if it had never been begun. */
  | { readonly state: "stopped" };

export interface FoldWork<Output> {
  /** In the order in which they are begun. */
  readonly trials: readonly TrialState[];
  readonly folds: number;
  readonly threads: number;
  /** Whether the folds must come in order, each with a verdict. */
  isJudged(trial: TrialState): boolean;
  /** Asked before a trial's first fold: false leaves it out for good. Must not wait. */
  admits(trial: TrialState): boolean;
  /** Asked before each fold: whether there is room for it beside those that run. */
  fits(trial: TrialState, running: readonly TrialState[]): boolean;
  /** True: nothing new is begun. */
  isOver(): boolean;
  run(trial: TrialState, fold: number): Promise<FoldOutcome<Output>>;
  commit(trial: TrialState, fold: number, outcome: FoldOutcome<Output>): Promise<void>;
  /** After a committed fold of a judged trial; true: it ends here. */
  ends(trial: TrialState): Promise<boolean>;
}

interface Progress<Output> {
  readonly trial: TrialState;
  readonly judged: boolean;
  /** Folds that nobody has begun, in order. */
  readonly open: number[];
  readonly running: Set<number>;
  /** Outcomes of a judged trial that wait for their turn. */
  readonly waiting: Map<number, FoldOutcome<Output>>;
  /** Of a judged trial: the fold to be committed next. */
  next: number;
  begun: boolean;
  ended: boolean;
  /** Committing, so that two outcomes of one trial never overtake each other. */
  turn: Promise<void>;
}

/**
 * Resolves when nothing is left to commit, at the latest after what runs when `isOver`. Rejects
 * with the first error, after what runs has ended. Folds of trials that have ended may run on: whoever
 * runs them knows when they have.
 */
export async function runFolds<Output>(work: FoldWork<Output>): Promise<void> {
  const all = work.trials.map((trial) => progressOf(trial, work));
  const running = new Map<Promise<void>, Begun<Output>>();
  const failure: { error?: unknown; failed: boolean } = { failed: false };

  const begin = (progress: Progress<Output>, fold: number): void => {
    progress.begun = true;
    progress.open.splice(progress.open.indexOf(fold), 1);
    progress.running.add(fold);
    const promise: Promise<void> = runOne(progress, fold, work).then(
      () => {
        running.delete(promise);
      },
      (error: unknown) => {
        running.delete(promise);
        if (!failure.failed) Object.assign(failure, { failed: true, error });
      },
    );
    running.set(promise, { progress, fold });
  };

  for (;;) {
    for (;;) {
      if (failure.failed || work.isOver()) break;
      const busy = [...running.values()].map(({ progress }) => progress);
      const choice = choose(all, work, busy);
      if (!choice) break;
      begin(choice.progress, choice.fold);
    }
    for (const [promise, { progress, fold }] of running) {
      // What is being committed is waited for, and may still fail the step.
      const isFitting = progress.running.has(fold);
      if (progress.ended && isFitting && !failure.failed) running.delete(promise);
    }
    if (running.size === 0) break;
    await Promise.race(running.keys());
  }
  if (failure.failed) throw failure.error;
}

interface Begun<Output> {
  readonly progress: Progress<Output>;
  readonly fold: number;
}

function progressOf<Output>(trial: TrialState, work: FoldWork<Output>): Progress<Output> {
  const open = Array.from({ length: work.folds }, (_, fold) => fold).filter(
    (fold) => trial.folds[fold] === undefined,
  );
  return {
    trial,
    judged: work.isJudged(trial),
    open,
    running: new Set(),
    waiting: new Map(),
    next: open[0] ?? work.folds,
    begun: open.length < work.folds,
    ended: trial.state !== "running" || trial.folds.some((fold) => fold?.state === "failed"),
    turn: Promise.resolve(),
  };
}

function choose<Output>(
  all: readonly Progress<Output>[],
  work: FoldWork<Output>,
  busy: readonly Progress<Output>[],
): { progress: Progress<Output>; fold: number } | null {
  // One fit more than there are threads, so that none waits while a result is stored.
  if (busy.length > work.threads) return null;
  const trials = busy.map(({ trial }) => trial);
  const room = (progress: Progress<Output>): boolean =>
    busy.length === 0 || work.fits(progress.trial, trials);
  for (const progress of all) {
    if (progress.ended || progress.open.length === 0) continue;
    if (progress.judged && progress.running.size + progress.waiting.size > 0) continue;
    if (!room(progress)) continue;
    if (!progress.begun && !work.admits(progress.trial)) {
      progress.ended = true;
      continue;
    }
    return { progress, fold: progress.open[0] };
  }
  if (busy.length >= work.threads) return null;
  for (const progress of all) {
    if (progress.ended || progress.open.length === 0 || !progress.judged) continue;
    if (room(progress)) return { progress, fold: progress.open[0] };
  }
  return null;
}

async function runOne<Output>(
  progress: Progress<Output>,
  fold: number,
  work: FoldWork<Output>,
): Promise<void> {
  const { trial } = progress;
  let outcome: FoldOutcome<Output>;
  try {
    outcome = await work.run(trial, fold);
  } finally {
    progress.running.delete(fold);
  }
  if (outcome.state === "stopped") progress.ended = true;
  if (progress.ended) return;
  if (!progress.judged) {
    // No later fold can save it. Earlier ones have all been begun, so the first that fails is always known.
    if (outcome.state === "failed") progress.open.length = 0;
    return work.commit(trial, fold, outcome);
  }
  progress.waiting.set(fold, outcome);
  progress.turn = progress.turn.then(() => commitInOrder(progress, work));
  return progress.turn;
}

async function commitInOrder<Output>(
  progress: Progress<Output>,
  work: FoldWork<Output>,
): Promise<void> {
  const { trial, waiting } = progress;
  for (;;) {
    const outcome = waiting.get(progress.next);
    if (progress.ended || outcome === undefined) return;
    await work.commit(trial, progress.next, outcome);
    const ended = outcome.state === "failed" || (await work.ends(trial));
    // Until here it stood in the way of the next fold, which is begun after the verdict alone.
    waiting.delete(progress.next);
    progress.next++;
    progress.ended = ended;
  }
}
