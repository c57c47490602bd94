/**
 * The tables that a statement names, from its syntax tree: base tables less the common table
 * expressions in whose scope they stand, which is DuckDB's: a body sees the ones before it, and itself
 * only on the recursive side. Walked without recursion, since a statement may nest as it likes.
 */

import type { TableReference } from "../../query.ts";
import { StatementError } from "./failure.ts";
import { catalogFunctionLook, functionFault, tableFunctionFault } from "./functions.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsOf,
  textOf,
} from "./lossless-json.ts";
import { checkSubqueries, checkWith } from "./statement-depth.ts";
import { shownByView } from "./system-views.ts";

export type CatalogLook = "tables" | "names" | "columns";

export interface StatementNames {
  readonly references: readonly TableReference[];
  readonly looksAt: CatalogLook;
}

/** Names of common table expressions that are seen from somewhere, innermost first. */
interface Scope {
  readonly name: string;
  readonly outer: Scope | null;
}

interface Part {
  readonly value: Json;
  readonly scope: Scope | null;
  /** Those in expressions that it stands in. */
  readonly subqueries: number;
}

const FILE_NAME =
  /[/\\:*]|\.(csv|tsv|txt|json|jsonl|ndjson|parquet|arrow|ipc|feather|db|duckdb|gz|zst)$/i;

/** @throws StatementError where it calls or reads what a query may not, or nests too deeply */
export function statementNames(statement: JsonObject): StatementNames {
  const references = new Map<string, TableReference>();
  const looks = new Set<CatalogLook>();
  const open: Part[] = [{ value: statement, scope: null, subqueries: 0 }];
  let expressions = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, scope } = next;
    if (Array.isArray(value)) {
      for (const item of value) open.push({ ...next, value: item });
      continue;
    }
    if (!isObject(value)) continue;
    const subqueries = next.subqueries + (value["class"] === "SUBQUERY" ? 1 : 0);
    checkSubqueries(subqueries, offsetOf(value));
    expressions += expressionsOf(value).length;
    checkWith(expressions);
    const reference = referenceOf(value, scope);
    if (reference !== null) {
      const shown = shownByView(reference);
      if (shown === "internals") throw viewFault(reference, offsetOf(value));
      if (shown !== null) looks.add(shown);
      if (shown === null || mayBeOwn(reference)) {
        references.set(JSON.stringify(reference), reference);
      }
    }
    for (const look of callsOf(value)) looks.add(look);
    for (const part of partsOf(value, scope)) open.push({ ...part, subqueries });
  }
  return {
    references: [...references.values()],
    looksAt: looks.has("columns") ? "columns" : looks.has("names") ? "names" : "tables",
  };
}

/** Its common table expressions. */
const expressionsOf = (node: JsonObject): readonly JsonObject[] =>
  objectsOf(objectOf(node["cte_map"])["map"]);

/** The parts of a node, each with what is in scope there. */
function partsOf(node: JsonObject, scope: Scope | null): Omit<Part, "subqueries">[] {
  const parts: Omit<Part, "subqueries">[] = [];
  let inner = scope;
  for (const entry of expressionsOf(node)) {
    if (entry["value"] !== undefined) parts.push({ value: entry["value"], scope: inner });
    inner = { name: textOf(entry["key"]).toLowerCase(), outer: inner };
  }
  const recursive =
    node["type"] === "RECURSIVE_CTE_NODE"
      ? { name: textOf(node["cte_name"]).toLowerCase(), outer: inner }
      : inner;
  for (const [member, value] of Object.entries(node)) {
    if (member === "cte_map") continue;
    parts.push({ value, scope: member === "right" ? recursive : inner });
  }
  return parts;
}

function referenceOf(node: JsonObject, scope: Scope | null): TableReference | null {
  if (node["type"] !== "BASE_TABLE" || typeof node["table_name"] !== "string") return null;
  const reference = {
    catalog: textOf(node["catalog_name"]) || null,
    schema: textOf(node["schema_name"]) || null,
    table: node["table_name"],
  };
  if (reference.schema === null) {
    const name = reference.table.toLowerCase();
    for (let seen = scope; seen !== null; seen = seen.outer) if (seen.name === name) return null;
    if (FILE_NAME.test(reference.table)) {
      throw new StatementError(
        "not-allowed",
        `"${reference.table}" is a file or an address, which a query cannot read: define a table over it and query that`,
        offsetOf(node),
      );
    }
  }
  return reference;
}

/** PostgreSQL's names are those of views after the tables that a short name means. */
const mayBeOwn = ({ schema, table }: TableReference): boolean =>
  schema === null && /^pg_/i.test(table);

const viewFault = ({ schema, table }: TableReference, offset: number | null): StatementError =>
  new StatementError(
    "not-allowed",
    `${schema === null ? table : `${schema}.${table}`} shows the inside of the service, which a query cannot read; a table of that name is read as catalog.schema.table`,
    offset,
  );

function* callsOf(node: JsonObject): Generator<CatalogLook> {
  if (node["type"] === "TABLE_FUNCTION") {
    const call = objectOf(node["function"]);
    const name = textOf(call["function_name"]).toLowerCase();
    const fault = tableFunctionFault(name);
    if (fault !== null) throw new StatementError("not-allowed", fault, offsetOf(node));
    const look = catalogFunctionLook(name);
    if (look !== null) yield look;
  } else if (typeof node["function_name"] === "string") {
    const fault = functionFault(node["function_name"].toLowerCase());
    if (fault !== null) throw new StatementError("not-allowed", fault, offsetOf(node));
    const look = catalogFunctionLook(node["function_name"].toLowerCase());
    if (look !== null) yield look;
  } else if (node["type"] === "SHOW_REF" && textOf(node["table_name"]) !== "") {
    yield textOf(node["table_name"]) === "__show_tables_expanded" ? "columns" : "names";
  }
}

function offsetOf(node: JsonObject): number | null {
  const offset = node["query_location"];
  return typeof offset === "number" ? offset : null;
}
