/**
 * PDF as a document: the text of each page, laid out by where it stands; what is only an image is read
 * optically. Pages are read one by one and let go, so that memory does not grow with their graphics.
 */

import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
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
      pages.push(await reader.read(await pageOf(pdf, number)));
    }
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

async function pageOf(pdf: PDFDocumentProxy, number: number): Promise<PDFPageProxy> {
  try {
    return await pdf.getPage(number);
  } catch (cause) {
    throw damaged(cause);
  }
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string | null> {
  const { info } = await pdf.getMetadata();
  const title: unknown = "Title" in info ? info.Title : null;
  return typeof title === "string" && title.trim() !== "" ? asOneLine(title) : null;
}
