import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

export interface ParetoPoint {
  readonly x: number;
  readonly y: number;
  /** `shown`: the model that somebody looks at. */
  readonly kind: "trial" | "model" | "shown";
}

const LOOKS = {
  trial: { size: 22, color: "var(--axis)" },
  model: { size: 80, color: SERIES[1] },
  shown: { size: 150, color: SERIES[0] },
} as const;
const NAMES = { trial: "trial", model: "model", shown: "this model" } as const;
const KINDS = ["trial", "model", "shown"] as const;

/** Trials as faint dots, the run's models as large ones. */
export function paretoSpec(
  points: readonly ParetoPoint[],
  axes: { readonly x: string; readonly y: string },
): Chart {
  const domains = { x: aroundModels(points, "x"), y: aroundModels(points, "y") };
  const near = points.filter(({ x, y }) => within(x, domains.x) && within(y, domains.y));
  const isThere = (kind: (typeof KINDS)[number]): boolean =>
    kind === "trial" || points.some((point) => point.kind === kind);
  const spec: ChartSpec = {
    data: { values: near.map((point) => ({ ...point })) },
    height: 300,
    layer: KINDS.filter(isThere).map((kind) => ({
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
    legend: KINDS.filter(isThere).map((kind) => ({ name: NAMES[kind], colour: LOOKS[kind].color })),
  };
}

type Domain = [low: number, high: number];

/**
 * Where the models are, and as far again to both sides; trials beyond would press them together. Where the models
 * are one point, as far as the nearer half of the trials.
 */
function aroundModels(points: readonly ParetoPoint[], axis: "x" | "y"): Domain {
  const models = points.filter(({ kind }) => kind !== "trial").map((point) => point[axis]);
  const low = Math.min(...models);
  const high = Math.max(...models);
  const near = high > low ? high - low : 1.1 * middleDistance(points, axis, low);
  const room = Math.max(near, 0.02 * Math.abs(high), 1e-9);
  return [low - room, high + room];
}

/** The median distance of the trials; 0 where there are none. */
function middleDistance(points: readonly ParetoPoint[], axis: "x" | "y", from: number): number {
  const distances = points
    .filter(({ kind }) => kind === "trial")
    .map((point) => Math.abs(point[axis] - from))
    .toSorted((a, b) => a - b);
  return distances[distances.length >> 1] ?? 0;
}

function within(value: number, [low, high]: Domain): boolean {
  return value >= low && value <= high;
}

function axisOf(field: "x" | "y", title: string, domain: Domain) {
  const axis = { labelOverlap: "greedy", labelSeparation: 8 } as const;
  return { field, type: "quantitative", title, axis, scale: { domain, zero: false } } as const;
}
