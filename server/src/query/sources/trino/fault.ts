/** Failures that Trino reports of a query, as sentences without credentials. */

import { SourceError, type SourceFailure } from "../source-error.ts";

/** The member `error` of an answer. */
export interface TrinoError {
  readonly message?: unknown;
  readonly errorName?: unknown;
  readonly errorType?: unknown;
}

const FAILURES: Readonly<Record<string, SourceFailure>> = {
  CATALOG_NOT_FOUND: "not-found",
  MISSING_CATALOG_NAME: "not-found",
  SCHEMA_NOT_FOUND: "not-found",
  TABLE_NOT_FOUND: "not-found",
  COLUMN_NOT_FOUND: "not-found",
  NOT_FOUND: "not-found",
  PERMISSION_DENIED: "refused",
  EXCEEDED_TIME_LIMIT: "timeout",
  SERVER_STARTING_UP: "unreachable",
  SERVER_SHUTTING_DOWN: "unreachable",
  QUERY_QUEUE_FULL: "unreachable",
  CLUSTER_OUT_OF_MEMORY: "unreachable",
  NO_NODES_AVAILABLE: "unreachable",
};

export function trinoFault(error: TrinoError, place: string): SourceError {
  const name = typeof error.errorName === "string" ? error.errorName : "an error without a name";
  const message = typeof error.message === "string" ? error.message : "it says no more";
  const failure = FAILURES[name] ?? "broken";
  return new SourceError(failure, `${place} failed with ${name}: ${message.replace(/\.$/, "")}.`);
}
