import type { ShapesSection } from "../../shapes-document.ts";
import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, isWide, SERIES } from "./spec.ts";

type Term = ShapesSection["terms"][number];
type Steps = NonNullable<Term["steps"]>;

const HEIGHT = 230;
/** Of the height, what rows take below the shape. */
const ROWS_SHARE = 0.16;
const DENSITY_BARS = 40;
/** Of the width, what the missing cell takes behind the values. */
const MISSING_SHARE = 0.16;
/** Of the range between the outermost ends, what open steps are drawn over at least; else half of their neighbour. */
const OPEN_SHARE = 0.04;

/** A number's shape in steps, one line a class, with a band of a deviation; below it how rows are spread. */
export function shapeStepsSpec(
  { steps = [], missing, feature }: Pick<Term, "steps" | "missing" | "feature">,
  { of, y: title }: { readonly of: readonly string[]; readonly y: string },
): Chart {
  const labels = of.length > 1 ? uniqueLabels(of, 200) : ["value"];
  const axis = axisOf(steps);
  const ends = [axis.low, ...steps.map(({ to }) => to ?? axis.high)];
  const last = missing === null ? axis.high : axis.at(1 + MISSING_SHARE);
  const domain: [low: number, high: number] = [axis.low, last];
  const type = axis.isLog ? "log" : "linear";
  const x = {
    type: "quantitative",
    title: uniqueLabels([feature], 300)[0],
    scale: { type, domain, nice: false, zero: false },
    axis: { grid: false, tickCount: 6, labelOverlap: true },
  } as const;
  const cells = [...steps, ...(missing ? [missing] : [])];
  const range = rangeOf(cells);
  const y = {
    type: "quantitative",
    title,
    scale: { domain: range, nice: false, zero: false },
    axis: { tickCount: 5 },
  } as const;
  const color = {
    field: "name",
    type: "nominal",
    scale: { domain: labels, range: SERIES.slice(0, labels.length) },
  } as const;
  // Both ends of each step, so that lines and bands go straight up between two.
  const points = labels.flatMap((name, k) =>
    steps.flatMap(({ values, deviations }, i) =>
      [ends[i], ends[i + 1]].map((at) => ({
        name,
        at,
        value: values[k],
        low: values[k] - deviations[k],
        high: values[k] + deviations[k],
      })),
    ),
  );
  const shapes: ChartSpec["layer"] = [
    {
      data: { values: [{ zero: 0 }] },
      mark: { type: "rule", color: "var(--axis)", strokeDash: [4, 4] },
      encoding: { y: { ...y, field: "zero" } },
    },
    {
      data: { values: points },
      mark: { type: "area", opacity: 0.2 },
      encoding: {
        x: { ...x, field: "at" },
        y: { ...y, field: "low" },
        y2: { field: "high" },
        color,
      },
    },
    {
      data: { values: points },
      mark: { type: "line", strokeWidth: 1.75 },
      encoding: {
        x: { ...x, field: "at" },
        y: { ...y, field: "value" },
        color,
        order: { value: 0 },
      },
    },
  ];
  if (missing) {
    const apart = labels.map((name, k) => ({
      name,
      at: axis.at(1 + MISSING_SHARE * ((k + 1) / (labels.length + 1))),
      value: missing.values[k],
      low: missing.values[k] - missing.deviations[k],
      high: missing.values[k] + missing.deviations[k],
    }));
    shapes.push(
      {
        data: { values: [{ at: axis.high }] },
        mark: { type: "rule", color: "var(--line)" },
        encoding: { x: { ...x, field: "at" } },
      },
      {
        data: { values: [{ at: axis.at(1 + MISSING_SHARE / 2), text: "missing" }] },
        mark: { type: "text", color: "var(--muted)", y: 8 },
        encoding: { x: { ...x, field: "at" }, text: { field: "text" } },
      },
      {
        data: { values: apart },
        mark: { type: "rule", strokeWidth: 1.5 },
        encoding: {
          x: { ...x, field: "at" },
          y: { ...y, field: "low" },
          y2: { field: "high" },
          color,
        },
      },
      {
        data: { values: apart },
        mark: { type: "point", filled: true, size: 45, opacity: 1 },
        encoding: { x: { ...x, field: "at" }, y: { ...y, field: "value" }, color },
      },
    );
  }
  const bars = densityOf(steps, ends, axis);
  const most = bars.reduce((largest, { share }) => Math.max(largest, share), 0) || 1;
  return {
    spec: {
      height: HEIGHT,
      layer: [
        {
          data: { values: bars },
          mark: { type: "rect", color: "var(--axis)", opacity: 0.55 },
          encoding: {
            x: { ...x, field: "from" },
            x2: { field: "to" },
            y: {
              field: "share",
              type: "quantitative",
              scale: { domain: [0, most / ROWS_SHARE], nice: false },
              axis: null,
            },
            y2: { datum: 0 },
          },
        },
        { layer: shapes },
      ],
      resolve: { scale: { y: "independent" } },
    },
    legend: labels.length > 1 ? labels.map((name, i) => ({ name, colour: SERIES[i] })) : [],
  };
}

/** Where values are drawn: by their logarithms where they are all positive, over powers of ten, and crowded low. */
interface Axis {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
  /** The value at a part of the way from low to high. */
  at(part: number): number;
  /** The part of the way at which a value lies. */
  partOf(value: number): number;
}

/**
 * Whether logarithms spread ends better, which have about equally many rows between them: values that are
 * even from 0.001 to 1 are wide as well, but logarithms would give most of the width to a few of them.
 */
export function isCrowdedLow(ends: readonly number[]): boolean {
  if (ends.length < 2 || !isWide(ends)) return false;
  const [first, middle, last] = [ends[0], ends[ends.length >> 1], ends[ends.length - 1]];
  const off = (place: number): number => Math.abs(place - 0.5);
  return (
    off(Math.log(middle / first) / Math.log(last / first)) < off((middle - first) / (last - first))
  );
}

function axisOf(steps: Steps): Axis {
  const inner = steps.flatMap(({ to }) => (to === null ? [] : [to]));
  const isLog = isCrowdedLow(inner);
  const into = isLog ? Math.log : (value: number): number => value;
  const back = isLog ? Math.exp : (value: number): number => value;
  const first = into(inner[0] ?? 0);
  const end = into(inner[inner.length - 1] ?? 0);
  // Around a single end as far as to 0, so that 0 and 1 are drawn as they are.
  const roomBeside = (neighbour: number | undefined, own: number): number => {
    if (neighbour === undefined || !(end > first)) return Math.abs(end) || 1;
    return Math.max(OPEN_SHARE * (end - first), Math.abs(into(neighbour) - own) / 2);
  };
  const low = first - roomBeside(inner[1], first);
  const high = end + roomBeside(inner[inner.length - 2], end);
  return {
    low: back(low),
    high: back(high),
    isLog,
    at: (part) => back(low + part * (high - low)),
    partOf: (value) => (into(value) - low) / (high - low),
  };
}

/** From below the lowest to above the highest, with room for rows below. */
function rangeOf(
  cells: readonly Pick<Steps[number], "values" | "deviations">[],
): [low: number, high: number] {
  let [low, high] = [0, 0];
  for (const { values, deviations } of cells) {
    for (const [k, value] of values.entries()) {
      low = Math.min(low, value - deviations[k]);
      high = Math.max(high, value + deviations[k]);
    }
  }
  const size = high - low || 1;
  const room = 0.06 * size;
  return [low - room - (ROWS_SHARE / (1 - ROWS_SHARE)) * size, high + 2 * room];
}

/** Shares of the rows in bars of equal width; those of a step lie evenly over it. */
function densityOf(steps: Steps, ends: readonly number[], axis: Axis) {
  const shares = new Float64Array(DENSITY_BARS);
  for (const [i, { weight }] of steps.entries()) {
    const from = DENSITY_BARS * axis.partOf(ends[i]);
    const to = DENSITY_BARS * axis.partOf(ends[i + 1]);
    if (!(to > from)) continue;
    for (let bar = Math.max(0, Math.floor(from)); bar < Math.min(DENSITY_BARS, to); bar++) {
      shares[bar] += (weight * (Math.min(to, bar + 1) - Math.max(from, bar))) / (to - from);
    }
  }
  return [...shares].map((share, bar) => ({
    from: axis.at(bar / DENSITY_BARS),
    to: axis.at((bar + 1) / DENSITY_BARS),
    share,
  }));
}
