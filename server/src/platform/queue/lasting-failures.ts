/** How often one failure may come again, alike, before further attempts are a waste: by what caused it. */

import { isDatabaseUnavailable } from "../db/unavailable.ts";
import { isDiskFull } from "../files/disk-full.ts";

/** A fault of the program meets the same data again, and ends alike. */
const OF_PROGRAM = 2;
/** About two minutes, as the delays grow: nothing says whether it passes. */
const UNKNOWN = 8;

/**
 * Whether what the service stands on failed, and no task is to blame: the database, the object store or the
 * disk. However long that lasts, the task has its attempts yet when it is mended.
 */
export function isOfSurroundings(error: unknown): boolean {
  if (isDatabaseUnavailable(error) || isDiskFull(error)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name.endsWith("UnavailableError")) return true;
  }
  return false;
}

/** @returns so many attempts in a row that fail with one message; infinite for what passes by itself */
export function attemptsAlike(error: unknown): number {
  if (isOfSurroundings(error)) return Number.POSITIVE_INFINITY;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (saysWhyFromOutside(cause)) return Number.POSITIVE_INFINITY;
  }
  return isOfProgram(error) ? OF_PROGRAM : UNKNOWN;
}

/** Systems, databases and stores name their refusals by a code; so do Node's own checks, which do not pass. */
function saysWhyFromOutside(error: Error): boolean {
  if ("$metadata" in error) return true;
  return "code" in error && typeof error.code === "string" && !error.code.startsWith("ERR_");
}

const isOfProgram = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof ReferenceError ||
  error instanceof WebAssembly.RuntimeError;
