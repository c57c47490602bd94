/** Faults that the engine finds in data, as the 422 that shows them. */

import { DataError, DataLimitError } from "@distillery/engine";
import { unprocessable } from "./problem.ts";

/** Errors of other kinds come back as they are. */
export function asDataFault(error: unknown, loc: readonly (string | number)[]): unknown {
  if (!(error instanceof DataError)) return error;
  const where = {
    ...(error.column === undefined ? {} : { column: error.column }),
    ...(error.row === undefined ? {} : { row: error.row }),
    ...(error instanceof DataLimitError && {
      limit: error.limit.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      maximum: error.maximum,
    }),
  };
  return unprocessable(loc, error.message, Object.keys(where).length > 0 ? { ctx: where } : {});
}
