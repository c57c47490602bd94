/** The model card: what the model was made of, from what, and how good it was found to be. */

import process from "node:process";
import manifest from "../../../package.json" with { type: "json" };
import type { UncertaintyCard } from "../../conformal/index.ts";
import type { StudentFidelity } from "../../distill/fidelity.ts";
import type { ModelCard } from "../../model/document.ts";
import type { FittedReconciliation } from "../../tasks/framing.ts";
import { ROW_WORDS } from "../../tasks/row-words.ts";
import type { RunConfig } from "../config/config.ts";
import type { FitCut, RunPlan, Selection } from "../log/events.ts";
import { failureNotes } from "../log/failing-rows.ts";
import { isKept } from "../log/settled-devices.ts";
import { describeStarved, starvedFolds, usualIterations } from "../log/starved-folds.ts";
import { plannedTrials, type RunState, type TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { guessingWarnings } from "../plan/guessing.ts";
import { perfectScoreWarnings } from "../plan/leakage/perfect-score.ts";
import { type Member, unreadByModel, unweighedByModel } from "../plan/unread-columns.ts";
import { type ImportanceOutput, MOST_SHUFFLED } from "../pool-tasks/importance-task.ts";
import { factsOf, isRefitted } from "./refits.ts";

/** The engine's version, as model cards record it. */
const ENGINE_VERSION: string = manifest.version;

export function cardOf(
  driver: OpenRun,
  selection: Selection,
  measured: { readonly model: number; readonly importances: readonly ImportanceOutput[] },
  fidelity: StudentFidelity | null,
  {
    uncertainty,
    reconciled,
  }: {
    readonly uncertainty: UncertaintyCard | null;
    readonly reconciled: Pick<FittedReconciliation, "warnings" | "note"> | null;
  },
): ModelCard {
  const { plan, state } = driver;
  const { model, importances } = measured;
  const importance = importances[model];
  const { config } = driver.options;
  const { frame } = driver.options.run.data;
  const told = config.importanceCut.find((each) => each.model === model);
  const budget = budgetCard(
    config,
    plan,
    state,
    refitsOf(state, selection, model),
    importance.cut ?? told ?? null,
    { several: ROW_WORDS[frame?.kind ?? "rows"].many, columns: importance.gain.length },
  );
  const members = new Set(selection.members.map(({ trial }) => trial));
  const shuffled = importance.permutation.length;
  const isSeries = frame?.kind === "series";
  const known = isSeries ? (frame.known ?? []) : [];
  const notes = [
    ...selection.notes,
    ...unreadByModel(
      known,
      selection.members.map(({ trial }) => state.trials[trial].family),
      triedFamilies(state.trials),
      plan,
    ),
    ...failureNotes(state, plan),
    ...(reconciled?.note ? [reconciled.note] : []),
    ...(shuffled === MOST_SHUFFLED && shuffled < importance.gain.length
      ? [
          `Of ${count(importance.gain.length)} columns, the importance by shuffling was measured for the ${count(shuffled)} that the fits rely on most.`,
        ]
      : []),
  ];
  return {
    config: repeatableConfig(driver, importances),
    rows: plan.rows,
    families: plan.matrix.map(({ family, reason }) => ({ family, reason })),
    metrics: [...plan.metrics],
    splitter: plan.splitter,
    trials: {
      planned: plannedTrials(state),
      finished: state.trials.filter((trial) => trial.state === "finished").length,
      failed: state.trials.filter((trial) => trial.state === "failed").length,
      pruned: state.trials.filter((trial) => trial.state === "pruned").length,
      refused: state.trials.filter((trial) => trial.state === "refused").length,
      allowed: state.stopped?.allowed ?? plannedTrials(state),
    },
    ...(budget ? { budget: { seconds: budget.seconds, cut: [...budget.cut] } } : {}),
    scores: { ...selection.scores },
    ...(selection.meanFoldScores ? { meanFoldScores: { ...selection.meanFoldScores } } : {}),
    ...(plan.sweep ? { metricWeights: weightsOf(selection) } : {}),
    scoresByFold: state.trials
      .filter((trial) => members.has(trial.number))
      .flatMap((trial) =>
        trial.folds.flatMap((fold, index) =>
          fold?.state === "finished"
            ? [{ trial: trial.number, fold: index, scores: { ...fold.scores } }]
            : [],
        ),
      ),
    importance: { gain: [...importance.gain], permutation: [...importance.permutation] },
    ...(fidelity ? { fidelity } : {}),
    ...(uncertainty ? { uncertainty } : {}),
    warnings: [
      ...plan.warnings,
      ...(state.pareto?.notes ?? []),
      ...(reconciled?.warnings ?? []),
      ...unweighedByModel(known, membersOf(state, selection, model)),
      ...guessingWarnings(selection, driver.options.run),
      // A series without columns that are known in advance has nothing that could give its values away.
      ...(isSeries && known.length === 0
        ? []
        : perfectScoreWarnings(selection.scores, driver.options.run)),
    ],
    ...(notes.length > 0 ? { notes } : {}),
    environment: {
      engine: ENGINE_VERSION,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      ...(driver.deviceSentence === null ? {} : { device: driver.deviceSentence }),
    },
  };
}

/**
 * A configuration that makes this very model again. What the clock decided stands beside the time
 * budget: how many trials it allowed, which it refused, where it ended fits, how many rows
 * importance had.
 */
function repeatableConfig(
  { options, state }: OpenRun,
  importances: readonly ImportanceOutput[],
): Record<string, unknown> {
  const { config } = options;
  const { stopped, trials, plan } = state;
  const { trialsAllowed, trialsAsked, trialsRefused: _, fitsCut: __, ...others } = config;
  const { trialsRepeated: _____, ratesRaised: _______, ...rest } = others;
  // What depends on a device is said beside the environment and in the facts of fits; which was asked for is not.
  const { importanceCut, rowsAllowed: ___, refitsCut: ____, device: ______, ...asked } = rest;
  const allowed = stopped?.allowed ?? trials.length;
  const isTimed = config.timeBudgetS != null || trialsAllowed != null;
  return {
    ...asked,
    ...(config.nCvSplits === undefined && plan ? { nCvSplits: plan.folds } : {}),
    ...(plan?.sampledFrom === undefined ? {} : { rowsAllowed: plan.rows }),
    // With a number of trials the clock is not asked: the budget stands for whoever reads.
    ...(isTimed ? { trialsAllowed: allowed } : {}),
    ...(plan?.isOpen && (trialsAllowed == null || trialsAsked)
      ? { trialsAsked: rowsBySteps(trials, allowed) }
      : {}),
    fitsCut: trials
      .filter(isKept)
      .flatMap(({ number, folds }) =>
        folds.flatMap((fold, index) =>
          fold?.state === "finished" && fold.cut
            ? [{ trial: number, fold: index, ...fold.cut }]
            : [],
        ),
      ),
    trialsRepeated: trials
      .slice(0, allowed)
      .flatMap(({ number, repeats }) => (repeats === null ? [] : [{ trial: number, of: repeats }])),
    ratesRaised: trials
      .slice(0, allowed)
      .flatMap(({ number, raisedFrom, parameters }) =>
        raisedFrom === null ? [] : [{ trial: number, rate: parameters["learning_rate"] }],
      ),
    trialsRefused: trials.filter((trial) => trial.state === "refused").map(({ number }) => number),
    refitsCut: [
      ...state.foldsKept.flatMap((foldsKept, model) =>
        foldsKept ? [{ model, kept: "folds" }] : [],
      ),
      ...state.refitCuts.flatMap((cut, model) => (cut ? [{ model, ...cut }] : [])),
      ...state.memberRefits.flatMap((members, model) =>
        (members ?? []).flatMap(({ cut }, member) => (cut ? [{ model, member, ...cut }] : [])),
      ),
    ],
    importanceCut: importances.flatMap(({ cut }, model) =>
      cut ? [{ model, ...cut }] : importanceCut.filter((told) => told.model === model),
    ),
  };
}

/** Rows of the matrix, by step: of the steps with trials before this number. */
function rowsBySteps(trials: readonly TrialState[], allowed: number): number[][] {
  const last = trials.slice(0, allowed).at(-1)?.step ?? -1;
  const steps = Array.from({ length: last + 1 }, (): number[] => []);
  for (const { step, row } of trials) steps[step]?.push(row);
  return steps;
}

function weightsOf({ metricWeights, alsoFor }: Selection): number[][] {
  return [metricWeights, ...alsoFor].map((weights) => [...weights]);
}

/** A fit on all rows that learned less than those of folds, whose scores the model has. */
function describeRefit(trial: TrialState, cut: FitCut | null, rows: number): string[] {
  const usual = usualIterations(trial.folds);
  const { iterations = usual, rows: learned = rows } = cut ?? {};
  const name = `The fit of trial ${trial.number} (${trial.family}) on all rows`;
  return [
    ...(learned < rows ? [`${name} was held to ${count(learned)} of ${count(rows)} of them.`] : []),
    ...(iterations < usual
      ? [
          `${name} was ended after ${count(iterations)} rounds, trees, solver steps or series, where those of its folds, which the scores are of, had ${count(usual)}.`,
        ]
      : []),
  ];
}

/** With the facts of those fits that the model is made of. */
function membersOf(state: RunState, selection: Selection, model: number): Member[] {
  return selection.members.map(({ trial: number }, member) => {
    const trial = state.trials[number];
    const own = state.memberRefits[model]?.[member]?.facts ?? state.fitted[model] ?? {};
    const facts = isRefitted(selection, state, model) ? [own] : factsOf(trial);
    return { family: trial.family, facts };
  });
}

interface Refit {
  readonly trial: TrialState;
  readonly cut: FitCut | null;
}

function refitsOf(
  { trials, refitCuts, memberRefits }: RunState,
  { members }: Selection,
  model: number,
): Refit[] {
  return members.map(({ trial }, member) => ({
    trial: trials[trial],
    cut: memberRefits[model]?.[member]?.cut ?? refitCuts[model] ?? null,
  }));
}

/** Families with a trial that was scored, or failed. */
function triedFamilies(trials: readonly TrialState[]): ReadonlySet<string> {
  const decided = trials.filter(({ state }) => ["finished", "pruned", "failed"].includes(state));
  return new Set(decided.map(({ family }) => family));
}

/** What a time budget cut of a run, in words: for the model card and the report. */
interface BudgetCard {
  readonly seconds: number;
  /** One sentence each; empty where there was time for all that was asked. */
  readonly cut: readonly string[];
}

/**
 * Null for a run without a budget. A rerun from the card's config, which asks no clock, is told the
 * same.
 *
 * @param importance how much of it there was time for; null: all
 * @param all what rows are called, and columns that have an importance: none that tells sequences apart or orders steps
 */
function budgetCard(
  config: RunConfig,
  plan: RunPlan,
  { trials, stopped, foldsKept }: Pick<RunState, "foldsKept" | "trials" | "stopped">,
  refits: readonly Refit[],
  importance: ImportanceOutput["cut"],
  all: { readonly several: string; readonly columns: number },
): BudgetCard | null {
  if (config.timeBudgetS == null) return null;
  const finished = trials.filter(({ state }) => state === "finished");
  const refused = trials.filter(({ state }) => state === "refused").length;
  const fits = finished.flatMap(({ folds }) =>
    folds.flatMap((fold) => (fold?.state === "finished" ? [fold.cut] : [])),
  );
  const shortened = shortenedFits(finished);
  const families = [...new Set(plan.matrix.map(({ family }) => family))];
  const held = fits.flatMap((fit) => fit?.rows ?? []);
  const cut: string[] = [];
  if (plan.sampledFrom !== undefined) {
    cut.push(
      `The models learned from ${count(plan.rows)} of ${count(plan.sampledFrom)} rows, drawn at random: there was no time for more.`,
    );
  }
  if (held.length > 0) {
    cut.push(
      `${count(held.length)} of ${count(fits.length)} fits were held to ${span(held)} of their rows: there was no time to learn from more.`,
    );
  }
  if (shortened.length > 0) {
    const reached = families
      .map((family) => shortened.filter((fit) => fit.family === family))
      .filter((own) => own.length > 0)
      .map((own) => `${own[0].family} ${span(own.map(({ iterations }) => iterations))}`);
    cut.push(
      `${count(shortened.length)} of ${count(fits.length)} fits ${shortened.length === 1 ? "was" : "were"} ended early, with the rounds, trees or solver steps ${shortened.length === 1 ? "it" : "they"} had reached: ${reached.join(", ")}.`,
    );
  }
  const raised = finished.flatMap(({ raisedFrom, parameters }) =>
    raisedFrom === null ? [] : [Number(parameters["learning_rate"])],
  );
  if (raised.length > 0) {
    const [whose, were] =
      raised.length === 1
        ? ["rate of 1 trial", "was"]
        : [`rates of ${count(raised.length)} trials`, "were"];
    cut.push(
      `The learning ${whose} ${were} raised, to ${span(raised)}: there was time for few rounds of boosting.`,
    );
  }
  for (const trial of finished.filter((each) => starvedFolds(each).length > 0)) {
    cut.push(`Trial ${trial.number} was kept as no other was as good: ${describeStarved(trial)}`);
  }
  const tried = triedFamilies(trials);
  const untried = families.filter((family) => !tried.has(family));
  if (untried.length > 0) {
    const begun = new Set(trials.map(({ family }) => family));
    const dear = plan.matrix.filter(
      ({ family, fitSeconds }) => fitSeconds !== undefined && !begun.has(family),
    );
    cut.push(
      ...dear.map(
        ({ family, fitSeconds }) =>
          `${family} was left out: one of its fits would take about ${count(fitSeconds ?? 0)} s of the processor, and a trial has ${count(plan.folds)}.`,
      ),
      `Of the ${count(families.length)} families ${untried.length === 1 ? "one has" : `${count(untried.length)} have`} no trial that was scored: ${untried.join(", ")}.`,
    );
  }
  if (!plan.isOpen && stopped && stopped.allowed < plan.trials) {
    cut.push(`${count(stopped.allowed)} of ${count(plan.trials)} trials were run.`);
  }
  if (refused > 0) {
    cut.push(
      `${count(refused)} ${refused === 1 ? "trial was" : "trials were"} not run to the end, because too little time was left.`,
    );
  }
  if (foldsKept.includes(true)) {
    cut.push(
      "The model averages the fits of its folds: there was no time to fit its members on all of the data.",
    );
  }
  cut.push(...refits.flatMap(({ trial, cut: own }) => describeRefit(trial, own, plan.rows)));
  if (importance && importance.columns === 0) {
    cut.push("The importance of columns was not measured by shuffling them.");
  } else if (importance) {
    cut.push(
      `The importance of columns was measured on ${count(importance.rows)} ${all.several}, for ${count(importance.columns)} of ${count(all.columns)} columns.`,
    );
  }
  return { seconds: config.timeBudgetS, cut };
}

/** Fits of folds that the clock ended, and what they had come to. */
function shortenedFits(
  trials: readonly TrialState[],
): { readonly family: string; readonly iterations: number }[] {
  return trials.flatMap(({ family, folds }) =>
    folds.flatMap((fold) => {
      const iterations = fold?.state === "finished" ? fold.cut?.iterations : undefined;
      return iterations === undefined ? [] : [{ family, iterations }];
    }),
  );
}

function span(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(count);
  return least === most ? least : `${least} to ${most}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
