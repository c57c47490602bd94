/** Failures of PostgreSQL and of the way to it, as sentences without credentials. */

import { OutboundFailedError, OutboundRefusedError } from "../../../platform/net/outbound.ts";
import { outboundFault, SourceError, type SourceFailure } from "../source-error.ts";
import type { PostgresAddress } from "./address.ts";

/** SQLSTATEs and classes of them whose meaning is the same wherever they come up. */
const FAILURES: Readonly<Record<string, readonly [SourceFailure, string]>> = {
  "28P01": ["refused", "does not accept the username and password of the connector"],
  "28": ["refused", "does not let this user into this database"],
  "42501": ["refused", "does not allow this user to read that"],
  "42P01": ["not-found", "has no such table"],
  "3F000": ["not-found", "has no such schema"],
  "3D000": ["not-found", "has no such database"],
  "57014": ["timeout", "took longer than a statement may"],
  "55P03": ["timeout", "holds the table under a lock for too long"],
  "57P": ["unreachable", "is starting up or shutting down"],
  "53": ["unreachable", "has no resources for another statement now"],
  "08": ["unreachable", "lost the connection"],
};

/** Codes of the driver and of sockets: the connection did not hold. */
const CONNECTION =
  /^(CONNECTION_|CONNECT_TIMEOUT|E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)|ENOTFOUND|ERR_STREAM)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

export function postgresFault(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof OutboundRefusedError || error instanceof OutboundFailedError) {
    return outboundFault(error);
  }
  if (!(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (CONNECTION.test(code)) {
    const sentence = `${address.place} closed the connection or cannot be reached.`;
    return new SourceError("unreachable", sentence, { cause: error });
  }
  if (!SQLSTATE.test(code)) return error;
  const known = FAILURES[code] ?? FAILURES[code.slice(0, 3)] ?? FAILURES[code.slice(0, 2)] ?? null;
  if (known !== null) {
    const [failure, sentence] = known;
    // Of 28000 the server's own words tell whether a user, a database or an address is meant.
    const hasWords = failure === "not-found" || code === "42501" || code === "28000";
    const detail = hasWords ? `: ${error.message}` : "";
    const hint =
      code === "28000" && address.sslMode === "disable"
        ? " It may do so over TLS: put sslmode=require into the URL."
        : "";
    return new SourceError(failure, `${address.place} ${sentence}${detail}.${hint}`, {
      cause: error,
    });
  }
  const sentence = `${address.place} failed with ${code}: ${error.message}.`;
  return new SourceError("broken", sentence, { cause: error });
}
