/**
 * An e-mail (RFC 5322, MIME; by postal-mime) as a document of one page: who wrote to whom, when and
 * about what, a line each as the label and its value, and what was written. Of a body in several forms
 * the HTML is read, which has the tables. Attachments are documents of their own: they are named.
 */

import PostalMime, { type Address, type Email } from "postal-mime";
import { asOneLine } from "../../characters.ts";
import { DocumentFault } from "../../document-fault.ts";
import { type ParsingLimits, requireTextWithin } from "../../limits.ts";
import type { Block, Line, ParsedDocument } from "../../normal-form.ts";
import { parseMarkup } from "../html/parse-html.ts";
import { parsePlainText } from "../text/parse-text.ts";

const EMAIL_MEDIA_TYPE = "message/rfc822";

/** Parts within parts; nobody forwards as often. */
const MAX_NESTING = 50;
/** Attachments that are named. */
const MOST_NAMED = 20;

/** @throws DocumentFault `damaged`, `too_large`, `too_deep` */
export async function parseEmail(
  bytes: Uint8Array,
  limits: ParsingLimits,
): Promise<ParsedDocument> {
  const email = await read(bytes);
  requireTextWithin((email.html?.length ?? 0) + (email.text?.length ?? 0), limits);
  const lines = headLines(email);
  const head: Block[] = lines.length === 0 ? [] : [{ kind: "paragraph", lines }];
  return {
    version: 1,
    mediaType: EMAIL_MEDIA_TYPE,
    title: asOneLine(email.subject ?? "") || null,
    pages: [
      { number: 1, width: null, height: null, blocks: [...head, ...bodyBlocks(email, limits)] },
    ],
    warnings: attachmentWarnings(email),
  };
}

async function read(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: MAX_NESTING });
  } catch (cause) {
    throw new DocumentFault(
      "damaged",
      "The e-mail is damaged: its parts cannot be read. Save it again from the program that has it, or as PDF.",
      { cause },
    );
  }
}

function headLines({ from, to, cc, subject, headers }: Email): Line[] {
  // As it was written: with the sender's offset.
  const date = headers.find(({ key }) => key === "date")?.value;
  return [
    ["From", from === undefined ? "" : addressOf(from)],
    ["To", (to ?? []).map(addressOf).join(", ")],
    ["Cc", (cc ?? []).map(addressOf).join(", ")],
    ["Date", date ?? ""],
    ["Subject", subject ?? ""],
  ].flatMap(([label, value]): Line[] => {
    const text = asOneLine(value!);
    return text === "" ? [] : [{ spans: [{ text: `${label}: ${text}`, box: null }] }];
  });
}

function addressOf({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${group.map(addressOf).join(", ")}`;
  return name === "" ? address : `${name} <${address}>`;
}

function bodyBlocks({ html, text }: Email, limits: ParsingLimits): readonly Block[] {
  const marked = html === undefined ? [] : blocksOf(parseMarkup(html, limits));
  if (marked.length > 0 || text === undefined) return marked;
  return blocksOf(parsePlainText(text, limits));
}

const blocksOf = ({ pages }: ParsedDocument): Block[] => pages.flatMap(({ blocks }) => blocks);

function attachmentWarnings({ attachments }: Email): string[] {
  // What the text shows by itself, as a logo, is none that somebody sent.
  const sent = attachments.filter(
    ({ disposition, related }) => disposition !== "inline" && related !== true,
  );
  if (sent.length === 0) return [];
  const names = sent
    .slice(0, MOST_NAMED)
    .map(({ filename, mimeType }) => asOneLine(filename ?? "") || mimeType);
  const more = sent.length > names.length ? ` and ${sent.length - names.length} more` : "";
  return [
    `Attachments were not read: ${names.join(", ")}${more}. Upload each as a document of its own.`,
  ];
}
