/**
 * The scans of an optimized plan: which columns, filters and limit each has. The plan is walked whole,
 * wherever its scans hang, and without recursion.
 */

import {
  integerOf,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsOf,
  textOf,
} from "./lossless-json.ts";
import {
  allOf,
  type ColumnOfReference,
  expressionOf,
  ownColumn,
  type PlanFilter,
  tableFilterOf,
} from "./plan-filter.ts";

export interface PlanScan {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
  /** By name, as the plan has them. */
  readonly columns: readonly string[];
  readonly filter: PlanFilter;
  readonly limit: number | null;
  /** Whether what is above makes the same of equal rows as of one of them. */
  readonly distinct: boolean;
  /** Bound conditions that its rows must meet besides, which the filter may or may not tell. */
  readonly conditions: readonly PlanCondition[];
}

export interface PlanCondition {
  readonly expression: JsonObject;
  readonly columnOf: ColumnOfReference;
}

/** What stands directly above a node. */
interface Above {
  /** Rows that a limit above takes, with nothing between but projections. */
  readonly limit: number | null;
  /** What takes them, with nothing between but projections and filters, takes equal ones as one. */
  readonly distinct: boolean;
  readonly conditions: readonly JsonObject[];
}

const NOTHING_ABOVE: Above = { limit: null, distinct: false, conditions: [] };
/** Aggregates of which another row with the same values changes nothing. */
const IDEMPOTENT_AGGREGATES = new Set(["min", "max", "bool_and", "bool_or", "bit_and", "bit_or"]);
const PLAIN_EXPRESSIONS = new Set([
  "BOUND_REF",
  "BOUND_CONSTANT",
  "BOUND_COMPARISON",
  "BOUND_CONJUNCTION",
  "BOUND_OPERATOR",
  "BOUND_BETWEEN",
  "BOUND_CAST",
  "BOUND_CASE",
]);
/** Column numbers from here on are of no column: the row's number, or none at all. */
const VIRTUAL_COLUMNS = 1n << 63n;
/** A limit beyond this is none; two of them add up exactly. */
const MAX_LIMIT = 1n << 48n;

export function scansOf(plan: Json): PlanScan[] {
  const scans: PlanScan[] = [];
  const open: { readonly value: Json; readonly above: Above }[] = [
    { value: plan, above: NOTHING_ABOVE },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, above } = next;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, above: NOTHING_ABOVE });
      continue;
    }
    if (!isObject(value)) continue;
    if (value["type"] === "LOGICAL_GET") {
      const scan = scanOf(value, above);
      if (scan !== null) scans.push(scan);
      continue;
    }
    const below = belowOf(value, above);
    for (const [member, part] of Object.entries(value)) {
      if (member === "children" && Array.isArray(part)) {
        for (const child of part) open.push({ value: child, above: below });
      } else open.push({ value: part, above: NOTHING_ABOVE });
    }
  }
  return scans;
}

function belowOf(node: JsonObject, above: Above): Above {
  switch (node["type"]) {
    case "LOGICAL_PROJECTION":
      return { limit: above.limit, distinct: passesEqualRows(node, above), conditions: [] };
    case "LOGICAL_LIMIT":
      return { ...NOTHING_ABOVE, limit: limitOf(node) };
    case "LOGICAL_FILTER": {
      const distinct = passesEqualRows(node, above);
      return { limit: null, distinct, conditions: objectsOf(node["expressions"]) };
    }
    case "LOGICAL_DISTINCT":
      return { ...NOTHING_ABOVE, distinct: true };
    case "LOGICAL_AGGREGATE_AND_GROUP_BY":
      return {
        ...NOTHING_ABOVE,
        distinct:
          objectsOf(node["expressions"]).every(isIdempotent) &&
          !callsFunctions(node["groups"] ?? null),
      };
    default:
      return NOTHING_ABOVE;
  }
}

/** A function may answer otherwise for the next equal row: `random()`. */
function passesEqualRows(node: JsonObject, above: Above): boolean {
  return above.distinct && !callsFunctions(node["expressions"] ?? null);
}

function isIdempotent(aggregate: JsonObject): boolean {
  return (
    aggregate["expression_class"] === "BOUND_AGGREGATE" &&
    (aggregate["aggregate_type"] === "DISTINCT" ||
      IDEMPOTENT_AGGREGATES.has(textOf(aggregate["name"]))) &&
    !callsFunctions([aggregate["children"] ?? null, aggregate["filter"] ?? null])
  );
}

/** Whether there is any expression but references, constants, comparisons, casts and the like. */
function callsFunctions(expressions: Json): boolean {
  const open: Json[] = [expressions];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next);
    else if (isObject(next)) {
      const of = next["expression_class"];
      if (of !== undefined && !PLAIN_EXPRESSIONS.has(textOf(of))) return true;
      open.push(...Object.values(next));
    }
  }
  return false;
}

function limitOf(node: JsonObject): number | null {
  const limit = constantLimit(objectOf(node["limit_val"]));
  const offsetValue = objectOf(node["offset_val"]);
  const offset = offsetValue["type"] === "UNSET" ? 0 : constantLimit(offsetValue);
  return limit === null || offset === null ? null : limit + offset;
}

function constantLimit(value: JsonObject): number | null {
  if (value["type"] !== "CONSTANT_VALUE") return null;
  const rows = integerOf(value["constant_integer"] ?? 0);
  return rows === null || rows > MAX_LIMIT || rows < 0n ? null : Number(rows);
}

function scanOf(node: JsonObject, above: Above): PlanScan | null {
  const data = objectOf(node["function_data"]);
  const { catalog, schema, table } = data;
  if (typeof catalog !== "string" || typeof schema !== "string" || typeof table !== "string") {
    return null;
  }
  const names = Array.isArray(node["names"]) ? node["names"] : [];
  const nameAt = (index: bigint | null): string | null => {
    const name = index === null || index >= VIRTUAL_COLUMNS ? null : names[Number(index)];
    return typeof name === "string" ? name : null;
  };
  const indexes = node["column_indexes"];
  // Numbers that are left out are zero.
  const read = Array.isArray(indexes)
    ? objectsOf(indexes).map((column) => nameAt(integerOf(column["index"] ?? 0)))
    : names.map((name) => (typeof name === "string" ? name : null));
  const projected = Array.isArray(node["projection_ids"]) ? node["projection_ids"] : [];
  const given = projected.length === 0 ? read : projected.map((at) => read[Number(at)] ?? null);

  const own: PlanFilter[] = [];
  const conditions: PlanCondition[] = above.conditions.map((expression) => ({
    expression,
    columnOf: (reference) => {
      const column = given[Number(integerOf(reference["index"] ?? 0))];
      return column !== undefined && column === reference["alias"] ? column : null;
    },
  }));
  const filters = conditions.map(({ expression, columnOf }) => expressionOf(expression, columnOf));
  for (const entry of objectsOf(objectOf(node["table_filters"])["filters"])) {
    const column = nameAt(integerOf(entry["key"] ?? 0));
    if (column === null) {
      own.push({ filter: null, exact: false });
      continue;
    }
    const value = objectOf(entry["value"]);
    own.push(tableFilterOf(column, value));
    for (const expression of expressionsIn(value)) {
      conditions.push({ expression, columnOf: ownColumn(column) });
    }
  }
  const filter = allOf([...own, ...filters]);
  return {
    catalog,
    schema,
    table,
    columns: [...new Set(read.filter((name) => name !== null))],
    filter,
    limit: filter.exact ? above.limit : null,
    distinct: above.distinct && conditions.every(({ expression }) => !callsFunctions(expression)),
    conditions,
  };
}

/** Expressions that a filter demands, alone or with others. */
function expressionsIn(filter: JsonObject): JsonObject[] {
  switch (filter["filter_type"]) {
    case "EXPRESSION_FILTER":
      return [objectOf(filter["expr"])];
    case "CONJUNCTION_AND":
      return objectsOf(filter["child_filters"]).flatMap(expressionsIn);
    default:
      return [];
  }
}
