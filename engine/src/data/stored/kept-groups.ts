/**
 * Which groups of rows a filter may let rows through of, told by their statistics alone. By Kleene's
 * logic, as the filter itself: of each part, which truths some row may have.
 */

import type { BoundComparison, BoundFilter } from "../filter/bind-filter.ts";
import type { ComparisonOperator } from "../filter/filter-node.ts";
import { predicate } from "../filter/select-rows.ts";
import type { ColumnStatistics } from "./metadata.ts";

/** Of one column. */
export interface GroupedColumn {
  readonly statistics: ColumnStatistics;
  /** Of a column of categories; asked for only where a filter compares them. */
  readonly categories: () => readonly string[];
}

/** What some row may be; a truth that is false here is that of no row. */
interface Truths {
  readonly mayPass: boolean;
  readonly mayFail: boolean;
  readonly mayBeUnknown: boolean;
}

/** One entry a group: whether some of its rows may pass. */
export function keptGroups(
  filter: BoundFilter,
  rowsOf: readonly number[],
  column: (name: string) => GroupedColumn,
): boolean[] {
  return rowsOf.map((rows, group) => truths(filter, group, rows, column).mayPass);
}

function truths(
  filter: BoundFilter,
  group: number,
  rows: number,
  column: (name: string) => GroupedColumn,
): Truths {
  switch (filter.kind) {
    case "comparison":
      return compared(filter, group, rows, column(filter.column));
    case "not": {
      const { mayPass, mayFail, mayBeUnknown } = truths(filter.expr, group, rows, column);
      return { mayPass: mayFail, mayFail: mayPass, mayBeUnknown };
    }
    case "bool": {
      const parts = filter.exprs.map((expr) => truths(expr, group, rows, column));
      const mayBeUnknown = parts.some((part) => part.mayBeUnknown);
      const all = (truth: "mayPass" | "mayFail") => parts.every((part) => part[truth]);
      const some = (truth: "mayPass" | "mayFail") => parts.some((part) => part[truth]);
      return filter.op === "and"
        ? { mayPass: all("mayPass"), mayFail: some("mayFail"), mayBeUnknown }
        : { mayPass: some("mayPass"), mayFail: all("mayFail"), mayBeUnknown };
    }
  }
}

const CONTRARY: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "ne",
  ne: "eq",
  lt: "ge",
  ge: "lt",
  gt: "le",
  le: "gt",
  in: "not_in",
  not_in: "in",
  is_null: "is_not_null",
  is_not_null: "is_null",
};

function compared(
  { op, operand }: BoundComparison,
  group: number,
  rows: number,
  { statistics, categories }: GroupedColumn,
): Truths {
  const missing = statistics.missing[group] ?? 0;
  const [hasMissing, hasValues] = [missing > 0, missing < rows];
  if (op === "is_null" || op === "is_not_null") {
    const [mayPass, mayFail] = op === "is_null" ? [hasMissing, hasValues] : [hasValues, hasMissing];
    return { mayPass, mayFail, mayBeUnknown: false };
  }
  const holds = (asked: ComparisonOperator): boolean => {
    if (operand.kind === "categorical" || operand.kind === "text") {
      const codes = statistics.codes?.[group] ?? null;
      if (codes === null) return true;
      const texts = categories();
      const passes = predicate(asked, operand.values.map(String));
      return codes.some((code) => passes(texts[code] ?? ""));
    }
    return mayHold(asked, operand.values.map(Number), {
      low: statistics.low?.[group] ?? Number.NEGATIVE_INFINITY,
      high: statistics.high?.[group] ?? Number.POSITIVE_INFINITY,
    });
  };
  return {
    mayPass: hasValues && holds(op),
    mayFail: hasValues && holds(CONTRARY[op]),
    mayBeUnknown: hasMissing,
  };
}

/** Whether it holds for some number from `low` to `high`. */
function mayHold(
  op: ComparisonOperator,
  values: readonly number[],
  { low, high }: { readonly low: number; readonly high: number },
): boolean {
  const [value] = values;
  const isOne = low === high;
  switch (op) {
    case "eq":
      return low <= value && value <= high;
    case "ne":
      return !(isOne && low === value);
    case "lt":
      return low < value;
    case "le":
      return low <= value;
    case "gt":
      return high > value;
    case "ge":
      return high >= value;
    case "in":
      return values.some((each) => low <= each && each <= high);
    case "not_in":
      return !(isOne && values.includes(low));
    case "is_null":
    case "is_not_null":
      return true;
  }
}
