/** How predictions change with one column: a line over its numbers, or a point for each of its categories. */

import type { DependenceSection } from "../../dependence-document.ts";
import { uniqueLabels } from "./labels.ts";
import { isCrowdedLow } from "./shape-steps.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

type ColumnSection = DependenceSection["columns"][number];

const HEIGHT = 230;
const ROW_HEIGHT = 24;
/** Of categories: pixels of the axis and its title. */
const AXIS = 56;

interface Titles {
  readonly of: readonly string[];
  /** What is predicted. */
  readonly said: string;
  /** Of what is predicted, over all columns: a column that moves little is to look so. */
  readonly range: readonly [low: number, high: number];
}

/** Of probabilities, the least height of a drawing: less is nothing to look at closely. */
const LEAST_HEIGHT = 0.1;

/** Between which all that is drawn of the columns lies. */
export function dependenceRange({
  columns,
  of,
}: Pick<DependenceSection, "columns" | "of">): [low: number, high: number] {
  const all = columns.flatMap(({ points = [], levels = [], missing }) => [
    ...points.flatMap(({ mean, low, high, local }) =>
      of.length > 1 ? mean : [...mean, ...low, ...high, ...local],
    ),
    ...[...levels, ...(missing && levels.length > 0 ? [missing] : [])].flatMap(
      ({ mean, low, high }) => (of.length > 1 ? mean : [...mean, ...low, ...high]),
    ),
  ]);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of all) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const lacking = of.length > 0 ? Math.max(0, LEAST_HEIGHT - (most - least)) : 0;
  const low = least - lacking / 2;
  return of.length > 0 ? [Math.max(Math.min(0, least), low), most + lacking / 2] : [low, most];
}

export function dependenceSpec(section: ColumnSection, titles: Titles): Chart {
  return section.points
    ? pointsSpec(section.column, section.points, titles)
    : levelsSpec(section, titles);
}

/** One output: its line with the rows' spread, and accumulated effects; of several their lines. */
function pointsSpec(
  column: string,
  points: NonNullable<ColumnSection["points"]>,
  { of, said, range }: Titles,
): Chart {
  const labels = of.length > 1 ? uniqueLabels(of, 200) : ["partial dependence"];
  const domain: [low: number, high: number] = [...range];
  const isLog = isCrowdedLow(points.map(({ value }) => value));
  const x = {
    field: "value",
    type: "quantitative",
    title: uniqueLabels([column], 300)[0],
    scale: { type: isLog ? "log" : "linear", nice: false, zero: false },
    axis: { grid: false, tickCount: 6, labelOverlap: true },
  } as const;
  const y = {
    type: "quantitative",
    title: said,
    scale: { domain, zero: false, nice: true },
    axis: { tickCount: 5 },
  } as const;
  const color = {
    field: "name",
    type: "nominal",
    scale: { domain: labels, range: SERIES.slice(0, labels.length) },
  } as const;
  const values = labels.flatMap((name, k) =>
    points.map(({ value, mean, low, high, local }) => ({
      name,
      value,
      mean: mean[k],
      low: low[k],
      high: high[k],
      local: local[k],
    })),
  );
  const isAlone = labels.length === 1;
  const layer: ChartSpec["layer"] = [
    {
      mark: { type: "line", point: { size: 18, filled: true }, strokeWidth: 1.75 },
      encoding: { x, y: { ...y, field: "mean" }, color },
    },
  ];
  if (isAlone) {
    layer.unshift({
      mark: { type: "area", color: SERIES[0], opacity: 0.18 },
      encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
    });
    layer.push({
      mark: { type: "line", color: SERIES[1], strokeDash: [5, 3], strokeWidth: 1.75 },
      encoding: { x, y: { ...y, field: "local" } },
    });
  }
  const shown = isAlone ? [...labels, "accumulated local effects"] : labels;
  return {
    spec: { data: { values }, height: HEIGHT, layer },
    legend: shown.map((name, i) => ({ name, colour: SERIES[i] })),
  };
}

function levelsSpec({ levels = [], missing }: ColumnSection, { of, said, range }: Titles): Chart {
  const domain: [low: number, high: number] = [...range];
  const classes = of.length > 1 ? uniqueLabels(of, 200) : ["value"];
  const cells = [...levels, ...(missing ? [{ name: "(missing)", ...missing }] : [])];
  const labels = uniqueLabels(cells.map(({ name }) => name));
  const values = cells.flatMap(({ mean, low, high }, i) =>
    classes.map((name, k) => ({
      label: labels[i],
      name,
      mean: mean[k],
      low: low[k],
      high: high[k],
    })),
  );
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    axis: { title: null, ticks: false, domain: false, grid: true, labelColor: "var(--ink)" },
  } as const;
  const x = {
    type: "quantitative",
    title: said,
    scale: { domain, zero: false, nice: true, padding: 6 },
    axis: { tickCount: 5 },
  } as const;
  const color = {
    field: "name",
    type: "nominal",
    scale: { domain: classes, range: SERIES.slice(0, classes.length) },
  } as const;
  const layer: ChartSpec["layer"] = [
    {
      mark: { type: "point", filled: true, size: 60, opacity: 1 },
      encoding: { y, x: { ...x, field: "mean" }, color },
    },
  ];
  if (classes.length === 1) {
    layer.unshift({
      mark: { type: "rule", color: SERIES[0], strokeWidth: 2, opacity: 0.5 },
      encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } },
    });
  }
  return {
    spec: { data: { values }, height: AXIS + ROW_HEIGHT * cells.length, layer },
    legend: classes.length > 1 ? classes.map((name, i) => ({ name, colour: SERIES[i] })) : [],
  };
}
