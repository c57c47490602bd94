/** What one document may take. */

import { DocumentFault } from "./document-fault.ts";

export interface ParsingLimits {
  /** Of the file. */
  readonly fileBytes: number;
  /** Of a file that is text, or of the text in an archive. */
  readonly textBytes: number;
  readonly pages: number;
  /** Of the parsed document, as JSON. */
  readonly outputBytes: number;
  /** Of an archive's members together, unpacked. */
  readonly archiveBytes: number;
  /** Unpacked bytes to packed ones, of a member that is larger than a few megabytes. */
  readonly archiveRatio: number;
  readonly archiveMembers: number;
  /** Elements within elements, values within values. */
  readonly depth: number;
  /** Lines and columns of text, elements of markup, values of JSON, cells of a table. */
  readonly nodes: number;
  /** Pieces of text of a PDF: of one page, of a file whatever its size, and more for each of its bytes. */
  readonly runs: { readonly page: number; readonly file: number; readonly byte: number };
  /** Milliseconds of a file, whatever its size, and of each of its bytes. */
  readonly processorTime: { readonly fileMs: number; readonly byteMs: number };
  /** Width times height of an image. */
  readonly imagePixels: number;
}

const MIB = 1 << 20;

export const PARSING_LIMITS: ParsingLimits = {
  fileBytes: 100 * MIB,
  textBytes: 16 * MIB,
  pages: 2000,
  outputBytes: 48 * MIB,
  archiveBytes: 256 * MIB,
  archiveRatio: 200,
  archiveMembers: 10_000,
  depth: 500,
  nodes: 500_000,
  // Each is written in some bytes at least; what the pages of a file share, such as their heads, are few of each page.
  runs: { page: 100_000, file: 200_000, byte: 1 },
  // A page that is read optically has some 20 kB at least, and takes some seconds.
  processorTime: { fileMs: 60_000, byteMs: 600_000 / MIB },
  imagePixels: 100_000_000,
};

/** @throws DocumentFault `too_large` */
export function requireTextWithin(length: number, { textBytes }: ParsingLimits): void {
  if (length > textBytes) {
    throw new DocumentFault(
      "too_large",
      `The document has ${megabytes(length)} of text; at most ${megabytes(textBytes)} are read. Split it into smaller files.`,
    );
  }
}

/** @param what in the plural, e.g. `cells`. @throws DocumentFault `too_large` */
export function requireNodesWithin(count: number, what: string, { nodes }: ParsingLimits): void {
  if (count > nodes) {
    throw new DocumentFault(
      "too_large",
      `The document has more than ${nodes} ${what}, the most that is read. Split it into smaller files.`,
    );
  }
}

/** @throws DocumentFault `too_many_pages` */
export function requirePagesWithin(pages: number, limits: ParsingLimits): void {
  if (pages > limits.pages) {
    throw new DocumentFault(
      "too_many_pages",
      `The document has ${pages} pages; at most ${limits.pages} are read. Split it into smaller files.`,
    );
  }
}

export const largerThan = (fileBytes: number): DocumentFault =>
  new DocumentFault(
    "too_large",
    `The file is larger than ${megabytes(fileBytes)}, the most that is read. Split it into smaller files.`,
  );

export const megabytes = (bytes: number): string =>
  bytes < MIB ? `${Math.ceil(bytes / 1024)} kB` : `${Math.round((bytes / MIB) * 10) / 10} MB`;
