/**
 * A bound expression of a plan as SQL again, over some columns: to ask which partitions can meet it.
 * Only what is sure to mean the same is written; functions are those that give the same for the same
 * arguments at all times, and whose arguments a plan keeps as they were written.
 */

import { quoteName, quoteText } from "../../../sql-text.ts";
import { type JsonObject, objectOf, objectsOf, textOf } from "./lossless-json.ts";
import type { ColumnOfReference } from "./plan-filter.ts";
import { scanValueOf } from "./plan-values.ts";

const FUNCTIONS = new Set([
  ...["+", "-", "*", "/", "//", "%", "||", "~~", "!~~", "~~*", "!~~*"],
  ...["abs", "concat", "contains", "prefix", "suffix", "starts_with", "ends_with"],
  ...["lower", "upper", "length", "left", "right", "substring", "substr", "replace", "trim"],
  ...["year", "quarter", "month", "week", "day", "hour", "minute", "dayofweek", "isodow"],
  ...["dayofyear", "weekday", "yearweek", "date_part", "date_trunc", "date_diff", "datediff"],
  ...["make_date", "last_day", "monthname", "dayname", "strftime", "epoch", "regexp_matches"],
]);

const COMPARISONS = new Map([
  ["COMPARE_EQUAL", "="],
  ["COMPARE_NOTEQUAL", "<>"],
  ["COMPARE_LESSTHAN", "<"],
  ["COMPARE_LESSTHANOREQUALTO", "<="],
  ["COMPARE_GREATERTHAN", ">"],
  ["COMPARE_GREATERTHANOREQUALTO", ">="],
  ["COMPARE_DISTINCT_FROM", "IS DISTINCT FROM"],
  ["COMPARE_NOT_DISTINCT_FROM", "IS NOT DISTINCT FROM"],
]);

const PLAIN_TYPES = new Set([
  ...["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"],
  ...["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"],
  ...["VARCHAR", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
]);

/**
 * The part of a condition that speaks of the columns alone: rows that fail it fail the condition.
 *
 * @param columnOf gives null for columns that are not among them
 * @returns null where there is no such part
 */
export function conditionSql(expression: JsonObject, columnOf: ColumnOfReference): string | null {
  const parts = objectsOf(expression["children"]);
  if (expression["type"] === "CONJUNCTION_AND") {
    const kept = parts.flatMap((part) => conditionSql(part, columnOf) ?? []);
    return kept.length === 0 ? null : `(${kept.join(" AND ")})`;
  }
  if (expression["type"] === "CONJUNCTION_OR") {
    const kept = parts.flatMap((part) => conditionSql(part, columnOf) ?? []);
    return kept.length < parts.length || kept.length === 0 ? null : `(${kept.join(" OR ")})`;
  }
  return boundSql(expression, columnOf);
}

/** Null where it cannot be written beyond doubt. */
function boundSql(expression: JsonObject, columnOf: ColumnOfReference): string | null {
  const type = textOf(expression["type"]);
  const children = (): string[] | null => {
    const written = objectsOf(expression["children"]).map((child) => boundSql(child, columnOf));
    const known = written.filter((child) => child !== null);
    return known.length === written.length ? known : null;
  };
  switch (type) {
    case "BOUND_REF": {
      const column = columnOf(expression);
      return column === null ? null : quoteName(column);
    }
    case "VALUE_CONSTANT":
      return constantSql(objectOf(expression["value"]));
    case "OPERATOR_CAST": {
      const child = boundSql(objectOf(expression["child"]), columnOf);
      const target = typeSql(objectOf(expression["return_type"]));
      if (child === null || target === null) return null;
      return `${expression["try_cast"] === true ? "TRY_CAST" : "CAST"}(${child} AS ${target})`;
    }
    case "BOUND_FUNCTION":
      return functionSql(expression, children());
    case "CONJUNCTION_AND":
    case "CONJUNCTION_OR":
      return joined(children(), type === "CONJUNCTION_AND" ? " AND " : " OR ");
    case "OPERATOR_COALESCE":
      return wrapped(children(), "COALESCE(", ")");
    case "OPERATOR_NOT":
      return wrapped(children(), "(NOT ", ")");
    case "OPERATOR_IS_NULL":
      return wrapped(children(), "(", " IS NULL)");
    case "OPERATOR_IS_NOT_NULL":
      return wrapped(children(), "(", " IS NOT NULL)");
    case "COMPARE_IN":
    case "COMPARE_NOT_IN": {
      const written = children();
      if (written === null || written.length < 2) return null;
      const [one, ...others] = written;
      return `(${one} ${type === "COMPARE_IN" ? "IN" : "NOT IN"} (${others.join(", ")}))`;
    }
    case "COMPARE_BETWEEN":
      return betweenSql(expression, columnOf);
    default: {
      const operator = COMPARISONS.get(type);
      // Expressions of other types have neither a left nor a right: CASE, subqueries.
      if (operator === undefined) return null;
      const left = boundSql(objectOf(expression["left"]), columnOf);
      const right = boundSql(objectOf(expression["right"]), columnOf);
      return left === null || right === null ? null : `(${left} ${operator} ${right})`;
    }
  }
}

/** A range of which either end may be left out, as the optimizer makes one of two comparisons. */
function betweenSql(expression: JsonObject, columnOf: ColumnOfReference): string | null {
  const input = boundSql(objectOf(expression["input"]), columnOf);
  const lower = boundSql(objectOf(expression["lower"]), columnOf);
  const upper = boundSql(objectOf(expression["upper"]), columnOf);
  if (input === null || lower === null || upper === null) return null;
  const above = expression["lower_inclusive"] === true ? ">=" : ">";
  const below = expression["upper_inclusive"] === true ? "<=" : "<";
  return `(${input} ${above} ${lower} AND ${input} ${below} ${upper})`;
}

function functionSql(expression: JsonObject, args: string[] | null): string | null {
  const name = textOf(expression["name"]);
  const declared = expression["arguments"];
  const original = expression["original_arguments"];
  // Binding may take arguments away, such as the digits of a rounding: then less is left of them.
  const isWhole =
    Array.isArray(declared) &&
    declared.length === args?.length &&
    (!Array.isArray(original) || original.length === 0 || original.length === args.length);
  if (args === null || !isWhole || !FUNCTIONS.has(name)) return null;
  return `${quoteName(name)}(${args.join(", ")})`;
}

function constantSql(constant: JsonObject): string | null {
  const type = typeSql(objectOf(constant["type"]));
  if (type === null) return null;
  if (constant["is_null"] === true) return `CAST(NULL AS ${type})`;
  const value = scanValueOf(constant);
  return value === null ? null : `CAST(${quoteText(String(value.value))} AS ${type})`;
}

function typeSql(type: JsonObject): string | null {
  const id = textOf(type["id"]);
  if (PLAIN_TYPES.has(id)) return type["type_info"] === undefined ? id : null;
  const { width, scale } = objectOf(type["type_info"]);
  return id === "DECIMAL" && typeof width === "number"
    ? `DECIMAL(${width}, ${typeof scale === "number" ? scale : 0})`
    : null;
}

const joined = (parts: string[] | null, operator: string): string | null =>
  parts === null || parts.length === 0 ? null : `(${parts.join(operator)})`;

const wrapped = (parts: string[] | null, before: string, after: string): string | null =>
  parts === null || parts.length === 0 ? null : before + parts.join(", ") + after;
