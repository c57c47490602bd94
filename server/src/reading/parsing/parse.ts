/**
 * Bytes of any known format to the one form. Runs in a process of its own where the bytes are a
 * stranger's (`parser-pool.ts`); formats that need much code load it when first met.
 */

import { DocumentFault } from "./document-fault.ts";
import { parseCsv } from "./formats/csv/parse-csv.ts";
import { parseMarkup } from "./formats/html/parse-html.ts";
import { parseJson } from "./formats/json/parse-json.ts";
import { isLongMarkdown, parseMarkdown } from "./formats/markdown/parse-markdown.ts";
import { decodeText } from "./formats/text/encoding.ts";
import { parsePlainText } from "./formats/text/parse-text.ts";
import { PARSING_LIMITS, type ParsingLimits, requireTextWithin } from "./limits.ts";
import type { ParsedDocument } from "./normal-form.ts";
import { sniff } from "./sniff.ts";
import { type DocumentName, type TextFormat, textFormatOf } from "./text-format.ts";

/** @throws DocumentFault; what the signal is aborted with */
export async function parseBytes(
  bytes: Uint8Array,
  sent: DocumentName,
  limits: ParsingLimits = PARSING_LIMITS,
  signal?: AbortSignal,
): Promise<ParsedDocument> {
  const { format } = await sniff(bytes, sent);
  switch (format) {
    case "pdf": {
      const { parsePdf } = await import("./formats/pdf/parse-pdf.ts");
      return sayingWhetherText(await parsePdf(bytes, limits, signal));
    }
    case "image": {
      const { parseImage } = await import("./formats/image/parse-image.ts");
      return sayingWhetherText(await parseImage(bytes, limits, signal));
    }
    case "docx": {
      const { parseDocx } = await import("./formats/docx/parse-docx.ts");
      return requireText(await parseDocx(bytes, limits));
    }
    case "email": {
      const { parseEmail } = await import("./formats/email/parse-email.ts");
      return requireText(await parseEmail(bytes, limits));
    }
    default:
      requireTextWithin(bytes.length, limits);
      return parseAs(format, decodeText(bytes).text, limits);
  }
}

/**
 * A document that is a text already, such as one written into a request.
 *
 * @internal
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

function parseAs(format: TextFormat, text: string, limits: ParsingLimits): ParsedDocument {
  return requireText(parsedAs(format, text, limits));
}

const isEmpty = ({ pages }: ParsedDocument): boolean =>
  pages.every(({ blocks }) => blocks.length === 0);

/** Pictures may show what nobody reads: they are kept, and do not look as if they had been read. */
function sayingWhetherText(document: ParsedDocument): ParsedDocument {
  if (!isEmpty(document)) return document;
  const warning = "No text was found in it: nothing that is asked of it will be answered.";
  return { ...document, warnings: [warning, ...document.warnings] };
}

/** @throws DocumentFault `empty`, with what was not read */
function requireText(document: ParsedDocument): ParsedDocument {
  if (isEmpty(document)) {
    const message = ["The document contains no text.", ...document.warnings].join(" ");
    throw new DocumentFault("empty", message);
  }
  return document;
}

/** What its name says it is and it is not is read as the text that it is. */
function parsedAs(format: TextFormat, text: string, limits: ParsingLimits): ParsedDocument {
  switch (format) {
    case "html":
      return parseMarkup(text, limits);
    case "markdown":
      return isLongMarkdown(text)
        ? plain(text, limits, "It is too long for Markdown; it was read as text.")
        : parseMarkdown(text, limits);
    case "json":
      return (
        parseJson(text, limits) ?? plain(text, limits, "It is not valid JSON; it was read as text.")
      );
    case "csv":
      return (
        parseCsv(text, limits) ?? plain(text, limits, "It is not a table; it was read as text.")
      );
    default:
      return plain(text, limits, null);
  }
}

function plain(text: string, limits: ParsingLimits, warning: string | null): ParsedDocument {
  const document = parsePlainText(text, limits);
  return warning === null ? document : { ...document, warnings: [warning] };
}
