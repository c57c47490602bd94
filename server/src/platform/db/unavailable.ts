/** Whether an error says that the database does not answer, rather than what it answered. */
import { SessionLostError } from "./pool.ts";
import { errorCode } from "./sql.ts";

/** Of the driver, and of the system where it connects. */
const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
]);

export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof SessionLostError || UNAVAILABLE.has(errorCode(error))) return true;
  if (!(error instanceof Error)) return false;
  // The socket of an embedded server that is being started again.
  if ("syscall" in error && error.syscall === "connect") return errorCode(error) === "ENOENT";
  // The server ended the session, or refused to begin one: it stops, starts, or takes no more.
  return "severity" in error && (error.severity === "FATAL" || error.severity === "PANIC");
}
