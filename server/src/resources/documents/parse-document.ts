/**
 * Parsing one document: the normal form and the text that evidence points into, as local files that
 * then go to the object store beside the bytes.
 */

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Services } from "../../api/services.ts";
import { DocumentFault } from "../../reading/parsing/document-fault.ts";
import { ParserFailure } from "../../reading/parsing/parser-process.ts";
import { documentKey, PARSED, TEXT } from "./object-keys.ts";
import { readParsedForm } from "./parsed-form.ts";
import type { ParsedFacts } from "./store.ts";

export interface ParsedFiles {
  readonly facts: ParsedFacts;
  /** By the object's name. */
  readonly paths: Readonly<Record<typeof PARSED | typeof TEXT, string>>;
}

export interface Unparsed {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string | null;
  readonly organizationId: string;
}

/**
 * @param prefix the beginning of the local files' paths
 * @throws DocumentFault; the signal's reason
 */
export async function parseToFiles(
  { parsers, log }: Pick<Services, "parsers" | "log">,
  file: Unparsed,
  prefix: string,
  signal: AbortSignal,
): Promise<ParsedFiles> {
  const { path, name, mediaType, organizationId } = file;
  const source = { path, name, mediaType, organizationId };
  const paths = { [PARSED]: `${prefix}.${PARSED}`, [TEXT]: `${prefix}.${TEXT}` } as const;
  try {
    const json = await parsers.parseJson(source, signal);
    const facts = await readParsedForm(json, paths[TEXT]);
    await writeFile(paths[PARSED], json, { mode: 0o600 });
    return { facts, paths };
  } catch (error) {
    if (!(error instanceof ParserFailure)) throw error;
    log.error({ err: error, media_type: mediaType }, "a document could not be parsed");
    const message = "The document could not be read because of a fault in the service.";
    throw new DocumentFault("unsupported", message, { cause: error });
  }
}

export async function storeParsed(
  { objects }: Pick<Services, "objects">,
  organizationId: string,
  documentId: string,
  { paths }: ParsedFiles,
): Promise<void> {
  for (const [name, path] of Object.entries(paths)) {
    await objects.put(documentKey(organizationId, documentId, name), createReadStream(path));
  }
}

/** Where a request or a job keeps its local files. */
export const localFolder = (services: Services, id: string): string =>
  join(services.compute.cacheFolder, "documents", id);
