/** The records of a delimited text, one after another, without making columns of them. */

import { DataError } from "../table.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";

/** No record is longer; what seems so is a quote that is never closed. */
const MAX_RECORD_BYTES = 64 * 2 ** 20;

/**
 * @param source UTF-8
 * @param take is given the text of each field by its index, empty where there is none; false ends it
 * @throws DataError where a record is damaged
 */
export async function eachRecord(
  source: AsyncIterable<Uint8Array>,
  dialect: CsvDialect,
  take: (field: (index: number) => string) => boolean,
): Promise<void> {
  const decoder = new TextDecoder();
  const scanner = new CsvScanner(dialect, (bytes, starts, ends, fields) =>
    take((index) =>
      index < fields ? decoder.decode(bytes.subarray(starts[index], ends[index])) : "",
    ),
  );
  let held = new Uint8Array(0);
  let wanted = 0;
  for await (const chunk of source) {
    const joined = new Uint8Array(held.length + chunk.length);
    joined.set(held);
    joined.set(chunk, held.length);
    held = joined;
    if (held.length < wanted) continue;
    const taken = scanner.scan(held, held.length, false);
    if (scanner.stopped) return;
    held = held.slice(taken);
    // A record longer than this is scanned anew only when twice as much of it is there.
    wanted = held.length * 2;
    if (held.length > MAX_RECORD_BYTES) {
      throw new DataError(`Row ${scanner.records} is longer than ${MAX_RECORD_BYTES} bytes.`);
    }
  }
  scanner.scan(held, held.length, true);
}
