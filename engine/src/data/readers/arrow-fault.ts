/** What is wrong with an Arrow file, or with Arrow data out of a Parquet file, for the person who sent it. */

import { ArrowFileError } from "../arrow/file-error.ts";
import { ArrowSchemaError } from "../arrow/schema-error.ts";
import { shown } from "../shown.ts";
import { DataError } from "../table.ts";

const AGAIN = "Export the file again, or upload it once more.";

/**
 * @param rows that were read before
 * @returns what is to be thrown: what is no fault of the data, as it is
 */
export function arrowFault(cause: unknown, rows: number, format: "Arrow" | "Parquet"): unknown {
  if (!(cause instanceof ArrowFileError || cause instanceof ArrowSchemaError)) return cause;
  const behind = rows > 0 ? ` after row ${rows}` : "";
  const row = rows > 0 ? { row: rows } : {};
  if (cause instanceof ArrowFileError && cause.fault === "damaged" && cause.column !== undefined) {
    return new DataError(
      `Column ${shown(cause.column)} of the ${format} file is damaged${behind}: its values contradict each other. ${AGAIN}`,
      { column: cause.column, ...row, cause },
    );
  }
  // Sound, perhaps, but not read here: what it is helps whoever wrote it.
  if (isNotRead(cause)) {
    return new DataError(`The ${format} file cannot be read${behind}: ${cause.message}.`, {
      ...(cause instanceof ArrowFileError && cause.column !== undefined
        ? { column: cause.column }
        : {}),
      ...row,
      cause,
    });
  }
  // What else there is to say speaks of the format's inner parts.
  return new DataError(`The ${format} file is damaged or cut short${behind}. ${AGAIN}`, {
    ...row,
    cause,
  });
}

function isNotRead(cause: ArrowFileError | ArrowSchemaError): boolean {
  if (cause instanceof ArrowFileError) return cause.fault !== "damaged";
  return ["unsupported-type", "endianness", "limit"].includes(cause.fault);
}
