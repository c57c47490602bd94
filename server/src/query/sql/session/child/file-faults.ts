/**
 * What DuckDB says of a file that it cannot read, in words for the person whose file it is: table, file
 * and row, and none of DuckDB's own settings.
 */

import { basename, resolve, sep } from "node:path";
import { DataError, eachRecord } from "@distillery/engine/csv";
import { z } from "zod";
import type { RunTable } from "../messages.ts";
import { malformedRecord } from "./json-lines.ts";
import { unpacked } from "./packed-file.ts";

/**
 * @param tables those that the statement reads
 * @param jsonLine see `jsonLineOf`
 * @returns null where it is said of no file of delimited text or JSON
 */
export function fileFault(
  message: string,
  tables: readonly RunTable[],
  jsonLine: number | null,
): string | null {
  const csv = /CSV Error on Line: (\d+)/.exec(message);
  const json =
    /Malformed JSON in file "([^"]+)", at byte \d+ in (line|record\/value) (\d+): (.*?)\.? *(?:\n|$)/.exec(
      message,
    );
  const path = csv === null ? json?.[1] : /\n\s*file = (.+)/.exec(message)?.[1];
  if (path === undefined) return null;
  const table = tables.find(({ staged }) => staged?.sql.includes(path))?.name;
  const place = table === undefined ? "" : `${table.catalog}.${table.schema}.${table.table}: `;
  const said = csv === null ? jsonFault(json ?? [], jsonLine) : csvFault(message, csv[1]!);
  return `${place}${basename(path)}: ${said}`;
}

function jsonFault(found: readonly string[], line: number | null): string {
  const [, , , told = "", reason] = found;
  const place = line === null ? `record ${malformedRecord(told)}` : `line ${line}`;
  return `${place} is not valid JSON: ${reason}`;
}

function csvFault(message: string, line: string): string {
  const counts = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message);
  if (counts !== null) {
    const [, expected, found] = counts;
    return `line ${line} has ${found} ${found === "1" ? "field" : "fields"}, and the file has ${expected} columns`;
  }
  if (/unterminated quote/i.test(message)) {
    return `a quote that opens in line ${line} is never closed, or has text after it; a quote inside a quoted field is written twice`;
  }
  if (/unicode|utf-8/i.test(message)) {
    return `line ${line} is not valid UTF-8; save the file as UTF-8`;
  }
  if (/maximum line size/i.test(message)) return `line ${line} is longer than a line may be`;
  return `line ${line} cannot be read as delimited text`;
}

/** Before what a checked cast puts behind its message: how the file is read, its path, the value. */
export const MARK = "\u0001";

const placeSchema = z.object({
  column: z.int(),
  header: z.boolean(),
  delimiter: z.string(),
  comment: z.string(),
  isDeclared: z.boolean(),
});
type Place = z.output<typeof placeSchema>;

/**
 * The message of a checked cast with the row of the value, which DuckDB's reader does not know. A
 * statement may put marks of its own into an error: none leads out of the folder.
 *
 * @param folder that paths are relative to
 */
export async function withRow(message: string, folder: string): Promise<string> {
  const [said = "", how, path, ...value] = message.split(MARK);
  if (how === undefined || path === undefined || value.length === 0) return message;
  const place = placeSchema.safeParse(jsonOf(how));
  const file = resolve(folder, path);
  if (!place.success || !file.startsWith(`${folder}${sep}`)) return said;
  const row = await findRow(file, place.data, value.join(MARK));
  return `${said}${row === null ? "" : ` (row ${row})`}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The first data row that has the value there, which may be the beginning of a longer one. */
async function findRow(path: string, place: Place, value: string): Promise<number | null> {
  let found: number | null = null;
  let row = place.header ? 0 : 1;
  try {
    await eachRecord(unpacked(path), place, (field) => {
      if (row > 0 && field(place.column).startsWith(value.trim())) found = row;
      row++;
      return found === null;
    });
  } catch (error) {
    // The row is a help; the message tells the fault without it, whatever the file is.
    if (!(error instanceof DataError) && !isFileError(error)) throw error;
  }
  return found;
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
