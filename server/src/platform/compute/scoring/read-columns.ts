/** Whether rows have anything that a model reads. */

import { DataError } from "@distillery/engine";

const MOST_NAMED = 10;

/** @param read columns of the model @param names of the rows' columns @throws DataError where none is the same */
export function checkReads(read: ReadonlySet<string>, names: Iterable<string>): void {
  for (const name of names) if (read.has(name)) return;
  const some = [...read].slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
  const others = read.size > some.length ? " and others" : "";
  throw new DataError(
    `The rows have none of the columns that the model reads: ${some.join(", ")}${others}.`,
  );
}
