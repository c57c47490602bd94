import { uniqueLabels } from "./labels.ts";
import { familyLegend } from "./legend.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

export interface FoldScores {
  readonly name: string;
  readonly family: string;
  readonly mean: number;
  readonly folds: readonly number[];
}

const ROW_HEIGHT = 20;

/** Each trial's folds as ticks and their mean as a dot. */
export function foldSpreadSpec(
  trials: readonly FoldScores[],
  families: readonly string[],
  metric: string,
): Chart {
  const labels = uniqueLabels(trials.map(({ name }) => name));
  const means = trials.map(({ mean, family }, i) => ({ label: labels[i], mean, family }));
  const folds = trials.flatMap((trial, i) =>
    trial.folds.map((fold) => ({ label: labels[i], fold, family: trial.family })),
  );
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    axis: { title: null, ticks: false, domain: false, grid: true, labelColor: "var(--ink)" },
  } as const;
  const color = {
    field: "family",
    type: "nominal",
    scale: { domain: [...families], range: [...SERIES] },
  } as const;
  const scale = { zero: false, nice: true, padding: 6 };
  const spec: ChartSpec = {
    height: 50 + ROW_HEIGHT * trials.length,
    layer: [
      {
        data: { values: folds },
        mark: { type: "tick", thickness: 1.5, size: 11, opacity: 0.55 },
        encoding: {
          y,
          x: { field: "fold", type: "quantitative", scale, title: metric },
          color,
        },
      },
      {
        data: { values: means },
        mark: { type: "point", filled: true, size: 50, opacity: 1 },
        encoding: { y, x: { field: "mean", type: "quantitative", scale }, color },
      },
    ],
  };
  return { spec, legend: familyLegend(families, new Set(trials.map(({ family }) => family))) };
}
