/**
 * PDF as a document: the text of each page, laid out by where it stands; what is only an image is read
 * optically. Pages are read one by one and let go, so that memory does not grow with their graphics.
 */

import type { PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { asOneLine } from "../../characters.ts";
import { layOut } from "../../layout/lay-out.ts";
import type { LaidPage } from "../../layout/page.ts";
import { PARSING_LIMITS, type ParsingLimits, requirePagesWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { damaged, openPdf } from "./open.ts";
import { PageReader } from "./page-reader.ts";

/** @throws DocumentFault `encrypted`, `damaged`, `too_many_pages`; what the signal is aborted with */
export async function parsePdf(
  bytes: Uint8Array,
  limits: ParsingLimits = PARSING_LIMITS,
  signal?: AbortSignal,
): Promise<ParsedDocument> {
  const pdf = await openPdf(bytes, limits);
  try {
    requirePagesWithin(pdf.numPages, limits);
    const reader = new PageReader(pdf, signal);
    const pages: LaidPage[] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      signal?.throwIfAborted();
      pages.push(await reader.read(number));
    }
    if (reader.isNothingRead) throw damaged();
    return {
      version: 1,
      mediaType: "application/pdf",
      title: await titleOf(pdf),
      pages: layOut(pages),
      warnings: reader.warnings,
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string | null> {
  const info = await infoOf(pdf);
  const title: unknown = "Title" in info ? info.Title : null;
  return typeof title === "string" && title.trim() !== "" ? asOneLine(title) : null;
}

/** None where it is damaged, of which the pages need not be. */
async function infoOf(pdf: PDFDocumentProxy): Promise<object> {
  try {
    return (await pdf.getMetadata()).info;
  } catch {
    return {};
  }
}
