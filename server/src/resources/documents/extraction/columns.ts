/** The columns of extracted rows: what they are called, and of which kind they are. */

import type { ColumnKind } from "@distillery/engine";
import { areOfColumn } from "../../../reading/induction/locators/locator.ts";
import type { ExtractionPlan } from "../../../reading/induction/schema.ts";
import type { Normal, ValueKind } from "../../../reading/induction/values/value.ts";

export interface ColumnNames {
  /** The document's id and its name. */
  readonly meta: readonly [id: string, name: string];
  /** One for each question. */
  readonly evidence: readonly string[];
}

/** Questions keep their ids; what stands beside them steps aside. */
export function columnNamesOf(questions: readonly string[]): ColumnNames {
  const taken = new Set(questions);
  const free = (name: string): string => {
    let found = name;
    while (taken.has(found)) found += "_";
    taken.add(found);
    return found;
  };
  return {
    meta: [free("document_id"), free("document_name")],
    evidence: questions.map((id) => free(`${id}_evidence`)),
  };
}

const NUMBERS: readonly ValueKind[] = ["money", "number", "percent", "quantity"];

/** What DuckDB holds the values of a question as; several values are one text. */
export function sqlTypeOf({
  target,
}: Pick<ExtractionPlan["answerers"][number], "target">): "VARCHAR" | "DOUBLE" | "BOOLEAN" | "DATE" {
  if (target.multiple) return "VARCHAR";
  if (NUMBERS.includes(target.kind)) return "DOUBLE";
  if (target.kind === "boolean") return "BOOLEAN";
  return target.kind === "date" ? "DATE" : "VARCHAR";
}

/** The kind of a question's column in a dataset, where it is not to be inferred from the values. */
export function columnKindOf({
  target,
  locators,
}: ExtractionPlan["answerers"][number]): ColumnKind | null {
  if (target.enum.length > 0) return "categorical";
  // A table's column is a list, also where each document has but one row.
  if (target.multiple) return areOfColumn(locators) ? "text" : null;
  if (NUMBERS.includes(target.kind)) return "numeric";
  if (target.kind === "boolean") return "boolean";
  return target.kind === "date" ? "timestamp" : null;
}

/** The value as the column's type holds it; null where it cannot. */
export function cellOf(type: string, value: Normal | null | undefined): Normal | null {
  if (value == null) return null;
  if (type === "DOUBLE") return typeof value === "number" && Number.isFinite(value) ? value : null;
  if (type === "BOOLEAN") return typeof value === "boolean" ? value : null;
  return type === "DATE" ? dayOf(String(value)) : String(value);
}

/** A month stands in a column of days as its first, a year as its first. */
function dayOf(text: string): string | null {
  const [, year, month = "01", day = "01"] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text) ?? [];
  if (year === undefined) return null;
  const written = `${year}-${month}-${day}`;
  const date = new Date(`${written}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written);
  return isDay ? written : null;
}
