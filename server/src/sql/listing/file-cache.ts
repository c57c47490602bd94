/**
 * A bounded folder of object versions that queries read: each is downloaded once, however many
 * queries wait for it, and lent to a session as a hard link, so that it may be dropped from the cache
 * while the session still reads it.
 *
 * A file is there under its final name only when all its bytes are: it is written beside, its length
 * compared with the listing's, then renamed. The folder belongs to one process and is emptied when it
 * is opened. Objects of sources that can link their own files (local ones) are not kept here.
 */

import { createHash } from "node:crypto";
import { constants, copyFile, link, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectSource, SourceObject } from "../../sources/object-source.ts";
import { SourceChangedError, SourceError } from "../../sources/source-error.ts";
import { SchemaMemo } from "./schema-memo.ts";
import { Slots } from "./slots.ts";

export const DEFAULT_CACHE_BYTES = 4 * 2 ** 30;
const DEFAULT_DOWNLOADS = 8;

export interface FileCacheOptions {
  /** Of this process alone: what is in it is removed. */
  readonly folder: string;
  /** Bytes kept when nobody reads them; files in use may go beyond. Default 4 GiB. */
  readonly maxBytes?: number;
  /** Downloads at a time, over all queries. Default 8. */
  readonly downloads?: number;
}

interface Entry {
  readonly path: string;
  readonly bytes: number;
  /** Placements under way, which keep it from being dropped. */
  users: number;
  /** Settles when the file is whole, or with why it is not. */
  readonly ready: Promise<void>;
  readonly abort: AbortController;
  done: boolean;
}

export class FileCache {
  readonly #files: string;
  readonly #incoming: string;
  readonly #maxBytes: number;
  readonly #slots: Slots;
  /** Least recently used first. */
  /** What is known of the versions, kept longer than their bytes. */
  readonly schemas = new SchemaMemo();
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #serial = 0;

  private constructor(options: FileCacheOptions) {
    this.#files = join(options.folder, "files");
    this.#incoming = join(options.folder, "incoming");
    this.#maxBytes = options.maxBytes ?? DEFAULT_CACHE_BYTES;
    this.#slots = new Slots(options.downloads ?? DEFAULT_DOWNLOADS);
  }

  static async open(options: FileCacheOptions): Promise<FileCache> {
    const cache = new FileCache(options);
    await cache.#removeFolders();
    await mkdir(cache.#files, { recursive: true, mode: 0o700 });
    await mkdir(cache.#incoming, { recursive: true, mode: 0o700 });
    return cache;
  }

  /** Bytes of whole files that are kept. */
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
    source: ObjectSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
  ): Promise<number> {
    signal.throwIfAborted();
    if ((await source.linkTo?.(object, path)) === true) return 0;
    const id = identify(source, object);
    const known = this.#entries.get(id);
    const entry = known ?? this.#begin(id, source, object);
    entry.users++;
    try {
      await settled(entry.ready, signal);
      // Looked at again: it may have been dropped or replaced while this caller waited.
      if (this.#entries.get(id) === entry) this.#touch(id, entry);
      await linkOrCopy(entry.path, path);
      return known === undefined ? entry.bytes : 0;
    } finally {
      entry.users--;
      if (entry.users === 0 && !entry.done) entry.abort.abort();
      await this.#evict();
    }
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

  #begin(id: string, source: ObjectSource, object: SourceObject): Entry {
    const abort = new AbortController();
    const path = join(this.#files, `${id}-${this.#serial++}`);
    const ready = this.#download(source, object, path, abort.signal).then(
      () => {
        entry.done = true;
        this.#bytes += entry.bytes;
      },
      (error: unknown) => {
        entry.done = true;
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
        throw error;
      },
    );
    // Those who wait see the failure; nobody may be left waiting.
    ready.catch(() => {});
    const entry: Entry = { path, bytes: object.bytes, users: 0, ready, abort, done: false };
    // The next caller begins anew instead of sharing a download that its waiters gave up.
    abort.signal.addEventListener("abort", () => {
      if (this.#entries.get(id) === entry && !entry.done) this.#entries.delete(id);
    });
    this.#entries.set(id, entry);
    return entry;
  }

  async #download(
    source: ObjectSource,
    object: SourceObject,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const release = await this.#slots.take(signal);
    const temporary = join(this.#incoming, String(this.#serial++));
    try {
      await writeWhole(source, object, temporary, signal);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      release();
    }
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

function identify(source: ObjectSource, object: SourceObject): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([source.cacheScope, object.key, object.version]));
  return hash.digest("hex");
}

/** @throws SourceChangedError, or SourceError where the source gave other bytes than it listed */
async function writeWhole(
  source: ObjectSource,
  object: SourceObject,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of source.read(object, signal)) {
      signal.throwIfAborted();
      bytes += chunk.byteLength;
      if (bytes > object.bytes) break;
      await file.writeFile(chunk);
    }
    signal.throwIfAborted();
  } finally {
    await file.close();
  }
  if (bytes !== object.bytes) {
    const message = `${object.key} was listed with ${object.bytes} bytes and read with ${bytes > object.bytes ? "more" : bytes}`;
    if (bytes > object.bytes) throw new SourceChangedError(message);
    throw new SourceError("broken", message);
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    // Another device, a file system without links, or a file with as many as it can have.
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP"].includes(String(error.code))) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}

/** Waits for work that others may share: this caller's abort ends only its own wait. */
async function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
