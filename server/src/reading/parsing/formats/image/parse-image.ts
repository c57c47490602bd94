/** An image as a document of one page, or a TIFF of several: its letters are read optically. */

import { createCanvas, Image } from "@napi-rs/canvas";
import { DocumentFault } from "../../document-fault.ts";
import { layOut } from "../../layout/lay-out.ts";
import type { LaidPage } from "../../layout/page.ts";
import { regionsOf } from "../../layout/regions.ts";
import { PARSING_LIMITS, type ParsingLimits, requirePagesWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { type GreyImage, greyOf } from "../../ocr/grey-image.ts";
import { MAX_OPTICAL_PAGES, type OpticalPage, readOptically } from "../../ocr/optical-warning.ts";
import { mostFactor, type Reading, readImage } from "../../ocr/read-image.ts";
import { decodedByTesseract, RecognitionFailure, type Segmentation } from "../../ocr/tesseract.ts";
import { type ImageHeader, imageHeader } from "./image-header.ts";

/** Of images, which seldom say it truly: dots an inch. */
const RESOLUTION = 150;
const POINTS_PER_PIXEL = 72 / RESOLUTION;
/** Height to width of a page; a receipt is longer and has one column. */
const PAGE_RATIO = 1.6;

/** @throws DocumentFault `damaged`, `too_large`, `too_many_pages`; what the signal is aborted with */
export async function parseImage(
  bytes: Uint8Array,
  limits: ParsingLimits = PARSING_LIMITS,
  signal?: AbortSignal,
): Promise<ParsedDocument> {
  const header = readHeader(bytes, limits);
  requirePagesWithin(header.pages.length, limits);
  const pages: LaidPage[] = [];
  const read: OpticalPage[] = [];
  const left: number[] = [];
  for (const [index, start] of header.pages.entries()) {
    const number = index + 1;
    if (read.length >= MAX_OPTICAL_PAGES) {
      left.push(number);
      continue;
    }
    const { reading, width, height } = await readPage(bytes, header, start, signal);
    read.push({ number, reading });
    pages.push({ number, width, height, regions: regionsOf(reading.runs), apart: [] });
  }
  return {
    version: 1,
    mediaType: header.mediaType,
    title: null,
    pages: layOut(pages),
    warnings: readOptically(read, left),
  };
}

interface ReadPage {
  readonly reading: Reading;
  /** Points. */
  readonly width: number;
  readonly height: number;
}

async function readPage(
  bytes: Uint8Array,
  header: ImageHeader,
  start: number,
  signal: AbortSignal | undefined,
): Promise<ReadPage> {
  const image =
    header.mediaType === "image/tiff"
      ? await tiffPage(bytes, start, signal)
      : await decodeImage(bytes);
  const segmentation: Segmentation = image.height > PAGE_RATIO * image.width ? "column" : "page";
  // A large image was reduced: its page stays as large.
  const scale = POINTS_PER_PIXEL / image.factor;
  const reading = await readImage(image, scale, segmentation, { signal });
  const [width, height] =
    reading.turn % 180 === 0 ? [image.width, image.height] : [image.height, image.width];
  return { reading, width: width * scale, height: height * scale };
}

/** Tesseract decodes what the canvas does not: the page that the file's head points to. */
async function tiffPage(
  bytes: Uint8Array,
  start: number,
  signal: AbortSignal | undefined,
): Promise<DecodedImage> {
  const tiff = Buffer.from(bytes);
  const isLittle = tiff[0] === 0x49;
  if (isLittle) tiff.writeUInt32LE(start, 4);
  else tiff.writeUInt32BE(start, 4);
  try {
    return await decodeImage(await decodedByTesseract(tiff, signal));
  } catch (cause) {
    if (!(cause instanceof RecognitionFailure)) throw cause;
    throw new DocumentFault(
      "damaged",
      "The TIFF cannot be decoded: it is damaged, or compressed in a way that is not supported, such as JPEG. Save it again as PNG, or as a TIFF with LZW compression.",
      { cause },
    );
  }
}

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

interface DecodedImage extends GreyImage {
  /** Its pixels across for each of the file's: 1, or less where it was reduced. */
  readonly factor: number;
}

/**
 * Upright, as its file says; reduced to what is read of it.
 *
 * @param bytes JPEG, PNG, WebP, GIF (its first picture) or BMP
 * @throws DocumentFault `damaged`
 */
async function decodeImage(bytes: Uint8Array): Promise<DecodedImage> {
  const image = new Image();
  try {
    image.src = bytes;
    await image.decode();
  } catch (cause) {
    throw damaged(cause);
  }
  const factor = Math.min(1, mostFactor(image.width, image.height));
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
