/**
 * What words mean beside each other, as 48 signed bytes each (`data/README.md` says whence). Read
 * once, when it is first asked for.
 */

import { readFileSync } from "node:fs";

const DIMENSIONS = 48;

interface Table {
  readonly rows: ReadonlyMap<string, number>;
  readonly vectors: Int8Array;
  /** Length of each row, so that rounding does not show in a cosine. */
  readonly norms: Float64Array;
}

let table: Table | null = null;

function read(): Table {
  const file = (name: string): Buffer => readFileSync(new URL(`./data/${name}`, import.meta.url));
  const words = file("words.txt").toString("utf8").trimEnd().split("\n");
  const bytes = file("vectors.bin");
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (vectors.length !== words.length * DIMENSIONS) {
    throw new Error(`${words.length} words, but vectors of ${vectors.length / DIMENSIONS}`);
  }
  const norms = new Float64Array(words.length);
  for (let row = 0; row < words.length; row++) {
    norms[row] = Math.hypot(...vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS));
  }
  return { rows: new Map(words.map((word, row) => [word, row])), vectors, norms };
}

export function isKnownWord(word: string): boolean {
  table ??= read();
  return table.rows.has(word);
}

/** The cosine of two words' vectors, -1 to 1; 1 for the same word; null where one is not known. */
export function wordSimilarity(a: string, b: string): number | null {
  if (a === b) return 1;
  table ??= read();
  const [left, right] = [table.rows.get(a), table.rows.get(b)];
  if (left === undefined || right === undefined) return null;
  const { vectors, norms } = table;
  let sum = 0;
  for (let d = 0; d < DIMENSIONS; d++) {
    sum += vectors[left * DIMENSIONS + d]! * vectors[right * DIMENSIONS + d]!;
  }
  return sum / (norms[left]! * norms[right]!);
}
