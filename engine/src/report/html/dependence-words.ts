/** What is said of how predictions depend on columns, on the report's page and elsewhere. */

import type { DependenceSection } from "../dependence-document.ts";
import type { WordTable } from "./decision-words.ts";
import { figure, percent, plural, shortened, whole } from "./format.ts";

type ColumnSection = DependenceSection["columns"][number];

/** What is predicted, as the title of an axis. */
export function dependenceUnit({ of }: DependenceSection, label: string): string {
  if (of.length === 0) return `predicted ${shortened(label, 40)}`;
  return of.length === 1 ? `probability of ${shortened(of[0], 30)}` : "probability of the class";
}

/** How the drawings are read, and what they are not. */
export function dependenceNote({ rows, localRows, of, columns }: DependenceSection): string {
  if (columns.length === 0) {
    return "The run's time was too short to draw this: give it a longer time budget, or none.";
  }
  const local = `The dashed line of a number moves up to ${plural(localRows, "row")} within their own neighbourhood alone (accumulated local effects). Where the two part, the column goes together with others, and the first asks for rows that do not occur.`;
  return `What the model predicts on average when one column of ${plural(rows, "row")} is given another value and all others stay as they are (partial dependence). ${
    of.length > 1
      ? ""
      : `The band holds what 80 % of these rows change by, each about its own mean: where it is wide, the effect depends on other columns. ${columns.some(({ points }) => points) ? `${local} ` : ""}`
  }All of it is of the model itself, on rows that it mostly learned from: it says how the model answers, not how right it is, nor what causes what.`;
}

/** @param range over which all columns are drawn */
export function dependenceSays(
  column: ColumnSection,
  range: readonly [low: number, high: number],
): string {
  const { levelsLeftOut, levels, missing, points } = column;
  if (!points) {
    const isAlone = (levels?.[0]?.mean.length ?? 1) < 2;
    return levelsLeftOut > 0
      ? `The ${plural(levels?.length ?? 0, "most frequent category", "most frequent categories")}; ${whole(levelsLeftOut)} more are not drawn.`
      : isAlone
        ? "Each dot is a category, its line the band."
        : "Each dot is the mean probability of a class.";
  }
  const without = missing
    ? ` Without a value it is ${missing.mean.map((mean) => figure(mean)).join(", ")}; ${percent(missing.share)} of the rows have none.`
    : "";
  return `${partingSays(points, SEEN * (range[1] - range[0]))}${without}`;
}

/** Standard errors beyond which both lines differ by more than chance, wherever they are compared. */
const CLEARLY = 4;
/** Of the height of the drawing, below which a distance is none to speak of. */
const SEEN = 0.05;

/** Of a single output: whether partial dependence and accumulated effects tell two stories. */
function partingSays(points: NonNullable<ColumnSection["points"]>, seen: number): string {
  if (points[0].mean.length > 1)
    return "Dots are at quantiles of the rows, or at all values of few.";
  const widest = points
    .map(({ value, mean, error, local, localError }) => {
      const distance = Math.abs(local[0] - mean[0]);
      return { value, distance, errors: distance / (Math.hypot(error[0], localError[0]) || 1e-12) };
    })
    .reduce((a, b) => (b.errors > a.errors ? b : a));
  return widest.errors > CLEARLY && widest.distance > seen
    ? `The two lines part, by ${figure(widest.distance)} at ${figure(widest.value)}: the column goes together with others, and the dashed line is nearer to what occurs.`
    : "The two lines agree, but for what chance makes of so few rows.";
}

export function dependenceTable(
  { points = [], levels = [], missing }: ColumnSection,
  of: readonly string[],
): WordTable {
  const isPoints = points.length > 0;
  const isAlone = of.length < 2;
  const named = isAlone ? ["Mean"] : of.map((name) => shortened(name, 40));
  const rowOf = (
    name: string,
    said: NonNullable<ColumnSection["missing"]>,
    local: readonly number[] | null,
  ): string[] => [
    name,
    ...said.mean.map((mean) => figure(mean)),
    ...(isAlone ? [`${figure(said.low[0])} … ${figure(said.high[0])}`] : []),
    ...(isPoints && isAlone ? [local === null ? "–" : figure(local[0])] : []),
    percent(said.share),
  ];
  return {
    heads: [
      isPoints ? "Value" : "Category",
      ...named,
      ...(isAlone ? ["Middle 80 %"] : []),
      ...(isPoints && isAlone ? ["Accumulated"] : []),
      "Rows",
    ],
    rows: [
      ...points.map((point) => rowOf(figure(point.value), point, point.local)),
      ...levels.map((level) => rowOf(shortened(level.name, 60), level, null)),
      ...(missing ? [rowOf("(missing)", missing, null)] : []),
    ],
  };
}
