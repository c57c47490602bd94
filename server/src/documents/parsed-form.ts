/**
 * What a parser's process wrote, held against the normal form, and the text that evidence points
 * into. Of a large document this takes a second and more, so that is done in a thread.
 */

import { writeFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { documentText } from "../parsing/document-text.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../parsing/normal-form.ts";
import { ParserFailure } from "../parsing/parser-process.ts";
import type { ParsedFacts } from "./store.ts";

export interface ReadableText {
  readonly text: string;
  readonly pages: readonly {
    readonly number: number;
    readonly start: number;
    readonly end: number;
  }[];
}

/** Smaller ones are read faster than a thread starts. */
const THREAD_FROM_BYTES = 1 << 20;
const THREAD_MEGABYTES = 2048;

/**
 * Writes the readable text of a parsed document.
 *
 * @param json the normal form
 * @param textPath of the file to write
 * @throws ParserFailure where it is no normal form
 */
export async function readParsedForm(json: Buffer, textPath: string): Promise<ParsedFacts> {
  return json.length < THREAD_FROM_BYTES
    ? await writeReadableText(json, textPath)
    : await inThread(json, textPath);
}

/** As `readParsedForm`, on this thread. */
export async function writeReadableText(json: Buffer, textPath: string): Promise<ParsedFacts> {
  const document = checked(json);
  await writeFile(textPath, JSON.stringify(readableText(document)), { mode: 0o600 });
  const { mediaType, pages, warnings } = document;
  return { mediaType, pages: pages.length, warnings };
}

export interface ParsedFormTask {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly textPath: string;
}

export type ParsedFormReply =
  | { readonly kind: "read"; readonly facts: ParsedFacts }
  | { readonly kind: "fault"; readonly message: string };

async function inThread(json: Buffer, textPath: string): Promise<ParsedFacts> {
  // A copy, which becomes the thread's own.
  const task: ParsedFormTask = { json: Uint8Array.from(json), textPath };
  const worker = new Worker(new URL("./parsed-form-thread.ts", import.meta.url), {
    workerData: task,
    transferList: [task.json.buffer],
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
    env: {},
  });
  try {
    const reply = await new Promise<ParsedFormReply>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread ended early")));
    });
    if (reply.kind === "fault") throw new ParserFailure(reply.message);
    return reply.facts;
  } finally {
    await worker.terminate();
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
  const pages = document.pages.map(({ number }) => {
    const { start, end } = places.get(number) ?? { start: last, end: last };
    last = end;
    return { number, start, end };
  });
  return { text, pages };
}
