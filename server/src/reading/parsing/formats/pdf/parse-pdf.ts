/**
 * PDF as a document: the text of each page, laid out by where it stands; what is only an image is read
 * optically. Pages are read one by one and let go, so that memory does not grow with their graphics.
 */

import { fileURLToPath } from "node:url";
import {
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  VerbosityLevel,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import { asOneLine } from "../../characters.ts";
import { DocumentFault } from "../../document-fault.ts";
import { layOut } from "../../layout/lay-out.ts";
import type { LaidPage } from "../../layout/page.ts";
import { PARSING_LIMITS, type ParsingLimits, requirePagesWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { PageReader } from "./page-reader.ts";

/** @throws DocumentFault `encrypted`, `damaged`, `too_many_pages`, `too_large`; what the signal is aborted with */
export async function parsePdf(
  bytes: Uint8Array,
  limits: ParsingLimits = PARSING_LIMITS,
  signal?: AbortSignal,
): Promise<ParsedDocument> {
  const pdf = await openPdf(bytes, limits);
  try {
    requirePagesWithin(pdf.numPages, limits);
    const { page, file, byte } = limits.runs;
    const runs = { page, file: file + byte * bytes.length };
    const reader = new PageReader(pdf, runs, signal);
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

/** A folder of the package, with a slash at its end as pdf.js wants it. */
const folder = (name: string): string => fileURLToPath(import.meta.resolve(`pdfjs-dist/${name}/`));

/** Of an image on a page: A3 at 600 dots an inch, four bytes each. Larger ones are left out. */
const MAX_PICTURE_PIXELS = 70_000_000;

/**
 * Fonts, encodings and colour profiles come from the package of pdf.js, nothing from the network; no
 * script of the file is run. The caller destroys the document.
 *
 * @throws DocumentFault `encrypted`, `damaged`
 */
export async function openPdf(bytes: Uint8Array, limits: ParsingLimits): Promise<PDFDocumentProxy> {
  const task = getDocument({
    // pdf.js takes the bytes for its own.
    data: new Uint8Array(bytes),
    cMapUrl: folder("cmaps"),
    cMapPacked: true,
    standardFontDataUrl: folder("standard_fonts"),
    wasmUrl: folder("wasm"),
    iccUrl: folder("iccs"),
    useSystemFonts: false,
    disableFontFace: true,
    // Fonts' names, which say whether they are bold.
    fontExtraProperties: true,
    enableXfa: false,
    maxImageSize: Math.min(limits.imagePixels, MAX_PICTURE_PIXELS),
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    return await task.promise;
  } catch (error) {
    await task.destroy();
    throw faultOf(error);
  }
}

function faultOf(cause: unknown): Error {
  if (cause instanceof PasswordException) {
    return new DocumentFault(
      "encrypted",
      "The PDF is protected by a password. Save it without one and send it again.",
      { cause },
    );
  }
  const isDamaged = cause instanceof InvalidPDFException || cause instanceof Error;
  return isDamaged ? damaged(cause) : new Error("pdf.js failed", { cause });
}

function damaged(cause?: unknown): DocumentFault {
  return new DocumentFault(
    "damaged",
    "The PDF is damaged: its structure cannot be read. Save it again from the program that made it.",
    { cause },
  );
}
