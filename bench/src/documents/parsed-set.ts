/** A folder of documents, parsed as an upload is: by the pool of parser processes. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredDocument } from "../../../server/src/reading/induction/runner/induction-runner.ts";
import { DocumentFault } from "../../../server/src/reading/parsing/document-fault.ts";
import { ParserPool } from "../../../server/src/reading/parsing/parser-pool.ts";

export interface ParsedSet {
  /** By hash. */
  readonly documents: readonly StoredDocument[];
  readonly pages: number;
  readonly seconds: number;
  /** Files that were refused, with why. */
  readonly refused: readonly string[];
}

const NEVER = new AbortController().signal;

/** @param scratch where the parsed forms go */
export async function parseSet(folder: string, scratch: string): Promise<ParsedSet> {
  const pool = new ParserPool();
  const started = performance.now();
  const refused: string[] = [];
  let pages = 0;
  try {
    const files = readdirSync(folder).sort();
    const parsed = await Promise.all(
      files.map(async (name): Promise<StoredDocument | null> => {
        const path = join(folder, name);
        const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
        try {
          const document = await pool.parse({ path, name, mediaType: null }, NEVER);
          pages += document.pages.length;
          const file = join(scratch, `${hash}.json`);
          writeFileSync(file, JSON.stringify(document));
          return { id: name, name, hash, parsed: { path: file } };
        } catch (error) {
          if (!(error instanceof DocumentFault)) throw error;
          refused.push(`${name}: ${error.message}`);
          return null;
        }
      }),
    );
    const documents = parsed
      .filter((each) => each !== null)
      .sort((a, b) => (a.hash < b.hash ? -1 : 1));
    return { documents, pages, seconds: (performance.now() - started) / 1000, refused };
  } finally {
    await pool.close();
  }
}
