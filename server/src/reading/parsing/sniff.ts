/**
 * What a document's bytes are. What they begin with wins over the file's name, which wins over what a
 * browser said of it; formats that are text are told apart by name, and by what the text looks like.
 * Only the first kilobytes are looked at.
 */

import { fileTypeFromBuffer } from "file-type";
import { DocumentFault } from "./document-fault.ts";
import { decodeText, shownEncoding } from "./formats/text/encoding.ts";
import { type DocumentName, endingOf, type TextFormat, textFormatOf } from "./text-format.ts";

export type DocumentFormat = "pdf" | "docx" | "image" | "email" | TextFormat;

export interface Sniffed {
  readonly format: DocumentFormat;
  /** Of an image its own. */
  readonly mediaType: string;
}

const MEDIA_TYPES: Readonly<Record<Exclude<DocumentFormat, "image">, string>> = {
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  email: "message/rfc822",
  html: "text/html",
  markdown: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  text: "text/plain",
};

const IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/tiff",
  "image/bmp",
  "image/gif",
]);

/** Formats that people do send, by their endings in file-type, and what to send instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["rtf", "Save it as DOCX or PDF."],
  ["odt", "Save it as DOCX or PDF."],
  ["ods", "Save it as CSV."],
  ["odp", "Save it as PDF."],
  ["xlsx", "Save it as CSV, or as PDF."],
  ["pptx", "Save it as PDF."],
  ["epub", "Save it as PDF or HTML."],
  ["zip", "Send the files in it one by one."],
  ["gz", "Send the file in it."],
  ["7z", "Send the files in it one by one."],
  ["rar", "Send the files in it one by one."],
  ["tar", "Send the files in it one by one."],
  ["heic", "Save it as JPEG, PNG or PDF."],
  ["avif", "Save it as JPEG, PNG or PDF."],
]);

/** What is enough for every signature that is looked for. */
const HEAD_BYTES = 4100;

/** A PDF may begin after a little of something else. */
const PDF_WITHIN = 1024;

/** @throws DocumentFault `empty`, `unsupported`, `encrypted` */
export async function sniff(bytes: Uint8Array, sent: DocumentName): Promise<Sniffed> {
  if (bytes.length === 0) throw new DocumentFault("empty", "The file is empty.");
  const head = bytes.subarray(0, HEAD_BYTES);
  if (Buffer.from(head.subarray(0, PDF_WITHIN)).includes("%PDF-")) {
    return { format: "pdf", mediaType: MEDIA_TYPES.pdf };
  }
  if (isZip(head)) return { format: "docx", mediaType: MEDIA_TYPES.docx };
  // Its directory, by which others tell its kinds, may lie beyond the first kilobytes.
  if (isTiff(head)) return { format: "image", mediaType: "image/tiff" };
  if (isCompound(head)) throw compoundFault(bytes);
  const { text } = decodeText(head);
  const mayBeSigned = shownEncoding(head) === null && (!isPlain(text) || WRITTEN.test(text));
  const found = mayBeSigned ? await fileTypeFromBuffer(head) : undefined;
  if (found !== undefined && IMAGES.has(found.mime)) {
    return { format: "image", mediaType: found.mime };
  }
  if (found !== undefined && found.ext !== "xml") {
    throw unsupported(`a file of type ${found.ext.toUpperCase()}`, INSTEAD.get(found.ext));
  }
  if (isBinary(text)) throw unsupported("neither text nor a known kind of document", undefined);
  if (isEmail(text, sent)) return { format: "email", mediaType: MEDIA_TYPES.email };
  const format = textFormatOf(text, sent);
  return { format, mediaType: MEDIA_TYPES[format] };
}

/** A local file, an empty archive. What an archive holds is found out where it is opened. */
const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 &&
  head[1] === 0x4b &&
  ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));

const isTiff = (head: Uint8Array): boolean =>
  ["II*\0", "MM\0*"].includes(Buffer.from(head.subarray(0, 4)).toString("latin1"));

/** Lines of a head (RFC 5322, 2.2) at the beginning, as everything that is called an e-mail has. */
const MAIL_HEAD = /^\ufeff?(?:From [^\n]{1,200}\n)?[!-9;-~]{1,60}:[ \t][^\n]{0,998}(?:\n|$)/u;
/** What only a program writes. */
const MAIL_MARK = /^(?:MIME-Version:[ \t]*1\.0|Message-ID:[ \t]*<)/imu;

function isEmail(text: string, { name, mediaType }: DocumentName): boolean {
  if (!MAIL_HEAD.test(text)) return false;
  if (endingOf(name) === "eml" || /^message\/rfc822\b/iu.test(mediaType ?? "")) return true;
  const [head] = text.split(/\r?\n\r?\n/u, 1);
  return /^From:[ \t]/imu.test(head!) && MAIL_MARK.test(head!);
}

/** Microsoft's compound file: what Office wrote before 2007, and what it puts encrypted files into. */
const isCompound = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 8)).equals(Buffer.from("d0cf11e0a1b11ae1", "hex"));

function compoundFault(bytes: Uint8Array): DocumentFault {
  // The directory, which holds the names of the streams, may lie anywhere.
  const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from("EncryptedPackage", "utf16le"),
  );
  return isEncrypted
    ? new DocumentFault(
        "encrypted",
        "The document is protected by a password. Save it without one and send it again.",
      )
    : unsupported("a file of an old version of Microsoft Office", "Save it as DOCX or PDF.");
}

function unsupported(what: string, instead: string | undefined): DocumentFault {
  const known = "PDF, DOCX, e-mail (EML), HTML, Markdown, text, CSV, JSON and images are read.";
  return new DocumentFault("unsupported", `The file is ${what}. ${instead ?? known}`);
}

/** Formats that are written in characters and yet are no text to read. */
const WRITTEN = /^(\{\\rtf|%!PS)/u;

/** Short signatures stand in plain words too: a `BM` at the beginning, a `G` at the right place. */
const isPlain = (text: string): boolean => strangeIn(text) === 0;

/** Zeros and other controls that no text has; a few are damage, not another format. */
const isBinary = (text: string): boolean => strangeIn(text) > 0.05 * text.length;

const strangeIn = (text: string): number =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted
  text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
