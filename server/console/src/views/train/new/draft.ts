/** What the form holds, and the request that it makes. What is empty is left to the service. */

import type { Inputs } from "@distillery/client";
import { type Condition, filterOf } from "./conditions.ts";
import type { ColumnFacts, Steps, TaskOptions } from "./guess.ts";

type RunRequest = Inputs["training"]["run"];

export const TIME_UNITS = { seconds: 1, minutes: 60, hours: 3_600 } as const;
export type TimeUnit = keyof typeof TIME_UNITS;

/** Texts as they stand in the controls. */
export interface Draft {
  readonly preset: string;
  readonly time: string;
  readonly timeUnit: TimeUnit;
  readonly trials: string;
  /** The first is optimised; empty: the kind's default. */
  readonly metrics: readonly string[];
  readonly sweep: boolean;
  readonly gridSize: string;
  /** Empty: as the data suggests. */
  readonly families: readonly string[];
  readonly validation: "default" | "folds" | "holdout";
  readonly folds: string;
  readonly strategy: "" | "tpe" | "random";
  readonly ensemble: "" | "yes" | "no";
  readonly teacher: "none" | "model" | "url";
  readonly teacherModel: string;
  readonly teacherUrl: string;
  /** Lines of `name: value`. */
  readonly teacherHeaders: string;
  readonly timeColumn: string | null;
  readonly weightColumn: string;
  readonly groupColumn: string;
  readonly ignored: readonly string[];
  readonly horizon: string;
  /** Null, as below: as it was guessed. */
  readonly seriesColumns: readonly string[] | null;
  readonly knownColumns: readonly string[];
  readonly seasonLength: string;
  readonly gap: string;
  readonly windowStep: string;
  /** Of forecasts: a number, or `none`. */
  readonly lowerBound: string;
  readonly upperBound: string;
  readonly quantiles: string;
  readonly positiveClass: string;
  readonly sequenceColumn: string | null;
  readonly orderColumn: string | null;
  readonly join: "and" | "or";
  readonly conditions: readonly Condition[];
  readonly balanced: boolean;
  readonly seed: string;
  readonly name: string;
  readonly registerAs: string;
  /** Lines of `key: value`. */
  readonly tags: string;
}

export const EMPTY: Draft = {
  preset: "balanced",
  time: "1",
  timeUnit: "minutes",
  trials: "",
  metrics: [],
  sweep: false,
  gridSize: "10",
  families: [],
  validation: "default",
  folds: "5",
  strategy: "",
  ensemble: "",
  teacher: "none",
  teacherModel: "",
  teacherUrl: "",
  teacherHeaders: "",
  timeColumn: null,
  weightColumn: "",
  groupColumn: "",
  ignored: [],
  horizon: "12",
  seriesColumns: null,
  knownColumns: [],
  seasonLength: "",
  gap: "",
  windowStep: "",
  lowerBound: "",
  upperBound: "",
  quantiles: "",
  positiveClass: "",
  sequenceColumn: null,
  orderColumn: null,
  join: "and",
  conditions: [],
  balanced: false,
  seed: "",
  name: "",
  registerAs: "",
  tags: "",
};

/** What the run is of, with its guesses filled in. */
export interface Subject {
  readonly datasetId: string;
  readonly label: string;
  readonly kind: TaskOptions;
  readonly columns: readonly ColumnFacts[];
  /** Of forecasts and of folds that follow it; empty: none. */
  readonly timeColumn: string;
  readonly seriesColumns: readonly string[];
  readonly sequenceColumn: string;
  readonly orderColumn: string;
}

/** What tells series and sequences apart and orders them: as it was chosen, else as it was guessed. */
export function stepColumns(
  draft: Draft,
  steps: Steps | null,
): Pick<Subject, "seriesColumns" | "sequenceColumn" | "orderColumn"> {
  const series = steps?.row === "series" && steps.name !== "" ? [steps.name] : [];
  const sequences = steps?.row === "sequences" ? steps : null;
  return {
    seriesColumns: draft.seriesColumns ?? series,
    sequenceColumn: draft.sequenceColumn ?? sequences?.name ?? "",
    orderColumn: draft.orderColumn ?? sequences?.order ?? "",
  };
}

export function requestOf(draft: Draft, subject: Subject): RunRequest {
  const { kind } = subject;
  const seconds = numberIn(draft.time);
  const sweeps = draft.sweep && draft.metrics.length > 1;
  const given: RunRequest = {
    dataset_id: subject.datasetId,
    task: taskOf(draft, subject),
    ...some("name", draft.name.trim()),
    ...some("register_as", draft.registerAs.trim()),
    ...some("filter", filterOf(draft.conditions, draft.join, subject.columns)),
    ...some("preset", presetOf(draft.preset)),
    ...some("model_families", [...draft.families]),
    ...some("metrics", [...draft.metrics]),
    ...(sweeps ? some("grid_size", numberIn(draft.gridSize)) : {}),
    ...some(
      "time_budget_s",
      seconds === undefined ? undefined : seconds * TIME_UNITS[draft.timeUnit],
    ),
    ...some("n_trials", numberIn(draft.trials)),
    ...(draft.validation === "holdout" ? { n_cv_splits: null } : {}),
    ...(draft.validation === "folds" ? some("n_cv_splits", numberIn(draft.folds)) : {}),
    ...some("search_strategy", draft.strategy === "" ? undefined : draft.strategy),
    ...(draft.ensemble === "" ? {} : { ensemble: draft.ensemble === "yes" }),
    ...(kind.teachable ? teacherOf(draft) : {}),
    ...(kind.target === "class" && draft.balanced ? { class_weight: "balanced" as const } : {}),
    ...some("random_state", numberIn(draft.seed)),
    ...some("job_tags", recordOf(draft.tags)),
  };
  return given;
}

function taskOf(draft: Draft, subject: Subject): RunRequest["task"] {
  const { label, kind, timeColumn } = subject;
  const own = {
    ...some("horizon", numberIn(draft.horizon)),
    ...some("series_columns", subject.seriesColumns),
    ...some("known_columns", draft.knownColumns),
    ...some("season_length", seasonOf(draft.seasonLength)),
    ...some("gap", numberIn(draft.gap)),
    ...some("window_step", numberIn(draft.windowStep)),
    ...some("lower_bound", boundIn(draft.lowerBound)),
    ...some("upper_bound", boundIn(draft.upperBound)),
    ...some("quantiles", numbersIn(draft.quantiles)),
    ...some("positive_class", draft.positiveClass.trim()),
    ...some("sequence_column", subject.sequenceColumn),
    ...some("order_column", subject.orderColumn),
  };
  return {
    task_kind: kind.task_kind,
    label_column: label,
    ...some("time_column", timeColumn),
    ...some("weight_column", draft.weightColumn),
    ...some("group_column", draft.groupColumn),
    ...some("ignore_columns", [...draft.ignored]),
    // Other kinds refuse what is not theirs.
    ...Object.fromEntries(Object.entries(own).filter(([field]) => kind.fields.includes(field))),
  };
}

function teacherOf(draft: Draft): Partial<RunRequest> {
  if (draft.teacher === "model") return some("teacher_model_id", draft.teacherModel.trim());
  if (draft.teacher !== "url") return {};
  return {
    ...some("teacher_predict_url", draft.teacherUrl.trim()),
    ...some("teacher_headers", recordOf(draft.teacherHeaders)),
  };
}

/** The same, fit to be shown: what is secret is left out. */
export function shownRequest(request: RunRequest): RunRequest {
  const { teacher_headers: headers, ...rest } = request;
  if (!headers) return request;
  const masked = Object.keys(headers).map((name) => [name, "(the value you typed)"]);
  return { ...rest, teacher_headers: Object.fromEntries(masked) };
}

/** A member, where there is something to say. */
function some<Name extends string, Value>(
  name: Name,
  value: Value,
): Partial<Record<Name, NonNullable<Value>>> {
  const isEmpty =
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0);
  return isEmpty ? {} : ({ [name]: value } as Partial<Record<Name, NonNullable<Value>>>);
}

const PRESETS = ["fast", "balanced", "best", "interpretable", "small"] as const;
const presetOf = (text: string): (typeof PRESETS)[number] | undefined =>
  PRESETS.find((preset) => preset === text && preset !== "balanced");

/** Undefined where nothing is written; see `numberFault` for what is no number. */
function numberIn(text: string): number | undefined {
  const plain = text.trim();
  return plain === "" ? undefined : Number(plain);
}

/** What is wrong with a text that is to be a number, or empty. The service has the limits. */
export function numberFault(text: string): string | undefined {
  const number = numberIn(text);
  return number === undefined || Number.isFinite(number)
    ? undefined
    : "Write a number, such as 20.";
}

/** The same of a bound, which may be `none`. */
export function boundFault(text: string): string | undefined {
  return boundIn(text) === NO_BOUND || numberFault(text) === undefined
    ? undefined
    : "Write a number, or none.";
}

const NO_BOUND = "none";

function boundIn(text: string): number | typeof NO_BOUND | undefined {
  return text.trim().toLowerCase() === NO_BOUND ? NO_BOUND : numberIn(text);
}

/** The same of several, by commas. */
export function numbersFault(text: string): string | undefined {
  return numbersIn(text).every(Number.isFinite) ? undefined : "Write numbers with commas between.";
}

const NUMBERS = [
  "time",
  "trials",
  "gridSize",
  "folds",
  "horizon",
  "gap",
  "windowStep",
  "seed",
] as const;

/** Whether what is written can be asked for. */
export const isWritten = (draft: Draft): boolean =>
  NUMBERS.every((field) => numberFault(draft[field]) === undefined) &&
  [draft.lowerBound, draft.upperBound].every((text) => boundFault(text) === undefined) &&
  [draft.quantiles, draft.seasonLength].every((text) => numbersFault(text) === undefined);

const numbersIn = (text: string): number[] =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

function seasonOf(text: string): number | number[] | undefined {
  const seasons = numbersIn(text);
  return seasons.length > 1 ? seasons : seasons[0];
}

/** From lines of `key: value`; undefined where there are none. */
function recordOf(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return colon < 0
        ? [line.trim(), ""]
        : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}
