/** The first page of a PDF as an image, for tests of what reads images. */

import { drawPart } from "../../formats/pdf/optical.ts";
import { openPdf } from "../../formats/pdf/parse-pdf.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import type { GreyImage } from "../grey-image.ts";

/** @param scale pixels a point */
export async function drawn(bytes: Uint8Array, scale: number): Promise<GreyImage> {
  const pdf = await openPdf(bytes, PARSING_LIMITS);
  try {
    const page = await pdf.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    return await drawPart(pdf, page, [0, 0, width, height], scale);
  } finally {
    await pdf.loadingTask.destroy();
  }
}
