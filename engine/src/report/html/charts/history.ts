import { familyLegend } from "./legend.ts";
import { type Chart, type ChartSpec, isWide, SERIES } from "./spec.ts";

export interface HistoryTrial {
  readonly number: number;
  readonly family: string;
  readonly state: string;
  readonly score: number;
  /** Of the first metric among finished trials so far; null before the first. */
  readonly best: number | null;
}

export interface HistoryPlot {
  readonly trials: readonly HistoryTrial[];
  readonly families: readonly string[];
  readonly metric: string;
  readonly direction: "minimize" | "maximize";
}

/** Trials by number, and the best score so far as steps. */
export function historySpec({ trials, families, metric, direction }: HistoryPlot): Chart {
  const scores = trials.map(({ score }) => score);
  const isLog = isWide(scores);
  const domain = isLog
    ? readableRange(scores.map(Math.log), direction).map(Math.exp)
    : readableRange(scores, direction);
  const y = {
    type: "quantitative",
    title: metric,
    scale: isLog
      ? { type: "log" as const, domain, clamp: true }
      : { domain, zero: false, clamp: true },
  } as const;
  const x = {
    field: "number",
    type: "quantitative",
    title: "trial",
    scale: { nice: false },
    axis: { tickMinStep: 1, grid: false, format: "d" },
  } as const;
  const spec: ChartSpec = {
    data: { values: trials.map((trial) => ({ ...trial })) },
    height: 270,
    layer: [
      {
        mark: { type: "line", interpolate: "step-after", color: "var(--ink)", strokeWidth: 1.25 },
        transform: [{ filter: "isValid(datum.best)" }],
        encoding: { x, y: { ...y, field: "best" } },
      },
      {
        mark: { type: "point", filled: true, size: 34, opacity: 0.85 },
        transform: [{ filter: "datum.state == 'finished'" }],
        encoding: {
          x,
          y: { ...y, field: "score" },
          color: {
            field: "family",
            type: "nominal",
            scale: { domain: [...families], range: [...SERIES] },
          },
        },
      },
      {
        mark: { type: "point", shape: "cross", filled: true, size: 40, opacity: 0.6 },
        transform: [{ filter: "datum.state != 'finished'" }],
        encoding: {
          x,
          y: { ...y, field: "score" },
          color: {
            field: "family",
            type: "nominal",
            scale: { domain: [...families], range: [...SERIES] },
          },
        },
      },
    ],
  };
  return { spec, legend: familyLegend(families, new Set(trials.map(({ family }) => family))) };
}

/** From the best to somewhat beyond the third quartile: one diverged trial does not hide the rest. */
export function readableRange(
  scores: readonly number[],
  direction: "minimize" | "maximize",
): [number, number] {
  const sign = direction === "minimize" ? 1 : -1;
  const losses = scores.map((value) => sign * value).sort((a, b) => a - b);
  const best = losses[0] ?? 0;
  const quartile = losses[Math.floor(0.75 * (losses.length - 1))] ?? best;
  const worst = losses.at(-1) ?? best;
  const limit = Math.min(worst, quartile + 1.5 * (quartile - best));
  const pad = Math.max((limit - best) * 0.06, Math.abs(best) * 1e-3, 1e-9);
  const ends: [number, number] = [sign * (best - pad), sign * (limit + pad)];
  return sign > 0 ? ends : [ends[1], ends[0]];
}
