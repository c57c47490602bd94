/** The cells of a column of texts as its different ones, and what any reading of them needs. */

import { shown } from "../shown.ts";
import { DataError } from "../table.ts";

export interface Texts {
  readonly name: string;
  /** By row: the number of its text; -1 = missing. */
  readonly codes: Int32Array<ArrayBuffer>;
  readonly texts: readonly string[];
  /** By text: whether it is a value; else it says that one is missing. */
  readonly live: readonly boolean[];
}

export function liveTexts({ texts, live }: Texts): string[] {
  return texts.filter((_, entry) => live[entry]);
}

/** By text: how many rows hold it. */
export function rowCounts({ codes, texts }: Texts): Uint32Array {
  const counts = new Uint32Array(texts.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  return counts;
}

/** The values of rows. @param meaning by text */
export function spread(codes: Int32Array, meaning: Float64Array): Float64Array {
  const values = new Float64Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    values[row] = codes[row] < 0 ? Number.NaN : meaning[codes[row]];
  }
  return values;
}

/** @param entry of the text that is at fault @param what the column should be */
export function refuse({ name, codes, texts }: Texts, entry: number, what: string): never {
  const row = codes.indexOf(entry) + 1;
  throw new DataError(
    `Column ${shown(name)} should be ${what}, but row ${row} holds ${shown(texts[entry])}.`,
    { column: name, row },
  );
}
