/** An image as a document of one page, or a TIFF of several: its letters are read optically. */

import { DocumentFault } from "../../document-fault.ts";
import { layOut } from "../../layout/lay-out.ts";
import type { LaidPage } from "../../layout/page.ts";
import { regionsOf } from "../../layout/regions.ts";
import { PARSING_LIMITS, type ParsingLimits, requirePagesWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { MAX_OPTICAL_PAGES, type OpticalPage, readOptically } from "../../ocr/optical-warning.ts";
import { type Reading, readImage } from "../../ocr/read-image.ts";
import { decodedByTesseract, RecognitionFailure, type Segmentation } from "../../ocr/tesseract.ts";
import { type DecodedImage, decodeImage, readHeader } from "./decode-image.ts";
import type { ImageHeader } from "./image-header.ts";

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
      "The TIFF cannot be decoded: it is damaged, or packed in a way that is not read, such as JPEG. Save it again as PNG, or as a TIFF that is packed by LZW.",
      { cause },
    );
  }
}
