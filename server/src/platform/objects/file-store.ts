/**
 * Objects as files in a folder, a key's segments as the path.
 *
 * An object is written beside the tree, synced, and renamed into its place: it appears whole or
 * not at all, and stays after a power cut.
 */

import { createHash, randomUUID } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
} from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { linkOrCopy } from "../files/link-or-copy.ts";
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  chunks,
  inKeyOrder,
  type ObjectHead,
  ObjectNotFoundError,
  type ObjectStore,
  type PresignOptions,
  type StoredObject,
} from "./object-store.ts";
import type { ObjectUrlSigner } from "./signed-url.ts";

const READ_BYTES = 256 * 1024;
const TOUCH_MILLISECONDS = 10_000;

export class FileObjectStore implements ObjectStore {
  readonly #root: string;
  /** Of all processes: a folder each. */
  readonly #incoming: string;
  /** This process's own, by a name that no other has: numbers of processes come again. */
  readonly #own: string;
  readonly #signer: ObjectUrlSigner;
  #signOfLife: NodeJS.Timeout | undefined;

  private constructor(folder: string, signer: ObjectUrlSigner) {
    this.#root = join(folder, "objects");
    this.#incoming = join(folder, "incoming");
    this.#own = join(this.#incoming, randomUUID());
    this.#signer = signer;
  }

  /** Opens the store in a folder, created if missing. */
  static async open(folder: string, signer: ObjectUrlSigner): Promise<FileObjectStore> {
    const store = new FileObjectStore(folder, signer);
    await mkdir(store.#root, { recursive: true, mode: 0o700 });
    await mkdir(store.#own, { recursive: true, mode: 0o700 });
    store.#signOfLife = setInterval(() => void store.#touch(), TOUCH_MILLISECONDS);
    store.#signOfLife.unref();
    return store;
  }

  async put(key: string, source: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredObject> {
    const path = this.#path(key);
    const temporary = await this.#temporary();
    try {
      const stored = await writeSynced(temporary, source);
      await this.#place(temporary, path, key);
      return stored;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async putFile(key: string, path: string): Promise<void> {
    const place = this.#path(key);
    const temporary = await this.#temporary();
    try {
      await linkOrCopy(path, temporary);
      const file = await open(temporary, "r");
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
      await this.#place(temporary, place, key);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async copyTo(key: string, path: string): Promise<void> {
    const { file } = await this.#openFile(key);
    await file.close();
    await linkOrCopy(this.#path(key), path);
  }

  async *get(
    key: string,
    options: { readonly range?: ByteRange } = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { file, bytes } = await this.#openFile(key);
    try {
      let position = options.range?.offset ?? 0;
      const end = Math.min(bytes, position + (options.range?.length ?? bytes));
      while (position < end) {
        const length = Math.min(READ_BYTES, end - position);
        const { bytesRead, buffer } = await file.read(
          Buffer.allocUnsafe(length),
          0,
          length,
          position,
        );
        if (bytesRead === 0) throw new Error(`${key} became shorter while it was read`);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  async head(key: string): Promise<ObjectHead | null> {
    const found = await ifThere(stat(this.#path(key)));
    if (!found?.isFile()) return null;
    return { key, bytes: found.size, modifiedAt: found.mtime };
  }

  async *list(prefix: string): AsyncGenerator<ObjectHead, void, undefined> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    if (folder !== "") checkPrefix(folder);
    yield* this.#walk(folder, prefix);
  }

  async *listFolders(prefix: string): AsyncGenerator<string, void, undefined> {
    checkPrefix(prefix);
    const folder = this.#path(prefix.slice(0, -1));
    for (const entry of (await ifThere(readdir(folder, { withFileTypes: true }))) ?? []) {
      if (entry.isDirectory()) yield entry.name;
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    try {
      await unlink(path);
    } catch (error) {
      // EISDIR and EPERM: the key names a folder, and so no object.
      if (!isCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EPERM")) throw error;
    }
    await this.#removeEmptyFolders(dirname(path));
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    const folder = this.#path(prefix.slice(0, -1));
    if (!(await ifThere(stat(folder)))?.isDirectory()) return;
    // Renamed first, so that readers see all of it or none.
    const gone = await this.#temporary();
    await rename(folder, gone);
    await rm(gone, { recursive: true, force: true });
    await this.#removeEmptyFolders(dirname(folder));
  }

  async presign(key: string, options: PresignOptions): Promise<string> {
    checkKey(key);
    return this.#signer.sign(key, options);
  }

  async check(): Promise<void> {
    await stat(this.#root);
  }

  async close(): Promise<void> {
    clearInterval(this.#signOfLife);
    await rm(this.#own, { recursive: true, force: true });
  }

  async removeAbandonedUploads(_prefix: string, staleSeconds: number): Promise<void> {
    const latest = Date.now() - staleSeconds * 1000;
    for (const name of await readdir(this.#incoming)) {
      const path = join(this.#incoming, name);
      if (path === this.#own) continue;
      const found = await ifThere(stat(path));
      if (found !== null && found.mtimeMs <= latest)
        await rm(path, { recursive: true, force: true });
    }
  }

  /** Tells other processes that what lies in this one's folder is still written. */
  async #touch(): Promise<void> {
    const now = new Date();
    // Taken for left behind while this machine slept, it is made again by the next write.
    await ifThere(utimes(this.#own, now, now));
  }

  async #temporary(): Promise<string> {
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    return join(this.#own, randomUUID());
  }

  #path(key: string): string {
    checkKey(key);
    const path = join(this.#root, key);
    if (!path.startsWith(this.#root + sep)) throw new RangeError("the key leaves the store");
    return path;
  }

  async #openFile(key: string): Promise<{ readonly file: FileHandle; readonly bytes: number }> {
    const path = this.#path(key);
    const file = await ifThere(open(path, "r"));
    if (file === null) throw new ObjectNotFoundError(key);
    const stats = await file.stat();
    if (stats.isFile()) return { file, bytes: stats.size };
    await file.close();
    throw new ObjectNotFoundError(key);
  }

  async #place(temporary: string, path: string, key: string): Promise<void> {
    const folder = dirname(path);
    for (let attempt = 0; ; attempt++) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(temporary, path);
        break;
      } catch (error) {
        if (isCode(error, "ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY")) {
          throw new RangeError(`${key} would be both an object and a folder of others`);
        }
        // A delete beside us removed the folder, found empty, between the two calls.
        if (!isCode(error, "ENOENT") || attempt === 10) throw error;
      }
    }
    await syncFolder(folder);
  }

  /** Depth first, a folder sorted as its name with `/` behind it: byte order of the keys. */
  async *#walk(folder: string, prefix: string): AsyncGenerator<ObjectHead, void, undefined> {
    const entries = await ifThere(readdir(join(this.#root, folder), { withFileTypes: true }));
    const names = inKeyOrder(
      (entries ?? []).map((entry) => folder + entry.name + (entry.isDirectory() ? "/" : "")),
    );
    for (const name of names) {
      if (!name.startsWith(prefix) && !prefix.startsWith(name)) continue;
      if (name.endsWith("/")) {
        yield* this.#walk(name, prefix);
      } else if (name.startsWith(prefix)) {
        const head = await this.head(name);
        if (head !== null) yield head;
      }
    }
  }

  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path !== this.#root; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        if (isCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return;
        if (!isCode(error, "ENOENT")) throw error;
      }
    }
  }
}

async function writeSynced(
  path: string,
  source: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<StoredObject> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of chunks(source)) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      await file.writeFile(chunk);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** A rename is kept through a power cut once its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await ifThere(open(path, "r"));
  if (folder === null) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function ifThere<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
