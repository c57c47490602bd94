/** What a model says of one row, and by what it came to it, in one form for all kinds of task. */

import type { Outputs } from "@distillery/client";

type Prediction = Outputs["models"]["predict"]["predictions"][number];
type Explanations = Outputs["models"]["explain"];

export interface Said {
  /** Of values: the value, with its interval or its quantiles. */
  readonly value: number | null;
  readonly interval: readonly [low: number, high: number] | null;
  readonly quantiles: readonly (readonly [level: string, value: number])[];
  /** Of classes. */
  readonly label: string | null;
  readonly probabilities: readonly (readonly [name: string, probability: number])[];
  /** Classes that may be true, at the coverage of the model. */
  readonly set: readonly string[];
}

export function saidOf(prediction: Prediction): Said {
  const {
    value = null,
    interval = null,
    quantiles = null,
    label = null,
    probabilities = null,
    set = null,
  } = prediction as Readonly<{
    value?: number;
    interval?: readonly [number, number] | null;
    quantiles?: Readonly<Record<string, number>>;
    label?: string;
    probabilities?: Readonly<Record<string, number>>;
    set?: readonly string[] | null;
  }>;
  return {
    value: value ?? middleOf(quantiles),
    interval,
    quantiles: Object.entries(quantiles ?? {}).sort(([a], [b]) => Number(a) - Number(b)),
    label,
    probabilities: Object.entries(probabilities ?? {}),
    set: set ?? [],
  };
}

/** The quantile nearest to the median. */
function middleOf(quantiles: Readonly<Record<string, number>> | null): number | null {
  const all = Object.entries(quantiles ?? {});
  if (all.length === 0) return null;
  return all.reduce((a, b) =>
    Math.abs(Number(b[0]) - 0.5) < Math.abs(Number(a[0]) - 0.5) ? b : a,
  )[1];
}

/** How one number came about: contributions from `base` on add up to `prediction`. */
export interface Path {
  readonly base: number;
  readonly prediction: number;
  readonly contributions: readonly (readonly [column: string, contribution: number])[];
}

/** @param of the class, where each has contributions of its own */
export function pathOf({ explanations }: Explanations, of: string | null): Path | null {
  const [first] = explanations;
  if (first === undefined) return null;
  const one = "classes" in first ? first.classes[of ?? Object.keys(first.classes)[0]!] : first;
  if (one === undefined) return null;
  return {
    base: one.base_value,
    prediction: one.prediction,
    contributions: Object.entries(one.contributions),
  };
}

export interface Stair {
  /** Null = all columns that have no stair of their own. */
  readonly column: string | null;
  /** How many columns it is of. */
  readonly columns: number;
  readonly from: number;
  readonly to: number;
}

/** The largest contributions as stairs from the base to the prediction, the rest as the last of them. */
export function stairsOf({ base, contributions }: Path, most: number): Stair[] {
  const sorted = contributions.toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const own = sorted.slice(0, sorted.length > most ? most - 1 : most);
  const others = sorted.slice(own.length);
  const parts = [
    ...own.map(([column, by]) => ({ column, columns: 1, by })),
    ...(others.length > 0
      ? [{ column: null, columns: others.length, by: others.reduce((sum, [, by]) => sum + by, 0) }]
      : []),
  ];
  let at = base;
  return parts.map(({ column, columns, by }) => {
    const from = at;
    at += by;
    return { column, columns, from, to: at };
  });
}

/** Families whose reasons begin at the mean of the training rows' inputs; the others' at a mean of answers. */
const FROM_TYPICAL_ROW: ReadonlySet<string> = new Set(["mlp", "gaussian_process"]);

/** What the base of a path is, by the families of the model's members: to begin a line with. */
export function baseTold(families: readonly string[]): string {
  const typical = families.filter((family) => FROM_TYPICAL_ROW.has(family)).length;
  if (typical === 0) return "Without looking at the row";
  return typical === families.length
    ? "At a row with the mean of each input"
    : "Before looking at the row, partly at a row with the mean of each input";
}

/** What the reasons of a class add up in: its name, and how to read it. */
export function scaleOf(space: Explanations["space"]): {
  readonly name: string;
  readonly hint: string;
} {
  switch (space) {
    case "probability":
      return { name: "probability", hint: "." };
    case "log_softmax":
      // A margin is no log-odds: 0 may be nearly certain.
      return {
        name: "margin",
        hint: ": the class whose margin is the highest is the likeliest, and 0.7 more makes it twice as likely beside each other class.",
      };
    default:
      return { name: "log-odds", hint: ": 0 is as likely as not, and 0.7 doubles the odds." };
  }
}
