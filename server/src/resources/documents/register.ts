/**
 * Registering documents: each file is parsed before it becomes a document, so that one that nobody
 * can read is refused at once, by name, and leaves nothing. What is not parsed in time becomes a
 * document all the same and is parsed behind the answer.
 */

import { createReadStream } from "node:fs";
import type { AuthedContext } from "../../api/context/context.ts";
import {
  Problem,
  UnprocessableError,
  type ValidationErrorItem,
} from "../../platform/input/problem.ts";
import { ObjectHold } from "../../platform/objects/holds.ts";
import { DocumentFault, type DocumentFaultCode } from "../../reading/parsing/document-fault.ts";
import { keepWithinQuotas } from "../quotas/service.ts";
import { CONTENT, documentKey } from "./object-keys.ts";
import { type ParsedFiles, parseToFiles, storeParsed } from "./parse-document.ts";
import { parseQueue } from "./parse-job.ts";
import type { ReceivedFile } from "./received-file.ts";
import { severalAtATime } from "./several.ts";
import { type DocumentRow, documentOwners, findDocumentsByHash, upsertDocument } from "./store.ts";

/** Documents stored at a time. */
const PUTS = 8;

/** A file that was left out, since the request asked for that. */
export interface SkippedFile {
  readonly name: string;
  readonly reason: DocumentFaultCode;
  readonly detail: string;
}

export interface Registration {
  /** One for each file that was not skipped, in their order. */
  readonly documents: readonly DocumentRow[];
  readonly skipped: readonly SkippedFile[];
}

export interface RegistrationOptions {
  readonly skipFaulty: boolean;
  /** What is not parsed by then is parsed behind the answer. */
  readonly waitSeconds: number;
  /** Of the file in the request, for a fault. */
  readonly place: (file: ReceivedFile) => readonly (string | number)[];
}

/** A file to be stored: the first of those with the same bytes. */
interface Arrival {
  readonly file: ReceivedFile;
  readonly id: string;
  /** There was no document of these bytes, not even one that could not be read. */
  readonly isNew: boolean;
  /** Null = to be parsed behind the answer. */
  readonly parsed: ParsedFiles | null;
}

/** @throws 422 with an entry for each file that cannot be read; then nothing is stored */
export async function registerDocuments(
  ctx: AuthedContext,
  files: readonly ReceivedFile[],
  options: RegistrationOptions,
): Promise<Registration> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const hashes = [...new Set(files.map(({ hash }) => hash))];
  const there = await findDocumentsByHash(services.db, organizationId, hashes);
  const known = new Map(there.map((row) => [row.hash, row]));
  const arrivals: Arrival[] = [];
  const faults = new Map<string, DocumentFault>();
  const { waitSeconds } = options;
  const deadline = waitSeconds > 0 ? AbortSignal.timeout(waitSeconds * 1000) : AbortSignal.abort();
  const signal = AbortSignal.any([deadline, ctx.request.signal]);
  const fresh = hashes.filter((hash) => (known.get(hash)?.status ?? "failed") === "failed");
  await Promise.all(
    fresh.map(async (hash) => {
      const file = files.find((each) => each.hash === hash)!;
      const isNew = !known.has(hash);
      const id = known.get(hash)?.id ?? ctx.newId();
      try {
        const parsed = await parseToFiles(services, { ...file, organizationId }, file.path, signal);
        arrivals.push({ file, id, isNew, parsed });
      } catch (error) {
        if (error instanceof DocumentFault) faults.set(hash, error);
        else if (deadline.aborted) arrivals.push({ file, id, isNew, parsed: null });
        else if (ctx.request.signal.aborted) throw hungUp(error);
        else throw error;
      }
    }),
  );
  if (ctx.request.signal.aborted) throw hungUp(ctx.request.signal.reason);
  const faulty = files.filter(({ hash }) => faults.has(hash));
  if (faulty.length > 0 && !options.skipFaulty) {
    throw new UnprocessableError(
      faulty.map((file) => faultItem(file, faults.get(file.hash)!, options)),
    );
  }
  const stored = await store(ctx, arrivals);
  return {
    documents: files.flatMap(({ hash }) => stored.get(hash) ?? known.get(hash) ?? []),
    skipped: faulty.map(({ name, hash }) => {
      const { code, message } = faults.get(hash)!;
      return { name, reason: code, detail: message };
    }),
  };
}

/** Nobody is there to read it. */
const hungUp = (cause: unknown): Problem =>
  new Problem("bad-request", "The caller went away before the answer.", { cause });

function faultItem(
  file: ReceivedFile,
  fault: DocumentFault,
  { place }: RegistrationOptions,
): ValidationErrorItem {
  return {
    loc: place(file),
    msg: `Value error, '${file.name}': ${fault.message}`,
    type: "value_error",
    ctx: { name: file.name, reason: fault.code },
  };
}

/** @returns the rows by hash */
async function store(
  { services, auth: { organizationId } }: AuthedContext,
  arrivals: readonly Arrival[],
): Promise<ReadonlyMap<string, DocumentRow>> {
  const { db, objects, queue } = services;
  const fresh = arrivals.filter(({ isNew }) => isNew).map(({ id }) => id);
  const hold = await ObjectHold.take(services, documentOwners, organizationId, fresh);
  try {
    await severalAtATime(arrivals, PUTS, async ({ file, id, parsed }) => {
      await objects.put(documentKey(organizationId, id, CONTENT), createReadStream(file.path));
      if (parsed !== null) await storeParsed(services, organizationId, id, parsed);
    });
    const rows = await db.forOrganization(organizationId, async (sql) => {
      const inserted: DocumentRow[] = [];
      // In one order everywhere, so that requests with the same files wait for each other in turn.
      for (const { file, id, parsed } of arrivals.toSorted(byHash)) {
        const row = await upsertDocument(sql, organizationId, {
          id,
          name: file.name,
          hash: file.hash,
          bytes: file.bytes,
          media_type: parsed?.facts.mediaType ?? file.mediaType ?? "application/octet-stream",
          status: parsed ? "ready" : "parsing",
          pages: parsed?.facts.pages ?? null,
          warnings: parsed?.facts.warnings ?? [],
        });
        inserted.push(row);
      }
      if (fresh.length > 0) await keepWithinQuotas(sql, organizationId, { total_bytes: 0 });
      // Of the rest another request was first with the same bytes, and what was stored here goes.
      const ids = new Set(inserted.map(({ id }) => id));
      await hold.release(
        sql,
        fresh.filter((id) => ids.has(id)),
      );
      const waiting = inserted.filter(
        ({ id, status }) => status === "parsing" && arrivals.some((arrival) => arrival.id === id),
      );
      const tasks = waiting.map(({ id }) => ({ document_id: id }));
      if (tasks.length > 0) await queue.sendMany(sql, parseQueue, tasks);
      return inserted;
    });
    return new Map(rows.map((row) => [row.hash, row]));
  } finally {
    await hold.end();
  }
}

const byHash = (a: Arrival, b: Arrival): number => (a.file.hash < b.file.hash ? -1 : 1);
