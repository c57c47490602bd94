/**
 * Word documents by way of HTML (mammoth). Of the archive only parts that are XML are unpacked: no
 * pictures, no macros, no embedded files. What Word shows beside the text, headers before it and
 * footers after it, is read too.
 */

import mammoth from "mammoth";
import { Archive } from "../../archive/archive.ts";
import { storedZip } from "../../archive/stored-zip.ts";
import { DocumentFault } from "../../document-fault.ts";
import { type ParsingLimits, requireTextWithin } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { parseMarkup } from "../html/parse-html.ts";

const MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => h2:fresh",
  "p[style-name='heading 7'] => h6:fresh",
  "p[style-name='heading 8'] => h6:fresh",
  "p[style-name='heading 9'] => h6:fresh",
];

/** Mammoth's own, after notes. */
const BACK_LINKS = /<a href="#(?:foot|end)note-ref-[^"<>]*">↑<\/a>/gu;

/** @throws DocumentFault `unsupported`, `encrypted`, `damaged`, `archive_bomb`, `too_large`, `too_deep` */
export async function parseDocx(bytes: Uint8Array, limits: ParsingLimits): Promise<ParsedDocument> {
  const archive = await Archive.open(bytes, limits);
  const { names } = archive;
  if (!names.some((name) => /^word\/[^/]+\.xml$/iu.test(name))) throw otherArchive(names);
  const parts = await xmlParts(archive, limits);
  const documents = [];
  for (const part of marginParts(parts, "header")) documents.push(await markupOf(part, limits));
  const main = await markupOf(parts, limits);
  documents.push(main);
  for (const part of marginParts(parts, "footer")) documents.push(await markupOf(part, limits));
  const blocks = documents.flatMap((document) => document.pages.flatMap((page) => page.blocks));
  return {
    ...main,
    pages: [{ number: 1, width: null, height: null, blocks }],
    warnings: names.some((name) => /^word\/media\//iu.test(name))
      ? ["Pictures in the document were not read."]
      : [],
  };
}

async function xmlParts(archive: Archive, limits: ParsingLimits): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>();
  let length = 0;
  for (const name of archive.names) {
    if (!/\.(?:xml|rels)$/iu.test(name)) continue;
    const part = await archive.read(name);
    length += part.length;
    requireTextWithin(length, limits);
    // Packages hold no document types (ECMA-376, part 2), and so no entities that could grow.
    if (part.includes("<!DOCTYPE") || part.includes("<!ENTITY")) {
      throw new DocumentFault(
        "damaged",
        "The document declares types of its own, as no DOCX does.",
      );
    }
    parts.set(name, part);
  }
  return parts;
}

async function markupOf(
  parts: ReadonlyMap<string, Uint8Array>,
  limits: ParsingLimits,
): Promise<ParsedDocument> {
  return parseMarkup(await htmlOf(storedZip(parts)), limits, {
    mediaType: MEDIA_TYPE,
    keepsSpaces: true,
  });
}

async function htmlOf(buffer: Buffer): Promise<string> {
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        styleMap: STYLES,
        includeEmbeddedStyleMap: false,
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
      },
    );
    return value.replace(BACK_LINKS, "");
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new DocumentFault("too_deep", "The document's parts are nested too deep.", { cause });
    }
    throw new DocumentFault("damaged", "The document is damaged: its parts cannot be read.", {
      cause,
    });
  }
}

function otherArchive(names: readonly string[]): DocumentFault {
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  const instead = has(/^xl\//iu)
    ? "an Excel workbook. Save it as CSV, or as PDF."
    : has(/^ppt\//iu)
      ? "a PowerPoint presentation. Save it as PDF."
      : has(/^(?:mimetype|content\.xml)$/u)
        ? "an OpenDocument or EPUB file. Save it as DOCX or PDF."
        : "an archive. Send the files in it one by one.";
  return new DocumentFault("unsupported", `The file is ${instead}`);
}

const MAIN = "word/document.xml";

/** More than first, even and other pages of a few sections repeat what these say. */
const MOST_MARGINS = 6;

/**
 * Headers and footers, where letters have their sender: each made the main part of a package, so that
 * it is read as the text is. Those that say the same as another are left out.
 */
function marginParts(
  parts: ReadonlyMap<string, Uint8Array>,
  kind: "header" | "footer",
): Map<string, Uint8Array>[] {
  const seen = new Set<string>();
  const packages: Map<string, Uint8Array>[] = [];
  const pattern = new RegExp(`^word/${kind}\\d{0,4}\\.xml$`, "iu");
  for (const [name, part] of parts) {
    if (!pattern.test(name) || packages.length === MOST_MARGINS || !parts.has(MAIN)) continue;
    const xml = Buffer.from(part).toString("utf8");
    const text = xml.replace(/<[^<>]*>/gu, "").trim();
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    const main = asMainPart(xml);
    if (main !== null) packages.push(new Map([...parts, [MAIN, Buffer.from(main)]]));
  }
  return packages;
}

/** `<w:hdr …>…</w:hdr>` as `<w:document …><w:body>…</w:body></w:document>`, with whatever prefix. */
function asMainPart(xml: string): string | null {
  const start = /<([A-Za-z][\w.-]*:)?(?:hdr|ftr)(\s[^<>]*)?>/u.exec(xml);
  if (start === null) return null;
  const prefix = start[1] ?? "";
  const end = xml.lastIndexOf("</");
  const from = start.index + start[0].length;
  if (end < from) return null;
  const content = xml.slice(from, end);
  return `<${prefix}document${start[2] ?? ""}><${prefix}body>${content}</${prefix}body></${prefix}document>`;
}
