/** Bytes through one of Node's decompressors. */

import { Readable, type Transform } from "node:stream";

/** What `plain` makes of the bytes. Both ends are let go of, however it ends. */
export async function* piped(
  source: AsyncIterable<Uint8Array>,
  plain: Transform,
): AsyncGenerator<Uint8Array> {
  const compressed = Readable.from(source, { objectMode: false });
  compressed.on("error", (error) => plain.destroy(error));
  compressed.pipe(plain);
  try {
    yield* plain;
  } finally {
    compressed.destroy();
    plain.destroy();
  }
}
