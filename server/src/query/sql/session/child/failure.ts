/**
 * DuckDB's errors, recognised in this one place. With `errors_as_json` they tell their type and their
 * place as data; those of the binding itself come as plain text.
 */

import { DISK_FULL, isDiskFull } from "../../../../platform/files/disk-full.ts";
import type { SqlFailure } from "../../query.ts";
import type { Failed, RunTable } from "../messages.ts";
import { fileFault, MARK } from "./file-faults.ts";

/** A failure that was found here, in words for the person who wrote the statement. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly failure: SqlFailure;
  /** Byte offset into the statement, from 0. */
  readonly offset: number | null;

  constructor(failure: SqlFailure, message: string, offset: number | null = null) {
    super(message);
    this.failure = failure;
    this.offset = offset;
  }
}

/** Types of DuckDB's exceptions, in lower case, that say something of the statement alone. */
const STATEMENT_TYPES = new Set([
  "parser",
  "syntax",
  "binder",
  "catalog",
  "expression",
  "invalid type",
  "mismatch type",
  "not implemented",
  "dependency",
  "settings",
  "parameter not resolved",
  "parameter not allowed",
  "unknown type",
]);

export interface EngineError {
  /** In lower case, such as `binder`. */
  readonly type: string;
  readonly message: string;
  /** Byte offset, from 0. */
  readonly offset: number | null;
  /** The name of a table that does not exist. */
  readonly missingTable: string | null;
}

/** The plan cannot be made; what DuckDB says of it. */
export class PlanError extends Error {
  override readonly name = "PlanError";
  readonly error: EngineError;

  constructor(error: EngineError) {
    super(error.message);
    this.error = error;
  }
}

/** What DuckDB threw, as data. */
export function engineErrorOf(error: unknown): EngineError {
  if (error instanceof PlanError) return error.error;
  const text = error instanceof Error ? error.message : String(error);
  const start = text.indexOf("{");
  if (start >= 0 && (start === 0 || /^[A-Z][A-Za-z ]* Error: $/.test(text.slice(0, start)))) {
    const parsed = jsonObjectOf(text.slice(start));
    if (parsed !== null) return fromFields(parsed);
  }
  const prefixed = /^([A-Z][A-Za-z ]*?)(?: Error)?: ([\s\S]*)$/.exec(text);
  return {
    type: prefixed?.[1]?.toLowerCase() ?? "unknown",
    message: prefixed?.[2] ?? text,
    offset: null,
    missingTable: null,
  };
}

/** The error object that `json_serialize_sql` and its like answer with. */
export function fromSerializedError(fields: Record<string, unknown>): EngineError {
  return fromFields({
    ...fields,
    exception_type: fields["error_type"],
    exception_message: fields["error_message"],
  });
}

function fromFields(fields: Record<string, unknown>): EngineError {
  const offset = Number(fields["position"]);
  const type = String(fields["exception_type"] ?? "unknown").toLowerCase();
  const missing =
    type === "catalog" && fields["error_subtype"] === "MISSING_ENTRY" && fields["type"] === "Table";
  return {
    type,
    message: String(fields["exception_message"] ?? ""),
    offset: fields["position"] !== undefined && Number.isSafeInteger(offset) ? offset : null,
    missingTable: missing ? String(fields["name"]) : null,
  };
}

function jsonObjectOf(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === "object" && !Array.isArray(parsed)
      ? { ...parsed }
      : null;
  } catch {
    return null;
  }
}

/** DuckDB has no type of its own for it: an input or output error ends with what the system says. */
const NO_ROOM = /: (?:No space left on device|Disk quota exceeded)$/;

function failureOf(type: string, message: string): SqlFailure {
  if (STATEMENT_TYPES.has(type)) return "invalid";
  if (type === "io" && NO_ROOM.test(message)) return "disk-full";
  switch (type) {
    case "permission":
      return "not-allowed";
    case "out of memory":
      return "resources";
    case "interrupt":
      return "cancelled";
    case "internal":
    case "fatal":
      return "crashed";
    default:
      return "failed";
  }
}

export interface FailureContext {
  readonly sql: string;
  /** Bytes that were put before the statement: errors before that are not in it. */
  readonly prefixBytes: number;
  /** Texts that are of no concern to the person, such as folders. */
  readonly hidden: readonly string[];
  /** Those that the statement reads, where it runs. */
  readonly tables: readonly RunTable[];
  /** Of the JSON file that the error is of, from 1; null where it is of none (`jsonLineOf`). */
  readonly jsonLine: number | null;
}

const TRANSFORMED_LINE = /(JSON transform error in file "[^"]+", in line )\d+/;

export function failedAnswer(error: unknown, context: FailureContext): Failed {
  if (error instanceof StatementError) {
    return {
      kind: "failed",
      failure: error.failure,
      message: bounded(error.message),
      position: error.offset === null ? null : positionAt(context.sql, error.offset),
      missing: null,
      retire: false,
    };
  }
  const { type, message: told, offset, missingTable } = engineErrorOf(error);
  const { jsonLine } = context;
  const message = jsonLine === null ? told : told.replace(TRANSFORMED_LINE, `$1${jsonLine}`);
  // Arrow and what is too large for memory this process writes itself.
  const failure = isDiskFull(error) ? "disk-full" : failureOf(type, told);
  return {
    kind: "failed",
    failure,
    message: bounded(
      fileFault(message, context.tables, jsonLine) ?? messageOf(failure, message, context.hidden),
    ),
    position:
      offset === null || offset < context.prefixBytes
        ? null
        : positionAt(context.sql, offset - context.prefixBytes),
    missing: missingTable,
    retire: failure === "crashed" || failure === "resources" || failure === "disk-full",
  };
}

/** Characters that a message has at most before its middle is left out. */
const MAX_MESSAGE = 2000;

/** A name or a text of the statement is repeated in what is said of it, however long it is. */
function bounded(message: string): string {
  // Behind a mark it is still read (`withRow`).
  if (message.length <= MAX_MESSAGE || message.includes(MARK)) return message;
  const half = MAX_MESSAGE / 2;
  // A pair of surrogates may be cut in two.
  return `${message.slice(0, half).toWellFormed()} … ${message.slice(-half).toWellFormed()}`;
}

/** Less the advice on settings and links to DuckDB's manual: a query's writer can set none of it. */
export const withoutAdvice = (message: string): string =>
  bounded(message)
    .replace(/\n+(?:Possible solutions|See also|\* )[\s\S]*$/, "")
    .replace(/ Use "SET [^"]*"[^.\n]*\./g, "")
    .replace(/\s*Try setting [\s\S]*$/, "");

const STAGED_FOLDERS = /\btable-\d+\/(?:[^\s"'/]+\/)*(?=[^\s"'/]+)/g;

function messageOf(failure: SqlFailure, message: string, hidden: readonly string[]): string {
  let text = message;
  for (const secret of hidden) text = text.replaceAll(`${secret}/`, "").replaceAll(secret, "");
  text = withoutAdvice(text);
  // Where a table's files are staged, below the session's folder: of them the file's own name counts.
  // Behind a mark it tells where the row of a checked cast is to be looked for (`withRow`).
  if (!text.includes(MARK)) text = text.replace(STAGED_FOLDERS, "");
  switch (failure) {
    case "resources":
      return `The query needs more memory or disk than it may use: ${text.split("\n")[0]}`;
    case "disk-full":
      return DISK_FULL;
    case "crashed":
      return "DuckDB failed with an internal error in this query";
    case "not-allowed":
      return /file|directory|extension/i.test(text)
        ? "A query may read the tables of its workspace only, not files, addresses or extensions"
        : text;
    default:
      return text.trim();
  }
}

/** Line and column from 1, in characters, of a byte offset. */
function positionAt(sql: string, offset: number): { line: number; column: number } | null {
  const bytes = Buffer.from(sql, "utf8");
  if (offset > bytes.length) return null;
  const before = bytes.subarray(0, offset).toString("utf8");
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    line: before.split("\n").length,
    column: [...before.slice(lineStart)].length + 1,
  };
}
