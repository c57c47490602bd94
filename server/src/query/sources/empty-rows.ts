/** Rows without columns, as CSV: a line feed each. */

const CHUNK_ROWS = 64 * 1024;

export function* emptyRows(count: number): Generator<Uint8Array, void> {
  for (let left = count; left > 0; left -= CHUNK_ROWS) {
    yield Buffer.alloc(Math.min(left, CHUNK_ROWS), "\n");
  }
}
