/** Folding a run's events into its state. Pure: equal logs give equal states. */

import type { StudentSpeed } from "../../distill/fidelity.ts";
import { type LoggedEvent, migrateEvent } from "./event-migrations.ts";
import type {
  AskedTrial,
  Facts,
  FitCut,
  MemberRefit,
  ParetoSummary,
  RunEvent,
  RunPlan,
  SavedModel,
  Scores,
  Selection,
} from "./events.ts";

export type FoldState =
  | {
      readonly state: "finished";
      readonly scores: Scores;
      readonly facts: Facts;
      readonly seconds: number;
      readonly predictSeconds: number;
      readonly scoreSeconds: number;
      readonly bytes: number;
      readonly modelBytes: number;
      readonly cut: FitCut | null;
      readonly iterations?: number;
    }
  | { readonly state: "failed"; readonly reason: string };

/** One trial, as far as it is. */
export interface TrialState {
  readonly number: number;
  readonly row: number;
  readonly family: string;
  readonly parameters: AskedTrial["parameters"];
  readonly step: number;
  /** The trial that it fits again with other random numbers; null: a trial of its own. */
  readonly repeats: number | null;
  /** Its learning rate as it was drawn, where it has a higher one for want of time. */
  readonly raisedFrom: number | null;
  state: "running" | "finished" | "failed" | "pruned" | "refused" | "dropped";
  readonly folds: (FoldState | undefined)[];
  /** Mean of the folds, by metric; null until finished. */
  scores: Scores | null;
  /** Of a pruned trial: the scores over all folds that the finished ones let expect. */
  expected: Scores | null;
  reason: string | null;
  /** When the first of its folds that have ended began; null until one has. */
  started: string | null;
  /** When the latest of its folds ended; of a trial that was never begun, when that was decided. */
  ended: string | null;
}

/** A run, as far as its log tells. */
export interface RunState {
  phase: "new" | "searching" | "selecting" | "fitting" | "saving" | "done";
  plan: RunPlan | null;
  startedAt: string | null;
  updatedAt: string | null;
  /** Seconds of work until the last event, preparing included; null in logs that did not say. */
  elapsed: number | null;
  /** Dense: index = trial number. */
  trials: TrialState[];
  stepsAsked: number;
  stopped: {
    readonly reason: string;
    readonly trials: number;
    /** Trials before this one were kept. */
    readonly allowed: number;
  } | null;
  /** The models to be, best on the first metric first; empty until they are selected. */
  selections: readonly Selection[];
  /** Of a sweep, once it has selected. */
  pareto: ParetoSummary | null;
  /** By selection; undefined until it is fitted. */
  fitted: (Facts | undefined)[];
  /** By selection: how far the fit on all rows came that the time budget ended; else null. */
  refitCuts: (FitCut | null)[];
  /** By selection: of a blend whose members are fitted on all rows, in their order. */
  memberRefits: (readonly MemberRefit[] | undefined)[];
  /** By selection: whether the fits of folds were kept because there was no time for fits on all rows. */
  foldsKept: boolean[];
  /** Of students, by selection; undefined until it is measured. */
  speeds: (StudentSpeed | undefined)[];
  /** Which device takes part, or why none does, by the trials whose fits settled it; see `settled-devices.ts`. */
  settledDevices: { readonly sentence: string; readonly trial: number | null }[];
  /** Which device did what, in words; null where none was asked or looked for. */
  device: string | null;
  /** By selection; null until all are saved. */
  models: readonly SavedModel[] | null;
}

export function emptyState(): RunState {
  return {
    phase: "new",
    plan: null,
    startedAt: null,
    updatedAt: null,
    elapsed: null,
    trials: [],
    stepsAsked: 0,
    stopped: null,
    selections: [],
    pareto: null,
    fitted: [],
    refitCuts: [],
    memberRefits: [],
    foldsKept: [],
    speeds: [],
    settledDevices: [],
    device: null,
    models: null,
  };
}

/** Logs of former versions are read as well. */
export function foldEvents(events: Iterable<LoggedEvent>): RunState {
  const state = emptyState();
  for (const event of events) applyEvent(state, migrateEvent(event));
  return state;
}

/** Applies one event in place. */
export function applyEvent(state: RunState, event: RunEvent): void {
  state.updatedAt = event.at;
  state.elapsed = event.elapsed ?? state.elapsed;
  switch (event.type) {
    case "planned":
      Object.assign(state, emptyState(), {
        phase: "searching",
        plan: event.plan,
        startedAt: event.at,
        updatedAt: event.at,
        elapsed: event.elapsed ?? null,
      });
      break;
    case "step_asked":
      for (const asked of event.trials)
        state.trials[asked.trial] = newTrial(state, event.step, asked);
      state.stepsAsked = event.step + 1;
      break;
    case "fold_finished":
      noteFold(state.trials[event.trial], event.at, event.seconds);
      state.trials[event.trial].folds[event.fold] = {
        state: "finished",
        scores: event.scores,
        facts: event.facts,
        seconds: event.seconds,
        predictSeconds: event.predictSeconds ?? 0,
        scoreSeconds: event.scoreSeconds ?? 0,
        bytes: event.bytes ?? 0,
        modelBytes: event.modelBytes ?? event.bytes ?? 0,
        cut: event.cut ?? null,
        ...(event.iterations === undefined ? {} : { iterations: event.iterations }),
      };
      break;
    case "fold_failed":
      noteFold(state.trials[event.trial], event.at, 0);
      state.trials[event.trial].folds[event.fold] = { state: "failed", reason: event.reason };
      break;
    case "trial_finished": {
      const trial = state.trials[event.trial];
      trial.state = "finished";
      trial.scores = event.scores;
      trial.ended ??= event.at;
      break;
    }
    case "trial_failed": {
      const trial = state.trials[event.trial];
      trial.state = "failed";
      trial.reason = event.reason;
      trial.ended ??= event.at;
      break;
    }
    case "trial_pruned":
      Object.assign(state.trials[event.trial], {
        state: "pruned",
        reason: event.reason,
        expected: event.expected,
        ended: state.trials[event.trial].ended ?? event.at,
      });
      break;
    case "trial_refused":
      Object.assign(state.trials[event.trial], {
        state: "refused",
        reason: event.reason,
        ended: event.at,
      });
      break;
    case "search_stopped": {
      const allowed = event.allowed ?? state.trials.length;
      state.stopped = { reason: event.reason, trials: event.trials, allowed };
      for (const trial of state.trials) {
        if (trial.state === "running" || trial.number >= allowed) trial.state = "dropped";
      }
      break;
    }
    case "selected":
      state.selections = event.selections;
      state.pareto = event.pareto ?? null;
      state.fitted = event.selections.map(() => undefined);
      state.phase = "fitting";
      break;
    case "fitted":
      state.fitted[event.model] = event.facts;
      state.refitCuts[event.model] = event.cut ?? null;
      state.memberRefits[event.model] = event.members;
      state.foldsKept[event.model] = event.foldsKept ?? false;
      if (state.fitted.every((facts) => facts !== undefined)) state.phase = "saving";
      break;
    case "student_measured":
      state.speeds[event.model] = event.speed;
      break;
    case "device_settled":
      state.settledDevices.push({ sentence: event.sentence, trial: event.trial ?? null });
      break;
    case "device_reported":
      state.device = event.report;
      break;
    case "done":
      state.models = event.models;
      state.phase = "done";
      break;
  }
  if (state.phase === "searching" && state.plan && searchIsOver(state, state.plan)) {
    state.phase = "selecting";
  }
}

/** Trials that the run is to have; of an open one, those that it has come to so far. */
export function plannedTrials({ plan, stopped, trials }: RunState): number {
  if (!plan) return 0;
  return plan.isOpen ? (stopped?.allowed ?? trials.length) : plan.trials;
}

export function searchIsOver(state: RunState, plan: RunPlan): boolean {
  if (state.stopped) return true;
  // Steps of an open run are as long as there is time for.
  const all = plan.isOpen ? state.trials.length >= plan.trials : state.stepsAsked === plan.steps;
  return all && state.trials.every((trial) => trial.state !== "running");
}

/** A fold's event is logged when it ends. */
function noteFold(trial: TrialState, at: string, seconds: number): void {
  const began = new Date(Date.parse(at) - seconds * 1000).toISOString();
  if (trial.started === null || began < trial.started) trial.started = began;
  trial.ended = at;
}

function newTrial(state: RunState, step: number, asked: AskedTrial): TrialState {
  const plan = state.plan;
  if (!plan) throw new Error("The log asks for trials before it plans the run; it is damaged.");
  return {
    number: asked.trial,
    row: asked.row,
    family: plan.matrix[asked.row].family,
    parameters: asked.parameters,
    step,
    repeats: asked.repeats ?? null,
    raisedFrom: asked.raisedFrom ?? null,
    state: "running",
    folds: new Array<FoldState | undefined>(plan.folds).fill(undefined),
    scores: null,
    expected: null,
    reason: null,
    started: null,
    ended: null,
  };
}
