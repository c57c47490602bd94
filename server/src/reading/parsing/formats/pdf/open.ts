/**
 * Opening a PDF by pdf.js: fonts, encodings and colour profiles come from its package, nothing from the
 * network; no script of the file is run.
 */

import { fileURLToPath } from "node:url";
import {
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  VerbosityLevel,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import { DocumentFault } from "../../document-fault.ts";
import type { ParsingLimits } from "../../limits.ts";

/** A folder of the package, with a slash at its end as pdf.js wants it. */
const folder = (name: string): string => fileURLToPath(import.meta.resolve(`pdfjs-dist/${name}/`));

/** Of an image on a page: A3 at 600 dots an inch, four bytes each. Larger ones are left out. */
const MAX_PICTURE_PIXELS = 70_000_000;

/** The caller destroys it. @throws DocumentFault `encrypted`, `damaged` */
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

export function damaged(cause?: unknown): DocumentFault {
  return new DocumentFault(
    "damaged",
    "The PDF is damaged: its structure cannot be read. Save it again from the program that made it.",
    { cause },
  );
}
