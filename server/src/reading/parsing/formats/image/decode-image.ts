/** Images decoded to grey, within bounds that are checked before they are. */

import { createCanvas, Image } from "@napi-rs/canvas";
import { DocumentFault } from "../../document-fault.ts";
import type { ParsingLimits } from "../../limits.ts";
import { type GreyImage, greyOf } from "../../ocr/grey-image.ts";
import { MAX_READ_PIXELS } from "../../ocr/read-image.ts";
import { type ImageHeader, imageHeader } from "./image-header.ts";

/** @throws DocumentFault `damaged`, `too_large` */
export function readHeader(bytes: Uint8Array, { imagePixels }: ParsingLimits): ImageHeader {
  const header = imageHeader(bytes);
  if (header === null || !(header.width > 0 && header.height > 0)) throw damaged();
  const { width, height } = header;
  if (width * height > imagePixels) {
    throw new DocumentFault(
      "too_large",
      `The image has ${width} by ${height} pixels; at most ${Math.floor(imagePixels / 1e6)} million are read. Make it smaller.`,
    );
  }
  return header;
}

export interface DecodedImage extends GreyImage {
  /** Its pixels across for each of the file's: 1, or less where it was reduced. */
  readonly factor: number;
}

/**
 * Upright, as its file says; reduced to what is read of it.
 *
 * @param bytes JPEG, PNG, WebP, GIF (its first picture) or BMP
 * @throws DocumentFault `damaged`
 */
export async function decodeImage(bytes: Uint8Array): Promise<DecodedImage> {
  const image = new Image();
  try {
    image.src = bytes;
    await image.decode();
  } catch (cause) {
    throw damaged(cause);
  }
  const factor = Math.min(1, Math.sqrt(MAX_READ_PIXELS / (image.width * image.height)));
  const width = Math.max(1, Math.floor(image.width * factor));
  const height = Math.max(1, Math.floor(image.height * factor));
  const context = createCanvas(width, height).getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return { ...greyOf(data, width, height), factor };
}

function damaged(cause?: unknown): DocumentFault {
  return new DocumentFault(
    "damaged",
    "The image is damaged: it cannot be decoded. Save it again as JPEG or PNG.",
    { cause },
  );
}
