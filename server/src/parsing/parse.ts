/**
 * Bytes of any known format to the one form. Runs in a process of its own where the bytes are a
 * stranger's (`parser-pool.ts`); the formats that need much code are loaded when first met.
 */

import { DocumentFault } from "./document-fault.ts";
import { decodeText } from "./formats/text/encoding.ts";
import { parsePlainText } from "./formats/text/parse-text.ts";
import { PARSING_LIMITS, type ParsingLimits, requireTextWithin } from "./limits.ts";
import type { ParsedDocument } from "./normal-form.ts";
import { type DocumentName, sniff } from "./sniff.ts";
import { type TextFormat, textFormatOf } from "./text-format.ts";

/** @throws DocumentFault */
export async function parseBytes(
  bytes: Uint8Array,
  sent: DocumentName,
  limits: ParsingLimits = PARSING_LIMITS,
): Promise<ParsedDocument> {
  const { format } = await sniff(bytes, sent);
  switch (format) {
    case "pdf":
    case "docx":
    case "image":
      throw new DocumentFault("unsupported", "The file is of a format that is not read.");
    default: {
      requireTextWithin(bytes.length, limits);
      const { text } = decodeText(bytes);
      return parseAs(format, text, limits);
    }
  }
}

/**
 * A document that is a text already, such as one written into a request.
 *
 * @throws DocumentFault
 */
export function parseText(
  name: string,
  text: string,
  limits: ParsingLimits = PARSING_LIMITS,
): ParsedDocument {
  requireTextWithin(text.length, limits);
  return parseAs(textFormatOf(text.slice(0, 4096), { name, mediaType: null }), text, limits);
}

function parseAs(_format: TextFormat, text: string, _limits: ParsingLimits): ParsedDocument {
  if (text.trim() === "") throw new DocumentFault("empty", "The document holds no text.");
  return parsePlainText(text);
}
