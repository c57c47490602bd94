import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

export interface ParetoPoint {
  readonly x: number;
  readonly y: number;
  readonly kind: "trial" | "model";
}

const LOOKS = {
  trial: { size: 22, color: "var(--axis)" },
  model: { size: 80, color: SERIES[1] },
} as const;

/** Trials as faint dots, the run's models as large ones. */
export function paretoSpec(
  points: readonly ParetoPoint[],
  axes: { readonly x: string; readonly y: string },
): Chart {
  const domains = { x: aroundModels(points, "x"), y: aroundModels(points, "y") };
  const near = points.filter(({ x, y }) => within(x, domains.x) && within(y, domains.y));
  const spec: ChartSpec = {
    data: { values: near.map((point) => ({ ...point })) },
    height: 300,
    layer: (["trial", "model"] as const).map((kind) => ({
      transform: [{ filter: { field: "kind", equal: kind } }],
      mark: { type: "point", filled: true, ...LOOKS[kind] },
      encoding: {
        x: axisOf("x", axes.x, domains.x),
        y: axisOf("y", axes.y, domains.y),
      },
    })),
  };
  return {
    spec,
    legend: [
      { name: "trial", colour: LOOKS.trial.color },
      { name: "model", colour: LOOKS.model.color },
    ],
  };
}

type Domain = [low: number, high: number];

/** Where the models are, and as far again to both sides; trials beyond would press them together. */
function aroundModels(points: readonly ParetoPoint[], axis: "x" | "y"): Domain {
  const models = points.filter(({ kind }) => kind === "model").map((point) => point[axis]);
  const low = Math.min(...models);
  const high = Math.max(...models);
  const room = Math.max(high - low, 0.02 * Math.abs(high), 1e-9);
  return [low - room, high + room];
}

function within(value: number, [low, high]: Domain): boolean {
  return value >= low && value <= high;
}

function axisOf(field: "x" | "y", title: string, domain: Domain) {
  return { field, type: "quantitative", title, scale: { domain, zero: false } } as const;
}
