/** What an image's head says of it, read before anything is decoded: its size and its pages. */

export interface ImageHeader {
  readonly mediaType: string;
  /** Pixels, as stored. */
  readonly width: number;
  readonly height: number;
  /** Of a TIFF, where its pages begin; one for other formats. */
  readonly pages: readonly number[];
}

const MAX_TIFF_PAGES = 1000;

/** Null where the bytes are no image that is known, or end too early. */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (start: number, length: number): string =>
    String.fromCharCode(...bytes.subarray(start, start + length));
  try {
    if (ascii(1, 3) === "PNG") return sized("image/png", view.getUint32(16), view.getUint32(20));
    if (view.getUint16(0) === 0xffd8) return jpegHeader(view);
    if (ascii(0, 4) === "RIFF" && ascii(8, 4) === "WEBP") return webpHeader(view, ascii(12, 4));
    if (ascii(0, 3) === "GIF") {
      return sized("image/gif", view.getUint16(6, true), view.getUint16(8, true));
    }
    if (ascii(0, 2) === "BM") {
      return sized("image/bmp", view.getInt32(18, true), Math.abs(view.getInt32(22, true)));
    }
    return ascii(0, 4) === "II*\0" || ascii(0, 4) === "MM\0*" ? tiffHeader(view) : null;
  } catch (error) {
    // Beyond the end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sized(mediaType: string, width: number, height: number): ImageHeader {
  return { mediaType, width, height, pages: [0] };
}

/** Segments up to the frame header (ITU T.81, B.2.2). */
function jpegHeader(view: DataView): ImageHeader | null {
  let at = 2;
  while (at < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return sized("image/jpeg", view.getUint16(at + 7), view.getUint16(at + 5));
    }
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}

function webpHeader(view: DataView, chunk: string): ImageHeader | null {
  const three = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (chunk === "VP8X") return sized("image/webp", three(24) + 1, three(27) + 1);
  if (chunk === "VP8 ") {
    return sized(
      "image/webp",
      view.getUint16(26, true) & 0x3fff,
      view.getUint16(28, true) & 0x3fff,
    );
  }
  if (chunk !== "VP8L") return null;
  const bits = view.getUint32(21, true);
  return sized("image/webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

const WIDTH = 256;
const HEIGHT = 257;

/** Image file directories (TIFF 6.0, section 2). */
function tiffHeader(view: DataView): ImageHeader {
  const little = view.getUint8(0) === 0x49;
  const pages: number[] = [];
  let [width, height] = [0, 0];
  let at = view.getUint32(4, little);
  while (at !== 0 && !pages.includes(at) && pages.length < MAX_TIFF_PAGES) {
    pages.push(at);
    const entries = view.getUint16(at, little);
    for (let entry = at + 2; entry < at + 2 + 12 * entries; entry += 12) {
      const tag = view.getUint16(entry, little);
      const isShort = view.getUint16(entry + 2, little) === 3;
      const value = isShort ? view.getUint16(entry + 8, little) : view.getUint32(entry + 8, little);
      // The largest page counts.
      if (tag === WIDTH) width = Math.max(width, value);
      if (tag === HEIGHT) height = Math.max(height, value);
    }
    at = view.getUint32(at + 2 + 12 * entries, little);
  }
  return { mediaType: "image/tiff", width, height, pages };
}
