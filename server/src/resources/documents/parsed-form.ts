/**
 * What a parser's process wrote, held against the normal form, and the text that evidence points
 * into. Of a large document this takes a second and more, so that is done in a process.
 */

import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { endProcess, forkedProcess } from "../../platform/processes/forked-process.ts";
import { documentText } from "../../reading/parsing/document-text.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../../reading/parsing/normal-form.ts";
import { ParserFailure } from "../../reading/parsing/parser-process.ts";
import type { ParsedFacts } from "./store.ts";

export interface ReadableText {
  readonly text: string;
  readonly pages: readonly {
    readonly number: number;
    readonly start: number;
    readonly end: number;
    /** Points; null where the format has no pages, absent in texts of former versions. */
    readonly width?: number | null;
    readonly height?: number | null;
  }[];
}

/** Smaller ones are read faster than a process starts. */
const PROCESS_FROM_BYTES = 1 << 20;
const HEAP_MEGABYTES = 2048;
const MAIN = fileURLToPath(new URL("./parsed-form-process.ts", import.meta.url));

/**
 * Writes the readable text of a parsed document.
 *
 * @param json the normal form
 * @param textPath of the file to write
 * @throws ParserFailure where it is no normal form
 */
export async function readParsedForm(json: Buffer, textPath: string): Promise<ParsedFacts> {
  return json.length < PROCESS_FROM_BYTES
    ? await writeReadableText(json, textPath)
    : await inProcess(json, textPath);
}

/** As `readParsedForm`, in this process. */
export async function writeReadableText(json: Buffer, textPath: string): Promise<ParsedFacts> {
  const document = checked(json);
  await writeFile(textPath, JSON.stringify(readableText(document)), { mode: 0o600 });
  const { mediaType, pages, warnings } = document;
  return { mediaType, pages: pages.length, warnings };
}

export interface ParsedFormTask {
  readonly json: Uint8Array;
  readonly textPath: string;
}

export type ParsedFormReply =
  | { readonly kind: "read"; readonly facts: ParsedFacts }
  | { readonly kind: "fault"; readonly message: string };

async function inProcess(json: Buffer, textPath: string): Promise<ParsedFacts> {
  const child = forkedProcess(MAIN, HEAP_MEGABYTES);
  try {
    const reply = await new Promise<ParsedFormReply>((resolve, reject) => {
      child.once("message", resolve);
      child.once("error", reject);
      child.once("exit", () => reject(new Error("the process ended early")));
      child.send({ json, textPath } satisfies ParsedFormTask, () => undefined);
    });
    if (reply.kind === "fault") throw new ParserFailure(reply.message);
    return reply.facts;
  } finally {
    await endProcess(child);
  }
}

function checked(json: Buffer): ParsedDocument {
  try {
    return parsedDocumentSchema.parse(JSON.parse(json.toString("utf8")));
  } catch (cause) {
    throw new ParserFailure("what the parser sends is no document", { cause });
  }
}

export function readableText(document: ParsedDocument): ReadableText {
  const { text, lines } = documentText(document);
  const places = new Map<number, { start: number; end: number }>();
  for (const { page, start, end } of lines) {
    const place = places.get(page);
    if (place) place.end = end;
    else places.set(page, { start, end });
  }
  let last = 0;
  const pages = document.pages.map(({ number, width, height }) => {
    const { start, end } = places.get(number) ?? { start: last, end: last };
    last = end;
    return { number, start, end, width, height };
  });
  return { text, pages };
}
