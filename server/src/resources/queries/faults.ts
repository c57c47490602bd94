/** The one place where failures of sources, scans and SQL become what the caller is answered. */

import { Problem, type ProblemKind } from "../../platform/input/problem.ts";
import { OutboundRefusedError } from "../../platform/net/outbound.ts";
import {
  SourceChangedError,
  SourceError,
  type SourceFailure,
  SourceUrlError,
} from "../../query/sources/source-error.ts";
import { SqlError, type SqlFailure } from "../../query/sql/query.ts";
import { ScanError } from "../../query/sql/scan.ts";

const SQL_PROBLEMS: Readonly<Record<SqlFailure, ProblemKind>> = {
  invalid: "bad-request",
  "not-allowed": "bad-request",
  failed: "bad-request",
  resources: "bad-request",
  "disk-full": "insufficient-storage",
  crashed: "bad-request",
  timeout: "request-timeout",
  // Nobody is there to read it.
  cancelled: "bad-request",
  busy: "unavailable",
  "too-many": "too-many-requests",
};

/** What passes when others have ended. */
const MAY_WAIT: ReadonlySet<ProblemKind> = new Set(["unavailable", "too-many-requests"]);

const SOURCE_PROBLEMS: Readonly<Record<SourceFailure, ProblemKind>> = {
  unreachable: "bad-gateway",
  refused: "bad-gateway",
  broken: "bad-gateway",
  timeout: "gateway-timeout",
  "not-found": "bad-request",
  "forbidden-address": "bad-request",
};

/** Null for errors that are not of these rooms. Causes stay behind: they are not for the caller. */
export function asQueryProblem(error: unknown): Problem | null {
  if (error instanceof SqlError) {
    const kind = SQL_PROBLEMS[error.failure];
    return new Problem(kind, error.message, {
      position: error.position,
      ...(MAY_WAIT.has(kind) ? { headers: { "retry-after": "1" } } : {}),
    });
  }
  if (error instanceof SourceError) {
    return new Problem(SOURCE_PROBLEMS[error.failure], error.message);
  }
  if (error instanceof SourceChangedError) return new Problem("conflict", error.message);
  if (
    error instanceof ScanError ||
    error instanceof SourceUrlError ||
    error instanceof OutboundRefusedError
  ) {
    return new Problem("bad-request", error.message);
  }
  return null;
}
