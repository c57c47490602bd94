/** Which of the formats that are text a text is in: by its name where that can be true, else by itself. */

export interface DocumentName {
  /** Of the file, with its ending; may be empty. */
  readonly name: string;
  /** As it was sent, or null. */
  readonly mediaType: string | null;
}

export type TextFormat = "html" | "markdown" | "csv" | "json" | "text";

const OF_ENDING: ReadonlyMap<string, TextFormat> = new Map([
  ["html", "html"],
  ["htm", "html"],
  ["xhtml", "html"],
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["csv", "csv"],
  ["tsv", "csv"],
  ["json", "json"],
  ["jsonl", "json"],
  ["ndjson", "json"],
  ["txt", "text"],
  ["text", "text"],
]);

const OF_MEDIA_TYPE: ReadonlyMap<string, TextFormat> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/markdown", "markdown"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["application/json", "json"],
  ["application/x-ndjson", "json"],
]);

/** @param start the text's first characters, or all of it */
export function textFormatOf(start: string, { name, mediaType }: DocumentName): TextFormat {
  const text = start.replace(/^\ufeff/u, "").trimStart();
  if (isMarkup(text)) return "html";
  const type = (mediaType ?? "").replace(/;.*/su, "").trim().toLowerCase();
  const named = OF_ENDING.get(endingOf(name)) ?? OF_MEDIA_TYPE.get(type) ?? null;
  switch (named) {
    case "html":
      return hasTags(text) ? "html" : "text";
    case "json":
      return looksLikeJson(text) ? "json" : "text";
    case null:
      // `[1] See the annex` is no list.
      return /^\{\s*"|^\[\s*[{["]/u.test(text) ? "json" : "text";
    default:
      return named;
  }
}

export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** A page of HTML, whatever it is called. */
const isMarkup = (text: string): boolean =>
  /^(?:<\?xml[^>]{0,200}>\s{0,20})?(?:<!--[^>]{0,500}-->\s{0,20})?<(?:!doctype\s+html|html|head|body)[\s>]/iu.test(
    text.slice(0, 1024),
  );

const hasTags = (text: string): boolean =>
  /<[a-z][a-z0-9]{0,12}(?:\s[^<>]{0,400})?\/?>/iu.test(text);

const looksLikeJson = (text: string): boolean =>
  /^\{\s*(?:"|\})|^\[\s*(?:[{["\]\d-]|true|false|null)/u.test(text);
