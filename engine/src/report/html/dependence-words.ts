/** What is said of how predictions depend on columns, on the report's page and elsewhere. */

import type { DependenceSection } from "../dependence-document.ts";
import type { WordTable } from "./decision-words.ts";
import { figure, percent, plural, shortened } from "./format.ts";

type ColumnSection = DependenceSection["columns"][number];

/** What is predicted, as the title of an axis. */
export function dependenceUnit({ of }: DependenceSection, label: string): string {
  if (of.length === 0) return `predicted ${shortened(label, 40)}`;
  return of.length === 1 ? `probability of ${shortened(of[0], 30)}` : "probability of the class";
}

/** How the drawings are read, and what they are not. */
export function dependenceNote({ rows, localRows, of }: DependenceSection): string {
  return `What the model predicts on average when one column of ${plural(rows, "row")} is given another value and all others stay as they are (partial dependence). ${
    of.length > 1
      ? ""
      : "The band holds what 80 % of these rows change by, each about its own mean: where it is wide, the effect depends on other columns. "
  }The dashed line of a number moves up to ${plural(localRows, "row")} within their own neighbourhood alone (accumulated local effects). Where the two part, the column goes together with others, and the first asks for rows that do not occur. Both are of the model itself, on rows that it mostly learned from: they say how it answers, not how right it is, nor what causes what.`;
}

export function dependenceSays({ levelsLeftOut, levels, missing }: ColumnSection): string {
  const shown = levels
    ? levelsLeftOut > 0
      ? `The ${levels.length} most frequent; ${levelsLeftOut} more are not drawn. `
      : ""
    : "Dots are at quantiles of the rows. ";
  const without =
    missing && levels === undefined
      ? `Without a value: ${missing.mean.map((mean) => figure(mean)).join(", ")}, of ${percent(missing.share)} of the rows.`
      : "";
  return `${shown}${without}`.trim();
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
