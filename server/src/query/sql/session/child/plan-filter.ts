/**
 * What a plan demands of one table's rows, as a filter of ours. Parts whose meaning is not beyond doubt
 * are left out, so that the filter lets through the plan's rows and perhaps more.
 */

import type { ScanFilter, ScanOperator } from "../../../sources/scan-filter.ts";
import { type JsonObject, objectOf, objectsOf, textOf } from "./lossless-json.ts";
import { scanValueOf } from "./plan-values.ts";

export interface PlanFilter {
  /** Null lets every row through. */
  readonly filter: ScanFilter | null;
  /** Whether it lets through no others than the plan's. */
  readonly exact: boolean;
}

/** The column that a reference stands for, or null where that is not sure. */
export type ColumnOfReference = (reference: JsonObject) => string | null;

const NOTHING: PlanFilter = { filter: null, exact: false };
const MAX_VALUES = 1000;

const OPERATORS = new Map<string, ScanOperator>([
  ["COMPARE_EQUAL", "eq"],
  ["COMPARE_NOTEQUAL", "ne"],
  ["COMPARE_LESSTHAN", "lt"],
  ["COMPARE_LESSTHANOREQUALTO", "le"],
  ["COMPARE_GREATERTHAN", "gt"],
  ["COMPARE_GREATERTHANOREQUALTO", "ge"],
]);
const MIRRORED = { eq: "eq", ne: "ne", lt: "gt", le: "ge", gt: "lt", ge: "le" } as const;
const NEGATED = { eq: "ne", ne: "eq", lt: "ge", le: "gt", gt: "le", ge: "lt" } as const;

/** Every one of them is met. */
export function allOf(filters: readonly PlanFilter[]): PlanFilter {
  const kept = filters.flatMap(({ filter }) => (filter === null ? [] : [filter]));
  const exact = filters.every((filter) => filter.exact);
  if (kept.length <= 1) return { filter: kept[0] ?? null, exact };
  return {
    filter: {
      kind: "and",
      filters: kept.flatMap((one) => (one.kind === "and" ? one.filters : [one])),
    },
    exact,
  };
}

/** At least one is met; one that lets everything through makes the whole do so. */
export function anyOf(filters: readonly PlanFilter[]): PlanFilter {
  const kept = filters.flatMap(({ filter }) => (filter === null ? [] : [filter]));
  if (kept.length < filters.length) return NOTHING;
  if (kept.length === 1) return filters[0]!;
  return {
    filter: {
      kind: "or",
      filters: kept.flatMap((one) => (one.kind === "or" ? one.filters : [one])),
    },
    exact: filters.every((filter) => filter.exact),
  };
}

/** In a filter of a scan's column, the column is its only one. */
export const ownColumn =
  (column: string): ColumnOfReference =>
  (reference) =>
    (reference["index"] ?? 0) === 0 && reference["alias"] === column ? column : null;

/** A filter that the scan itself applies to one of its columns. */
export function tableFilterOf(column: string, filter: JsonObject): PlanFilter {
  switch (filter["filter_type"]) {
    case "CONSTANT_COMPARISON":
      return comparison(
        column,
        OPERATORS.get(textOf(filter["comparison_type"])),
        objectOf(filter["constant"]),
      );
    case "IS_NULL":
      return { filter: { kind: "is_null", column }, exact: true };
    case "IS_NOT_NULL":
      return { filter: { kind: "is_not_null", column }, exact: true };
    case "CONJUNCTION_AND":
      return allOf(objectsOf(filter["child_filters"]).map((child) => tableFilterOf(column, child)));
    case "CONJUNCTION_OR":
      return anyOf(objectsOf(filter["child_filters"]).map((child) => tableFilterOf(column, child)));
    case "IN_FILTER":
      return inValues(column, objectsOf(filter["values"]));
    case "OPTIONAL_FILTER":
      return tableFilterOf(column, objectOf(filter["child_filter"]));
    case "EXPRESSION_FILTER":
      return expressionOf(objectOf(filter["expr"]), ownColumn(column));
    default:
      return NOTHING;
  }
}

/** A bound expression that a row must meet, or with `negated` must not (and not be NULL). */
export function expressionOf(
  expression: JsonObject,
  columnOf: ColumnOfReference,
  negated = false,
): PlanFilter {
  const children = objectsOf(expression["children"]);
  const parts = (negate: boolean): PlanFilter[] =>
    children.map((child) => expressionOf(child, columnOf, negate));
  const column = (node: JsonObject | undefined): string | null =>
    node?.["expression_class"] === "BOUND_REF" ? columnOf(node) : null;
  switch (expression["type"]) {
    case "CONJUNCTION_AND":
      return negated ? anyOf(parts(true)) : allOf(parts(false));
    case "CONJUNCTION_OR":
      return negated ? allOf(parts(true)) : anyOf(parts(false));
    case "OPERATOR_NOT":
      return children.length === 1 ? expressionOf(children[0]!, columnOf, !negated) : NOTHING;
    case "OPERATOR_IS_NULL":
    case "OPERATOR_IS_NOT_NULL": {
      const name = column(children[0]);
      const isNull = (expression["type"] === "OPERATOR_IS_NULL") !== negated;
      return name === null
        ? NOTHING
        : { filter: { kind: isNull ? "is_null" : "is_not_null", column: name }, exact: true };
    }
    case "COMPARE_IN":
    case "COMPARE_NOT_IN": {
      const name = column(children[0]);
      if (name === null) return NOTHING;
      const values = children.slice(1).map((child) => constantOf(children[0]!, child));
      if (values.some((value) => value === null)) return NOTHING;
      const constants = values.filter((value) => value !== null);
      return (expression["type"] === "COMPARE_IN") !== negated
        ? inValues(name, constants)
        : allOf(constants.map((constant) => comparison(name, "ne", constant)));
    }
    case "BOUND_REF": {
      const name = columnOf(expression);
      if (name === null || objectOf(expression["return_type"])["id"] !== "BOOLEAN") return NOTHING;
      return {
        filter: {
          kind: "comparison",
          column: name,
          op: "eq",
          value: { type: "boolean", value: !negated },
        },
        exact: true,
      };
    }
    default:
      return comparisonOf(expression, column, negated);
  }
}

function comparisonOf(
  expression: JsonObject,
  column: (node: JsonObject | undefined) => string | null,
  negated: boolean,
): PlanFilter {
  const operator = OPERATORS.get(textOf(expression["type"]));
  if (operator === undefined) return NOTHING;
  const left = objectOf(expression["left"]);
  const right = objectOf(expression["right"]);
  const turned = column(left) === null;
  const [reference, other] = turned ? [right, left] : [left, right];
  const name = column(reference);
  const constant = constantOf(reference, other);
  if (name === null || constant === null) return NOTHING;
  const facing = turned ? MIRRORED[operator] : operator;
  return comparison(name, negated ? NEGATED[facing] : facing, constant);
}

/** The constant, where it has the type of what it is compared with. */
function constantOf(reference: JsonObject, node: JsonObject): JsonObject | null {
  if (node["expression_class"] !== "BOUND_CONSTANT") return null;
  const constant = objectOf(node["value"]);
  const type = objectOf(reference["return_type"])["id"];
  return objectOf(constant["type"])["id"] === type ? constant : null;
}

function comparison(
  column: string,
  op: ScanOperator | undefined,
  constant: JsonObject,
): PlanFilter {
  const value = scanValueOf(constant);
  if (op === undefined || value === null) return NOTHING;
  return { filter: { kind: "comparison", column, op, value }, exact: true };
}

function inValues(column: string, constants: readonly JsonObject[]): PlanFilter {
  if (constants.length === 0 || constants.length > MAX_VALUES) return NOTHING;
  const values = constants.map(scanValueOf);
  if (values.some((value) => value === null)) return NOTHING;
  return {
    filter: { kind: "in", column, values: values.filter((value) => value !== null) },
    exact: true,
  };
}
