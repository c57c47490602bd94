/**
 * A bounded folder of object versions that queries read, whole or the parts that they need: each is
 * downloaded once, however many queries wait for it, and lent to a session as a hard link, so that it
 * may be dropped from the cache while the session still reads it.
 *
 * A file is there under its final name only when all its bytes are: it is written beside, its length
 * compared with the listing's, then renamed. The folder belongs to one process and is emptied when it
 * is opened. Objects of sources that can link their own files (local ones) are not kept here.
 */

import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { linkOrCopy } from "../../../platform/files/link-or-copy.ts";
import { Semaphore } from "../../../platform/processes/semaphore.ts";
import type { ObjectSource, SourceObject, SourceRange } from "../../sources/object-source.ts";
import {
  type ObjectParts,
  type RangedSource,
  type WholeSource,
  type Written,
  writeFooter,
  writeParts,
  writeWhole,
} from "./object-parts.ts";
import { SchemaMemo } from "./schema-memo.ts";

const DEFAULT_CACHE_BYTES = 4 * 2 ** 30;
const DEFAULT_DOWNLOADS = 8;

export interface FileCacheOptions {
  /** Of this process alone: what is in it is removed. */
  readonly folder: string;
  /** Bytes kept when nobody reads them; files in use may go beyond. Default 4 GiB. */
  readonly maxBytes?: number;
  /** Downloads at a time, over all queries. Default 8. */
  readonly downloads?: number;
  /** Fields of all schemas that are kept together. Default that of `SchemaMemo`. */
  readonly schemaFields?: number;
}

interface Entry {
  readonly path: string;
  /** Which version of which object, for its other entries. */
  readonly version: string;
  /** Bytes on the disk: of the parts alone, where it is not whole. */
  bytes: number;
  /** Of the object, in the file at their own places; null until they are there. */
  ranges: readonly SourceRange[] | null;
  /** Placements under way, which keep it from being dropped. */
  users: number;
  /** Settles with the bytes that were fetched when the file is there, or with why it is not. */
  readonly ready: Promise<number>;
  readonly abort: AbortController;
  done: boolean;
}

type Write = (path: string, signal: AbortSignal) => Promise<Written>;

export class FileCache {
  readonly #files: string;
  readonly #incoming: string;
  readonly #maxBytes: number;
  readonly #downloads: Semaphore;
  /** What is known of the versions, kept longer than their bytes. */
  readonly schemas: SchemaMemo;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #serial = 0;

  private constructor(options: FileCacheOptions) {
    this.#files = join(options.folder, "files");
    this.#incoming = join(options.folder, "incoming");
    this.#maxBytes = options.maxBytes ?? DEFAULT_CACHE_BYTES;
    this.#downloads = new Semaphore(options.downloads ?? DEFAULT_DOWNLOADS);
    this.schemas = new SchemaMemo({ maxFields: options.schemaFields });
  }

  static async open(options: FileCacheOptions): Promise<FileCache> {
    const cache = new FileCache(options);
    await cache.#removeFolders();
    await mkdir(cache.#files, { recursive: true, mode: 0o700 });
    await mkdir(cache.#incoming, { recursive: true, mode: 0o700 });
    return cache;
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Puts the object's bytes at a new path.
   *
   * @returns bytes that were fetched for it: 0 where they were here, or another caller fetches them
   * @throws SourceChangedError where the object is another version by now
   */
  async place(
    source: WholeSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
  ): Promise<number> {
    signal.throwIfAborted();
    if ((await source.linkTo?.(object, path)) === true) return 0;
    return this.#place(
      entryId(source, object, "whole"),
      source,
      object,
      path,
      signal,
      (to, inTime) => this.#inTurn(inTime, () => writeWhole(source, object, to, inTime)),
    );
  }

  /**
   * Puts the object's bytes at a new path where that needs nothing fetched.
   *
   * @returns whether it did
   */
  async placeKnown(
    source: ObjectSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    signal.throwIfAborted();
    if ((await source.linkTo?.(object, path)) === true) return true;
    if (this.#entries.get(entryId(source, object, "whole"))?.done !== true) return false;
    await this.place(source, object, path, signal);
    return true;
  }

  /** Puts a file of the object's length with its Parquet footer alone at a new path. */
  async placeFooter(
    source: RangedSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
  ): Promise<number> {
    return this.#place(
      entryId(source, object, "footer"),
      source,
      object,
      path,
      signal,
      (to, inTime) => this.#inTurn(inTime, () => writeFooter(source, object, to, inTime)),
    );
  }

  /** Puts a file with parts of the object, each at its own place, and a footer at a new path. */
  async placeParts(
    source: RangedSource,
    object: SourceObject,
    parts: ObjectParts,
    path: string,
    signal: AbortSignal,
  ): Promise<number> {
    const { groups, ranges } = parts;
    const id = entryId(source, object, JSON.stringify([groups, ranges]));
    return this.#place(id, source, object, path, signal, async (to, inTime) => {
      const known = this.#knownOf(versionId(source, object));
      for (const entry of known) entry.users++;
      try {
        return await writeParts(source, object, parts, to, inTime, {
          known: known.map((entry) => ({ path: entry.path, ranges: entry.ranges ?? [] })),
          inTurn: (work) => this.#inTurn(inTime, work),
        });
      } finally {
        for (const entry of known) entry.users--;
      }
    });
  }

  /** Ends the downloads and removes the files; sessions keep the links that they have. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const entry of entries) entry.abort.abort();
    await Promise.allSettled(entries.map((entry) => entry.ready));
    this.#entries.clear();
    this.#bytes = 0;
    await this.#removeFolders();
  }

  async #place(
    id: string,
    source: WholeSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
    write: Write,
  ): Promise<number> {
    signal.throwIfAborted();
    const known = this.#entries.get(id);
    const entry = known ?? this.#begin(id, versionId(source, object), write);
    entry.users++;
    try {
      const fetchedBytes = await settled(entry.ready, signal);
      // Looked at again: it may have been dropped or replaced while this caller waited.
      if (this.#entries.get(id) === entry) this.#touch(id, entry);
      await linkOrCopy(entry.path, path);
      return known === undefined ? fetchedBytes : 0;
    } finally {
      entry.users--;
      if (entry.users === 0 && !entry.done) entry.abort.abort();
      await this.#evict();
    }
  }

  #begin(id: string, version: string, write: Write): Entry {
    const abort = new AbortController();
    const path = join(this.#files, `${id}-${this.#serial++}`);
    const ready = this.#write(path, write, abort.signal).then(
      ({ ranges, bytes, fetchedBytes }) => {
        entry.ranges = ranges;
        entry.bytes = bytes;
        entry.done = true;
        this.#bytes += entry.bytes;
        return fetchedBytes;
      },
      (error: unknown) => {
        entry.done = true;
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
        throw error;
      },
    );
    // Those who wait see the failure; nobody may be left waiting.
    ready.catch(() => {});
    const entry: Entry = {
      path,
      version,
      bytes: 0,
      ranges: null,
      users: 0,
      ready,
      abort,
      done: false,
    };
    // The next caller begins anew instead of sharing a download that its waiters gave up.
    abort.signal.addEventListener("abort", () => {
      if (this.#entries.get(id) === entry && !entry.done) this.#entries.delete(id);
    });
    this.#entries.set(id, entry);
    return entry;
  }

  async #write(path: string, write: Write, signal: AbortSignal): Promise<Written> {
    const temporary = join(this.#incoming, String(this.#serial++));
    try {
      const written = await write(temporary, signal);
      await rename(temporary, path);
      return written;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async #inTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const release = await this.#downloads.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Entries that hold bytes of the version. */
  #knownOf(version: string): Entry[] {
    return [...this.#entries.values()].filter(
      (entry) => entry.version === version && entry.ranges !== null,
    );
  }

  #touch(id: string, entry: Entry): void {
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  async #evict(): Promise<void> {
    const dropped: string[] = [];
    for (const [id, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      if (entry.users > 0 || !entry.done) continue;
      this.#entries.delete(id);
      this.#bytes -= entry.bytes;
      dropped.push(entry.path);
    }
    await Promise.all(dropped.map((path) => rm(path, { force: true })));
  }

  async #removeFolders(): Promise<void> {
    await rm(this.#files, { recursive: true, force: true });
    await rm(this.#incoming, { recursive: true, force: true });
  }
}

/** @param part what of it: `whole`, or which parts */
function entryId(source: WholeSource, object: SourceObject, part: string): string {
  return hashOf([source.cacheScope, object.key, object.version, part]);
}

function versionId(source: WholeSource, object: SourceObject): string {
  return JSON.stringify([source.cacheScope, object.key, object.version]);
}

function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Waits for work that others may share: this caller's abort ends only its own wait. */
async function settled<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
