/** Grey TIFFs without compression, for tests. */

import type { GreyImage } from "../../../ocr/grey-image.ts";

const TAGS = 9;
const DIRECTORY_BYTES = 2 + 12 * TAGS + 4;

/** One page for each image (TIFF 6.0, sections 2 and 4). */
export function tiffOf(images: readonly GreyImage[]): Buffer {
  const parts: Buffer[] = [Buffer.from("II*\0\x08\0\0\0", "latin1")];
  let at = 8;
  for (const [index, { width, height, pixels }] of images.entries()) {
    const data = at + DIRECTORY_BYTES;
    const directory = Buffer.alloc(DIRECTORY_BYTES);
    directory.writeUInt16LE(TAGS, 0);
    const entries: [number, number][] = [
      [256, width],
      [257, height],
      [258, 8],
      // Neither packed nor turned, black is zero.
      [259, 1],
      [262, 1],
      [273, data],
      [277, 1],
      [278, height],
      [279, pixels.length],
    ];
    for (const [entry, [tag, value]] of entries.entries()) {
      directory.writeUInt16LE(tag, 2 + 12 * entry);
      directory.writeUInt16LE(4, 4 + 12 * entry);
      directory.writeUInt32LE(1, 6 + 12 * entry);
      directory.writeUInt32LE(value, 10 + 12 * entry);
    }
    at = data + pixels.length;
    directory.writeUInt32LE(index + 1 < images.length ? at : 0, DIRECTORY_BYTES - 4);
    parts.push(directory, Buffer.from(pixels));
  }
  return Buffer.concat(parts);
}
