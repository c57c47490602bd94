/** What a run is asked for in one word: what stands in for the members that its configuration leaves out. */

import type { Family } from "../../families/family.ts";

interface Preset {
  /** Trials of each row of the matrix; absent: 20, or under a time budget as many as it allows. */
  readonly trials?: number;
  /** Eight folds of few rows, without a time budget too. */
  readonly moreFolds?: true;
  /** The best trial alone, and no blend. */
  readonly single?: true;
  /** Families that are looked at where none are named, and why others are not. */
  readonly families?: {
    readonly suits: (family: Family) => boolean;
    readonly otherwise: string;
    /** Families that default runs leave out, and why this one does not. */
    readonly included?: Readonly<Record<string, string>>;
  };
}

/** Families whose model a reader can follow: a sum of terms, or a few states of a series. */
const READABLE: readonly string[] = [
  "linear",
  "gam",
  "seasonal_naive",
  "theta",
  "dynamic_regression",
  "croston",
  "ets",
  "harmonic_regression",
  "arima",
];

/** Of each row of the matrix, where nothing else bounds them. */
export const DEFAULT_TRIALS = 20;

/** What each preset changes. */
const CHANGES = {
  fast: { trials: 2 },
  balanced: {},
  best: { trials: 60, moreFolds: true },
  interpretable: {
    single: true,
    families: {
      suits: ({ id }) => READABLE.includes(id),
      otherwise: "Its models are not read, and an interpretable one is asked for.",
      included: { gam: "Its shape functions are read one by one." },
    },
  },
  small: {
    single: true,
    families: {
      suits: ({ predictsFast }) => predictsFast === true,
      otherwise: "It predicts slowly, and a small model is asked for.",
    },
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof CHANGES;

/** Their names. */
export const PRESETS = [
  "fast",
  "balanced",
  "best",
  "interpretable",
  "small",
] as const satisfies readonly PresetName[];

/** What a preset changes; none: nothing. */
export function presetOf(name: PresetName | undefined): Preset {
  return CHANGES[name ?? "balanced"];
}
