/** The encoding that a sender says a file of delimited text has. */

import { DataError, type TableFormat } from "@distillery/engine";
import { encodingNamed } from "@distillery/engine/csv";
import { z } from "zod";
import type { MediaType } from "../../api/http/bodies/body.ts";
import { unprocessable } from "../../platform/input/problem.ts";

export const ENCODING_DESCRIPTION =
  "Of delimited text: a label of the Encoding Standard, such as `windows-1251`, `koi8-r`, `shift_jis` or `iso-8859-2`. Default: the `charset` of the media type, or found out of the bytes. `source.encoding` of the dataset is what it was read as.";

export const encodingField = z.string().min(1).max(40).optional().describe(ENCODING_DESCRIPTION);

/**
 * The standard's name for what a member of the request says.
 *
 * @throws 422 where it is none, or the format is no text
 */
export function parseEncoding(
  label: string | undefined,
  format: TableFormat,
  loc: readonly string[],
): string | undefined {
  if (label === undefined) return undefined;
  if (format !== "csv") {
    throw unprocessable(loc, `only delimited text has an encoding, and this is ${format}`);
  }
  try {
    return encodingNamed(label);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw unprocessable(loc, error.message);
  }
}

/** Many clients say that everything is UTF-8, so that this is held against the bytes. */
const SAID_BY_DEFAULT = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

/** @throws 422 where the charset is not known */
export function charsetOf(media: MediaType | null, format: TableFormat): string | undefined {
  const charset = media?.parameters["charset"];
  if (!charset || format !== "csv" || SAID_BY_DEFAULT.has(charset.toLowerCase())) return undefined;
  return parseEncoding(charset, format, ["header", "content-type"]);
}

/** As `source` of a dataset keeps it. */
export function encodingOf(source: Readonly<Record<string, unknown>>): { encoding?: string } {
  const { encoding } = source;
  return typeof encoding === "string" ? { encoding } : {};
}
