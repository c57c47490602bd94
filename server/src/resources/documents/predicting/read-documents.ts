/** The documents of one request, parsed and at hand as local files: stored ones, and others that stay unstored. */

import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { AuthedContext } from "../../../api/context/context.ts";
import {
  Problem,
  UnprocessableError,
  unprocessable,
  type ValidationErrorItem,
} from "../../../platform/input/problem.ts";
import type { StoredDocument } from "../../../reading/induction/runner/induction-runner.ts";
import { DocumentFault } from "../../../reading/parsing/document-fault.ts";
import { documentKey, PARSED } from "../object-keys.ts";
import { parseToFiles } from "../parse-document.ts";
import type { ReceivedFile } from "../received-file.ts";
import { findDocuments } from "../store.ts";

/** What is read of a document, whose `id` is its own within the request. */
export interface ReadDocument extends StoredDocument {
  readonly documentId: string | null;
}

/** @throws 404 that names the first that is not there, 409 while one is parsed, 422 where one could not be read */
export async function storedDocuments(
  { services, auth: { organizationId } }: AuthedContext,
  ids: readonly string[],
  folder: string,
  place: (at: number) => readonly (string | number)[],
): Promise<readonly ReadDocument[]> {
  const rows = await findDocuments(services.db, organizationId, ids);
  const known = new Map(rows.map((row) => [row.id, row]));
  return Promise.all(
    ids.map(async (id, at): Promise<ReadDocument> => {
      const row = known.get(id.toLowerCase());
      if (!row) throw new Problem("not-found", `There is no such document: ${id}.`);
      if (row.status === "failed") {
        throw unprocessable(place(at), `this document could not be read: ${row.error_message}`);
      }
      if (row.status !== "ready") {
        throw new Problem("conflict", `The document ${id} is still being parsed; ask again.`, {
          headers: { "retry-after": "2" },
        });
      }
      const own = randomUUID();
      const path = join(folder, `${own}.json`);
      const source = services.objects.get(documentKey(organizationId, row.id, PARSED));
      await pipeline(source, createWriteStream(path, { mode: 0o600 }));
      return { id: own, name: row.name, hash: row.hash, parsed: { path }, documentId: row.id };
    }),
  );
}

/** @throws 422 with an entry for each file that cannot be read */
export async function parsedFiles(
  { services, auth: { organizationId }, request }: AuthedContext,
  files: readonly ReceivedFile[],
  seconds: number,
  place: (file: ReceivedFile) => readonly (string | number)[],
): Promise<readonly ReadDocument[]> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([deadline, request.signal]);
  const faults: ValidationErrorItem[] = [];
  const parsed = await Promise.all(
    files.map(async (file): Promise<ReadDocument | null> => {
      try {
        const { paths } = await parseToFiles(
          services,
          { ...file, organizationId },
          file.path,
          signal,
        );
        const { name, hash } = file;
        const own = { id: randomUUID(), name, hash, documentId: null };
        return { ...own, parsed: { path: paths[PARSED] } };
      } catch (error) {
        if (deadline.aborted && !(error instanceof DocumentFault)) throw tooLong(seconds, error);
        if (!(error instanceof DocumentFault)) throw error;
        const msg = `Value error, '${file.name}': ${error.message}`;
        const ctx = { name: file.name, reason: error.code };
        faults.push({ loc: place(file), msg, type: "value_error", ctx });
        return null;
      }
    }),
  );
  if (faults.length > 0) throw new UnprocessableError(faults);
  return parsed.filter((each) => each !== null);
}

const tooLong = (seconds: number, cause: unknown): Problem =>
  new Problem(
    "request-timeout",
    `The documents could not be read within ${seconds} s. Upload them, and predict them by their ids when they are parsed.`,
    { cause },
  );
