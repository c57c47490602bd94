/**
 * A statement before it is planned: it is one, it is a SELECT (or what DuckDB reads as one: VALUES,
 * FROM, DESCRIBE, SUMMARIZE, SHOW), and it names only what a query may name.
 */

import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";
import type { Parsed } from "../messages.ts";
import { fromSerializedError, StatementError, withoutAdvice } from "./failure.ts";
import { type JsonObject, objectOf, objectsOf, parseLossless, textOf } from "./lossless-json.ts";
import { checkTreeDepth, depthFault } from "./statement-depth.ts";
import { statementNames } from "./statement-names.ts";

const NOT_A_SELECT =
  "A query is one SELECT statement (also WITH, VALUES, FROM, DESCRIBE, SUMMARIZE or SHOW)";

/** Characters of a statement. */
const MAX_STATEMENT = 1 << 20;

/** What `json_serialize_sql` makes of it; nothing is bound or run. */
export async function syntaxTreeOf(connection: DuckDBConnection, sql: string): Promise<string> {
  const prepared = await connection.prepare(
    "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := false, skip_default := true)",
  );
  try {
    prepared.bindVarchar(1, sql);
    const rows = await (await prepared.run()).getRowsJS();
    return String(rows[0]?.[0]);
  } finally {
    prepared.destroySync();
  }
}

/** @throws StatementError */
export async function parseStatement(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const statement = await oneSelect(connection, sql);
  const parameters = objectsOf(statement["named_param_map"]).map((entry) => textOf(entry["key"]));
  return { kind: "parsed", parameters, ...statementNames(statement) };
}

async function oneSelect(connection: DuckDBConnection, sql: string): Promise<JsonObject> {
  if (sql.length > MAX_STATEMENT) {
    throw new StatementError(
      "invalid",
      `The statement has ${sql.length} characters; a query may have at most ${MAX_STATEMENT}`,
    );
  }
  if (sql.includes("\0")) {
    throw new StatementError("invalid", "The statement has a NUL character in it");
  }
  const text = await syntaxTreeOf(connection, sql);
  checkTreeDepth(text);
  const tree = objectOf(parseLossless(text));
  if (tree["error"] === true) throw treeFault(tree, sql);
  const statements = objectsOf(tree["statements"]);
  if (statements.length === 1) return statements[0]!;
  throw statements.length === 0
    ? new StatementError("invalid", "The statement is empty")
    : new StatementError("not-allowed", "A query is one statement, and these are several");
}

function treeFault(tree: JsonObject, sql: string): StatementError {
  const error = fromSerializedError({ ...tree });
  const tooDeep = depthFault(error.message);
  if (tooDeep !== null) return tooDeep;
  if (error.type !== "not implemented") {
    return new StatementError("invalid", withoutAdvice(error.message), error.offset);
  }
  if (/mixing named and positional/i.test(error.message)) {
    return new StatementError("invalid", "Parameters are all by position or all by name");
  }
  if (/^\s*(?:pivot\b|from\b|with\b|select\b)/i.test(sql) && /\bpivot\b/i.test(sql)) {
    return new StatementError(
      "not-allowed",
      "PIVOT needs the values that become columns: ON column IN (value, …)",
    );
  }
  return new StatementError("not-allowed", NOT_A_SELECT);
}

/** A second look, with DuckDB's own count of the statements and its type of this one. */
export async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const extracted = await connection.extractStatements(sql);
  if (extracted.count !== 1) {
    throw new StatementError("not-allowed", "A query is one statement, and these are several");
  }
  const prepared = await extracted.prepare(0);
  if (prepared.statementType === StatementType.SELECT) return prepared;
  prepared.destroySync();
  throw new StatementError("not-allowed", NOT_A_SELECT);
}

/** Without the semicolon, and the comments after it, that may stand at its end but not in brackets. */
export async function withoutEnd(connection: DuckDBConnection, sql: string): Promise<string> {
  const plain = sql.replace(/[;\s]+$/, "");
  let bare = plain;
  for (let before = ""; before !== bare; ) {
    before = bare;
    bare = bare.replace(/(^|[\n;])\s*--[^\n]*$/, "$1").replace(/[;\s]+$/, "");
  }
  if (bare === plain) return plain;
  const [whole, part] = [await syntaxTreeOf(connection, sql), await syntaxTreeOf(connection, bare)];
  return whole === part ? bare : plain;
}
