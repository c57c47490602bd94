/** Entries of a run's log as they come by events: what is not as it should be is left out, not guessed. */

export type ScoresByMetric = Readonly<Record<string, number | null>>;
export type Values = Readonly<Record<string, unknown>>;

/** A parameter that is searched. */
export interface SearchedParameter {
  readonly name: string;
  readonly isLog: boolean;
  /** Of numbers; null of a list. */
  readonly range: readonly [low: number, high: number] | null;
  readonly choices: readonly unknown[];
}

export interface PlannedFamily {
  readonly family: string;
  readonly reason: string;
  readonly parameters: readonly SearchedParameter[];
}

export interface Plan {
  readonly families: readonly PlannedFamily[];
  readonly leftOut: readonly { readonly family: string; readonly reason: string }[];
  readonly metrics: readonly string[];
  readonly folds: number;
  readonly splitter: string;
  readonly rows: number;
  readonly features: number;
  readonly warnings: readonly string[];
  /** Seconds for all of it; null = no limit. */
  readonly budget: number | null;
}

export interface Selection {
  readonly kind: string;
  readonly members: readonly { readonly trial: number; readonly weight: number }[];
  /** Whether weights are those of a layer over margins, which need not add up to 1. */
  readonly stacked: boolean;
  readonly scores: ScoresByMetric;
  /** The mean over folds, as trials' are; of none in a holdout. */
  readonly meanFoldScores: ScoresByMetric;
  readonly notes: readonly string[];
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);
const textsOf = (value: unknown): string[] => listOf(value).map(textOf).filter(Boolean);

export function scoresOf(value: unknown): ScoresByMetric {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([metric, score]) => [
      metric,
      typeof score === "number" ? score : null,
    ]),
  );
}

export function planOf(value: unknown): Plan | null {
  if (!isRecord(value)) return null;
  return {
    families: listOf(value["matrix"]).flatMap((row) =>
      isRecord(row)
        ? [
            {
              family: textOf(row["family"]),
              reason: textOf(row["reason"]),
              parameters: parametersOf(row["space"]),
            },
          ]
        : [],
    ),
    leftOut: listOf(value["leftOut"]).flatMap((entry) =>
      isRecord(entry) ? [{ family: textOf(entry["family"]), reason: textOf(entry["reason"]) }] : [],
    ),
    metrics: textsOf(value["metrics"]),
    folds: numberOf(value["folds"]),
    splitter: textOf(value["splitter"]),
    rows: numberOf(value["rows"]),
    features: numberOf(value["features"]),
    warnings: textsOf(value["warnings"]),
    budget: typeof value["timeBudgetS"] === "number" ? value["timeBudgetS"] : null,
  };
}

function parametersOf(space: unknown): SearchedParameter[] {
  if (!isRecord(space)) return [];
  return Object.entries(space).flatMap(([name, parameter]) => {
    if (!isRecord(parameter)) return [];
    const { low, high, log, choices } = parameter;
    const range =
      typeof low === "number" && typeof high === "number" ? ([low, high] as const) : null;
    return [{ name, range, isLog: log === true, choices: listOf(choices) }];
  });
}

export function selectionOf(value: unknown): Selection[] {
  if (!isRecord(value)) return [];
  return [
    {
      kind: textOf(value["kind"]),
      members: listOf(value["members"]).flatMap((member) =>
        isRecord(member)
          ? [{ trial: numberOf(member["trial"]), weight: numberOf(member["weight"]) }]
          : [],
      ),
      stacked: isRecord(value["layer"]),
      scores: scoresOf(value["scores"]),
      meanFoldScores: scoresOf(value["meanFoldScores"]),
      notes: textsOf(value["notes"]),
    },
  ];
}
