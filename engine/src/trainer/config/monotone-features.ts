/** Features whose predictions may only rise, or only fall, with them. */

import { cellText } from "../../data/coerce.ts";
import { theClosest } from "../../data/readers/column-names.ts";
import { rowTold } from "../../data/row-origins.ts";
import { shown } from "../../data/shown.ts";
import type { Table } from "../../data/table.ts";
import type { DataShape } from "../../families/family.ts";
import { roleTold } from "../../tasks/column-roles.ts";
import { rowsOfRun } from "../../tasks/labels/label-rows.ts";
import { isNumberText, otherCells } from "../../tasks/needed-kind.ts";
import type { RunConfig } from "./config.ts";
import { ConfigError } from "./errors.ts";

/** By feature: +1 = must not fall, -1 = must not rise. */
export type MonotoneFeatures = Readonly<Record<string, 1 | -1>>;

/**
 * A constraint on a column holds for all numeric features made of it.
 *
 * @throws ConfigError for a column of which none is made, at its name
 */
export function monotoneFeatures(
  config: RunConfig,
  shape: DataShape,
  table: Table,
): MonotoneFeatures {
  const monotone: Record<string, 1 | -1> = {};
  for (const [column, direction] of Object.entries(config.monotoneConstraints)) {
    const features = shape.features.filter(
      (feature) => feature.column === column && feature.kind === "numeric",
    );
    if (features.length === 0) {
      throw new ConfigError(
        ["monotoneConstraints", column],
        `'${column}' is not a numeric feature of this run${whyNotNumeric(table, column, config)}; only those can be constrained.`,
      );
    }
    for (const feature of features) monotone[feature.name] = direction;
  }
  return monotone;
}

/** In brackets. */
function whyNotNumeric(table: Table, name: string, { task }: RunConfig): string {
  const column = table.columns.find((each) => each.name === name);
  if (!column)
    return ` (${theClosest(
      name,
      table.columns.map((each) => each.name),
    )})`;
  const role = roleTold(task, name);
  if (role !== null) return ` (it ${role})`;
  // Nothing else leaves numbers out.
  if (column.kind === "numeric") return " (it has one value only, or none)";
  const { first } = otherCells(column, rowsOfRun(table, null), isNumberText);
  const cell = shown(cellText(column, first) ?? "");
  return ` (it is ${column.kind}: ${rowTold(table, first)} holds ${cell})`;
}
