/** Values for a statement's parameters, of the types that JSON has. */

import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { BoundParameter, BoundParameters } from "../messages.ts";
import { syntaxTreeOf } from "./statement.ts";

const INT32 = 2 ** 31;
const INT64 = 2n ** 63n;

/**
 * A text is bound as a literal is, so that it takes the type of what it is compared with; a whole
 * number is INTEGER, or BIGINT or HUGEINT where it is larger.
 */
export function bindParameters(
  prepared: DuckDBPreparedStatement,
  parameters: BoundParameters,
): void {
  for (const [name, value] of Object.entries(parameters)) {
    bindOne(prepared, prepared.parameterIndex(name), value);
  }
}

function bindOne(prepared: DuckDBPreparedStatement, index: number, value: BoundParameter): void {
  if (value === null) prepared.bindNull(index);
  else if (typeof value === "string") prepared.bindVarchar(index, value);
  else if (typeof value === "boolean") prepared.bindBoolean(index, value);
  else if (typeof value === "object") bindWide(prepared, index, BigInt(value.integer));
  else if (!Number.isSafeInteger(value)) prepared.bindDouble(index, value);
  else if (Math.abs(value) < INT32) prepared.bindInteger(index, value);
  else prepared.bindBigInt(index, BigInt(value));
}

function bindWide(prepared: DuckDBPreparedStatement, index: number, value: bigint): void {
  if (isBigint(value)) prepared.bindBigInt(index, value);
  else prepared.bindHugeInt(index, value);
}

const isBigint = (value: bigint): boolean => value >= -INT64 && value < INT64;

const PARAMETER_NODE =
  /\{"class":"PARAMETER","type":"VALUE_PARAMETER"((?:,"(?:alias|query_location)":(?:"(?:[^"\\]|\\.)*"|\d+))*),"identifier":("(?:[^"\\]|\\.)*")\}/g;

/**
 * The statement with literals for its parameters, for the planner: filters on values prune, filters on
 * parameters cannot. The statement itself where literals cannot be put in beyond doubt: the text that
 * comes of the changed syntax tree must parse to that tree again.
 */
export async function withLiterals(
  connection: DuckDBConnection,
  sql: string,
  parameters: BoundParameters,
): Promise<string> {
  if (Object.keys(parameters).length === 0) return sql;
  const values = new Map(
    Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const tree = await syntaxTreeOf(connection, sql);
  let known = true;
  const replaced = tree.replace(PARAMETER_NODE, (node, attributes: string, name: string) => {
    const value = values.get(String(JSON.parse(name)).toLowerCase());
    if (value === undefined) known = false;
    return value === undefined ? node : constantNode(value, attributes);
  });
  if (!known || replaced.includes('{"class":"PARAMETER"')) return sql;
  const text = await textOfTree(connection, replaced);
  if (text === null) return sql;
  const again = await syntaxTreeOf(connection, text);
  return withoutPlaces(again) === withoutPlaces(replaced) ? text : sql;
}

/** As DuckDB's parser makes it of the literal. */
function constantNode(value: BoundParameter, attributes: string): string {
  const constant = (type: string, written: string, place = attributes): string =>
    `{"class":"CONSTANT","type":"VALUE_CONSTANT"${place},"value":{"type":{"id":"${type}"},"is_null":false,"value":${written}}}`;
  const cast = (text: string, type: string): string =>
    `{"class":"CAST","type":"OPERATOR_CAST"${attributes},"child":${constant("VARCHAR", JSON.stringify(text), "")},"cast_type":{"id":"${type}"}}`;
  if (value === null) {
    return `{"class":"CONSTANT","type":"VALUE_CONSTANT"${attributes},"value":{"type":{"id":"NULL"},"is_null":true}}`;
  }
  if (typeof value === "string") return constant("VARCHAR", JSON.stringify(value));
  if (typeof value === "boolean") return cast(value ? "t" : "f", "BOOLEAN");
  if (typeof value === "object") {
    return isBigint(BigInt(value.integer))
      ? constant("BIGINT", value.integer)
      : cast(value.integer, "HUGEINT");
  }
  if (!Number.isSafeInteger(value)) return cast(String(value), "DOUBLE");
  return constant(Math.abs(value) < INT32 ? "INTEGER" : "BIGINT", String(value));
}

async function textOfTree(connection: DuckDBConnection, tree: string): Promise<string | null> {
  const prepared = await connection.prepare("SELECT json_deserialize_sql($1::JSON)");
  try {
    prepared.bindVarchar(1, tree);
    const rows = await (await prepared.run()).getRowsJS();
    const text = rows[0]?.[0];
    return typeof text === "string" ? text : null;
  } catch {
    // What cannot be written as text is planned with its parameters.
    return null;
  } finally {
    prepared.destroySync();
  }
}

function withoutPlaces(tree: string): string {
  return tree
    .replace(/,"query_location":\d+/g, "")
    .replace(/"named_param_map":\[[^\]]*\]/g, "")
    .replace(/,(?=\})/g, "");
}
