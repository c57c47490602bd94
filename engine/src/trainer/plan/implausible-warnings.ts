/** Values that are hardly meant, said before the run: they reach every model of it. */

import type { Task } from "../../tasks/index.ts";
import type { DataProfile } from "./data-profile.ts";

/** Columns that are told; the report tells all. */
const TOLD = 10;

export function implausibleWarnings(
  { columns, rows, profiledRows }: DataProfile,
  task: Task,
): string[] {
  // The label comes first; of classes its values are names.
  const looked = task.classes.length === 0 ? columns : columns.slice(1);
  const found = looked.filter(({ implausible = [] }) => implausible.length > 0);
  const of = profiledRows < rows ? `In the ${profiledRows} rows examined: ` : "";
  const told = found
    .slice(0, TOLD)
    .flatMap(({ implausible = [] }) => implausible.map(({ message }) => `${of}${message}`));
  const others = found.length - TOLD;
  if (others <= 0) return told;
  return [
    ...told,
    `${others} more ${others === 1 ? "column has" : "columns have"} implausible values; the report's section on the data lists them.`,
  ];
}
