/**
 * Lists of rows and what lies at them, by loops: `from` and `filter` of typed arrays go through an iterator
 * and a list, which take several times the time and the memory.
 */

/** 0 … count - 1. */
export function rowNumbers(count: number): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) rows[i] = i;
  return rows;
}

/** Those of them for which it holds, in their order. */
export function rowsWhere(
  rows: Uint32Array,
  holds: (row: number) => boolean,
): Uint32Array<ArrayBuffer> {
  const kept = new Uint32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (holds(rows[i])) kept[count++] = rows[i];
  return count === rows.length ? kept : kept.slice(0, count);
}

/** The values at the rows, in their order. */
export function valuesAt(
  values: ArrayLike<number>,
  rows: ArrayLike<number>,
): Float64Array<ArrayBuffer> {
  const taken = new Float64Array(rows.length);
  for (let i = 0; i < taken.length; i++) taken[i] = values[rows[i]];
  return taken;
}

/** The same of whole numbers. */
export function numbersAt(
  numbers: ArrayLike<number>,
  rows: ArrayLike<number>,
): Uint32Array<ArrayBuffer> {
  const taken = new Uint32Array(rows.length);
  for (let i = 0; i < taken.length; i++) taken[i] = numbers[rows[i]];
  return taken;
}

/** One list after the other. */
export function joined(lists: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
