/** A job's documents, parsed and at hand as local files. */

import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Services } from "../../../api/services.ts";
import type { StoredDocument } from "../../../reading/induction/runner/induction-runner.ts";
import { documentKey, PARSED } from "../object-keys.ts";
import { severalAtATime } from "../several.ts";
import { type DocumentRow, findDocuments } from "../store.ts";
import type { DocumentJobRow } from "./job.ts";
import type { JobProgress } from "./progress.ts";
import type { DocumentScene } from "./scene.ts";

/** Objects fetched at a time. */
const FETCHES = 8;

export interface JobDocuments {
  /** Parsed, in the order of the job. */
  readonly ready: readonly StoredDocument[];
  /** Those that could not be read. */
  readonly unreadable: readonly DocumentRow[];
}

/** Progress to show while documents of the job are still parsed; null where they all are. */
export async function parsingDocuments(
  { db }: Services,
  job: DocumentJobRow,
): Promise<JobProgress | null> {
  const documents = await findDocuments(db, job.organization_id, job.documents);
  const total = documents.length;
  const done = documents.filter(({ status }) => status !== "parsing").length;
  return done === total ? null : { phase: "waiting", done, total, seconds: 0, estimate: null };
}

/** Brings the parsed forms of the documents. @throws the signal's reason */
export async function jobDocuments(
  scene: DocumentScene,
  job: DocumentJobRow,
): Promise<JobDocuments> {
  const { services, signal, progress, folder } = scene;
  const { organization_id: organizationId, documents: ids } = job;
  const rows = await findDocuments(services.db, organizationId, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inOrder = ids.flatMap((id) => byId.get(id) ?? []);
  const ready = inOrder.filter(({ status }) => status === "ready");
  const documents = ready.map(
    ({ id, name, hash }): StoredDocument => ({
      id,
      name,
      hash,
      parsed: { path: join(folder, `${id}.json`) },
    }),
  );
  let done = 0;
  await severalAtATime(ready, FETCHES, async ({ id }) => {
    signal.throwIfAborted();
    const key = documentKey(organizationId, id, PARSED);
    const path = join(folder, `${id}.json`);
    await pipeline(services.objects.get(key), createWriteStream(path, { mode: 0o600 }));
    done += 1;
    progress.at("reading", done, ready.length);
  });
  return { ready: documents, unreadable: inOrder.filter(({ status }) => status !== "ready") };
}

/** What a result says of documents that could not be read. */
export function unreadableWarnings({ unreadable }: JobDocuments): string[] {
  return unreadable.map(
    ({ name, id, error_message: why }) =>
      `'${name}' (${id}) could not be read: ${why === "" ? "it is being parsed again." : why}`,
  );
}
