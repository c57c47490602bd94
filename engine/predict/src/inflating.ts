/** Deflated bytes, as they come out. */

export function inflating(packed: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new Blob([Uint8Array.from(packed)]);
  return bytes.stream().pipeThrough(new DecompressionStream("deflate-raw"));
}
