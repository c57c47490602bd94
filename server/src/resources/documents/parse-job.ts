/** Parsing behind the answer, for what takes longer than an upload waits, such as long scans. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Services } from "../../api/services.ts";
import { defineQueue } from "../../platform/queue/definition.ts";
import type { Task } from "../../platform/queue/queue.ts";
import { DocumentFault } from "../../reading/parsing/document-fault.ts";
import { CONTENT, documentKey } from "./object-keys.ts";
import { localFolder, parseToFiles, storeParsed } from "./parse-document.ts";
import { findDocumentAsSystem, markParsed, markUnreadable } from "./store.ts";

const payload = z.object({ document_id: z.uuid() });

export const parseQueue = defineQueue("documents.parse", payload, { maxAttempts: 5 });

export async function runParseJob(
  services: Services,
  task: Task<z.infer<typeof payload>>,
): Promise<void> {
  const { db, compute, objects } = services;
  const document = await findDocumentAsSystem(db, task.payload.document_id);
  if (document?.status !== "parsing") return;
  const { id, organization_id: organizationId, name, media_type: mediaType } = document;
  const folder = localFolder(services, task.id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const parsed = await compute.withLocalFile(documentKey(organizationId, id, CONTENT), (path) =>
      parseToFiles(
        services,
        { path, name, mediaType, organizationId },
        join(folder, "document"),
        task.signal,
      ),
    );
    await storeParsed(services, organizationId, id, parsed);
    await db.system(async (sql) => {
      await task.fence(sql);
      await markParsed(sql, id, parsed.facts);
    });
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    await failParseJob(services, id, error.message);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  // It may have been deleted meanwhile, and what was stored since then with nobody to own it.
  if ((await findDocumentAsSystem(db, id)) === null) {
    await objects.deletePrefix(documentKey(organizationId, id, ""));
  }
}

export async function failParseJob(
  { db }: Services,
  documentId: string,
  message: string,
): Promise<void> {
  await db.system((sql) => markUnreadable(sql, documentId, message));
}
