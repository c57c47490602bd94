/** Fits of selected trials on all rows: which models have them, how long each may take, and the fits. */

import { FitStoppedError } from "../../families/fit-limits.ts";
import { typeOf } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";
import type { Facts, Selection } from "../log/events.ts";
import { usualIterations } from "../log/starved-folds.ts";
import type { RunState, TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { fewerRows, LEAST_ROWS, type RefitOutput } from "../pool-tasks/fit-task.ts";
import { FITS } from "../pool-tasks/fold-artifact.ts";
import {
  type FinishEstimate,
  finishEstimate,
  keptSeconds,
  riskedSeconds,
  scoredRows,
} from "../prices/cost-finish.ts";
import { forEachConcurrently } from "./concurrency.ts";

/**
 * Of the iterations that a trial's folds had: a fit on all rows that was ended before gives way to those of folds where these
 * go on with what they had not seen, as forecasts do from any history. Where they do not, the latest rows count for more.
 */
const FAR_SHORT = 0.5;

/** A fit on all rows, over the longest of its folds at most: of two folds they had half of them, and others may use the cores. */
const LONGEST_REFIT = 4;

/** The packed model of a fit on all rows. */
export function refitArtifact({ kind }: Selection, model: number, trial: number): string {
  const number = String(trial).padStart(5, "0");
  return kind === "winner" ? `${FITS}refit-${number}` : `${FITS}refit-${model}-${number}`;
}

/**
 * Whether members of blends are to be fitted once more on all rows. Of folds in time the last rows are those
 * that matter, and all fits of folds lack them; of few sequences each one counts.
 */
export function refitsBlends(
  { task, plan }: Pick<PreparedRun, "plan" | "task">,
  config: Pick<RunConfig, "task">,
): boolean {
  return isInTime(config) || plan.rows <= typeOf(task).refitsUpTo;
}

/** Whether a model that is fitted has its members fitted on all rows, and not the fits of their folds. */
export function isRefitted({ kind }: Selection, state: RunState, model: number): boolean {
  return kind === "winner" || state.memberRefits[model] !== undefined;
}

function isInTime({ task }: Pick<RunConfig, "task">): boolean {
  return task.timeColumn != null;
}

/** Which fits of a blend's members on all rows give way to those of folds: none, those that came to far less, or all that were cut. */
type GivesWay = "never" | "far_short" | "cut";

function givesWay({ kind }: Selection, { config, run }: OpenRun["options"]): GivesWay {
  if (kind === "winner") return "never";
  if (run.data.frame?.kind === "series") return "far_short";
  return isInTime(config) ? "never" : "cut";
}

/** What is left to do once models are selected. */
export function priceOfSelected(driver: OpenRun): FinishEstimate {
  const { plan, state, contentionAlone, options, timeBudget } = driver;
  const { importanceRows, ensemble } = options.config;
  const numbers = new Set(state.selections.flatMap(({ members }) => members.map((m) => m.trial)));
  const members = state.trials.filter(({ number }) => numbers.has(number));
  const models = state.selections.length;
  const refits = refitsBlends(options.run, options.config) ? options.pool.threads : null;
  const budget = timeBudget === null ? {} : { timeBudget };
  const { reports = true } = options;
  const context = {
    plan,
    ensemble,
    importanceRows,
    models,
    contention: contentionAlone,
    refits,
    reports,
    scored: scoredRows(options.run.folds),
    storePrice: driver.storePrice,
    ...budget,
  };
  return finishEstimate(state.trials, context, members);
}

/** Which member of which model is fitted on all rows, and its part of what is to be fitted. */
interface RefitPlace {
  readonly model: number;
  readonly member: number;
  readonly share: number;
}

/** Of one run; shares the time that is left among the fits. */
export class Refits {
  readonly #driver: OpenRun;
  /** Seconds that fits took in folds which have yet to begin on all rows. */
  #pending: number;

  constructor(driver: OpenRun) {
    this.#driver = driver;
    const { selections, fitted } = driver.state;
    const open = selections.filter((_, model) => !fitted[model]);
    const trials = open.flatMap(({ members }) => members.map(({ trial }) => trial));
    this.#pending = trials.reduce((sum, trial) => sum + usual(driver.state.trials[trial]), 0);
  }

  /** Fits the members of a model on all rows, or keeps the fits of their folds. */
  async fit(selection: Selection, model: number): Promise<void> {
    const driver = this.#driver;
    const { config, run } = driver.options;
    const facts = { members: selection.members.length * driver.plan.folds };
    const told = config.refitsCut.some((each) => each.model === model && each.kept === "folds");
    if (selection.kind !== "winner" && (told || !refitsBlends(run, config))) {
      const kept = told ? { foldsKept: true } : {};
      await driver.append({ type: "fitted", model, facts, seconds: 0, ...kept });
      return;
    }
    const outputs = await this.#fitMembers(selection, model);
    if (outputs === null) {
      await driver.append({ type: "fitted", model, facts, seconds: 0, foldsKept: true });
      return;
    }
    const seconds = outputs.reduce((sum, output) => sum + output.seconds, 0);
    if (selection.kind === "winner") {
      const [{ facts: own, cut }] = outputs;
      await driver.append({ type: "fitted", model, facts: own, seconds, cut });
      return;
    }
    const members = outputs.map((output) => ({ facts: output.facts, cut: output.cut }));
    const all = { members: outputs.length };
    await driver.append({ type: "fitted", model, facts: all, seconds, members });
  }

  /** Null where there was no time for one that has fits of its folds to stand in for it. */
  async #fitMembers(selection: Selection, model: number): Promise<RefitOutput[] | null> {
    const { state, options } = this.#driver;
    const { members } = selection;
    const way = givesWay(selection, options);
    const outputs: RefitOutput[] = [];
    let late = false;
    await forEachConcurrently(options.pool.threads, members, async (_, member) => {
      const trial = state.trials[members[member].trial];
      const share = usual(trial) / Math.max(usual(trial), this.#pending);
      this.#pending -= usual(trial);
      if (late) return;
      const output = await this.#refitted(trial, { model, member, share }, way);
      if (output === null) {
        late = true;
        return;
      }
      const name = refitArtifact(selection, model, trial.number);
      await options.store.putArtifact(name, output.model);
      outputs[member] = output;
    });
    return late ? null : outputs;
  }

  /**
   * On all rows; under a time budget within what the phases to come leave. Where that is too little, on fewer,
   * or, if the fits of its folds are as good as those, null.
   */
  async #refitted(
    trial: TrialState,
    { model, member, share }: RefitPlace,
    way: GivesWay,
  ): Promise<RefitOutput | null> {
    const { run, config } = this.#driver.options;
    const told = config.refitsCut.find(
      (each) => each.model === model && (each.member ?? 0) === member,
    );
    const iterations = told?.iterations ?? longestCut(trial);
    for (let rows = told?.rows; ; ) {
      const seconds = this.#seconds(share, way === "cut" ? 0 : LONGEST_REFIT * usual(trial));
      const isLeast = rows !== undefined && rows <= LEAST_ROWS;
      try {
        const output = await this.#driver.refit({
          run,
          family: trial.family,
          parameters: trial.parameters,
          trial: trial.number,
          foldFacts: factsOf(trial),
          randomState: config.randomState,
          ...(rows === undefined ? {} : { rows }),
          bounds: {
            ...(seconds === null ? {} : { seconds }),
            ...(isLeast ? { mustLearn: true } : {}),
            ...(iterations === undefined ? {} : { iterations }),
          },
        });
        const reached = output.cut?.iterations;
        const isShort = (reached ?? iterations) !== iterations;
        const isFarShort =
          reached !== undefined && reached < FAR_SHORT * usualIterations(trial.folds);
        // What was told repeats a model as it was.
        if (told) return output;
        return (way === "cut" && isShort) || (way === "far_short" && isFarShort) ? null : output;
      } catch (error) {
        if (!(error instanceof FitStoppedError)) throw error;
        if (way !== "never") return null;
        rows = fewerRows(rows ?? run.data.rows);
      }
    }
  }

  /**
   * Null where the clock is not asked. A fit that is shorter than those of its folds is not the model that was scored:
   * importance takes what it leaves, and where no others stand in for it a quick one ends whatever is left.
   *
   * @param wanted seconds that it takes at most; 0: it need not end
   */
  #seconds(share: number, wanted: number): number | null {
    const { timeBudget, elapsed, options } = this.#driver;
    if (timeBudget === null) return null;
    const { saving, importance, reporting } = priceOfSelected(this.#driver);
    const kept = keptSeconds(saving - importance + reporting, timeBudget);
    const left =
      Math.max(0, timeBudget - elapsed - kept) * Math.min(1, share * options.pool.threads);
    return Math.max(left, Math.min(wanted, riskedSeconds(timeBudget)));
  }
}

/** What was ended early in every fold takes as long again on all rows: it ends there, too. */
function longestCut({ folds }: TrialState): number | undefined {
  const iterations = folds.flatMap((fold) =>
    fold?.state === "finished" ? (fold.cut?.iterations ?? Number.POSITIVE_INFINITY) : [],
  );
  const longest = Math.max(...iterations);
  return Number.isFinite(longest) ? longest : undefined;
}

/** Seconds of its longest fold; above 0. */
function usual({ folds }: TrialState): number {
  return Math.max(1e-3, ...folds.map((fold) => (fold?.state === "finished" ? fold.seconds : 0)));
}

/** Of a trial, by fold. */
export function factsOf(trial: TrialState): Facts[] {
  return trial.folds.map((fold) => (fold?.state === "finished" ? fold.facts : {}));
}
