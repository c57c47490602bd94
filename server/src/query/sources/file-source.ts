/**
 * Files below a folder that the operator allowed, as objects: a key is a path below the connector's
 * folder. Links are followed as long as they stay in it; a link to a folder only where a URL names
 * it, so that a walk cannot go in circles.
 */

import { type BigIntStats, constants } from "node:fs";
import { copyFile, link, readdir, realpath, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { inKeyOrder } from "../../platform/objects/object-store.ts";
import type { ObjectSource, SourceObject, SourceRange } from "./object-source.ts";
import { ifThere, isWithin, type OpenedFile, openWithin } from "./opened-file.ts";
import { SourceChangedError, SourceError, SourceUrlError } from "./source-error.ts";
import { liesWithin, parseSourceUrl } from "./source-url.ts";

const READ_BYTES = 256 * 1024;
/** Files of a folder whose sizes are asked for at once. */
const STATS_AT_ONCE = 32;

/**
 * The folder that a `file:` URL names, where the operator allowed it.
 *
 * @param roots absolute folders
 * @throws SourceUrlError
 */
export function allowedFolder(url: string, roots: readonly string[]): string {
  const { scheme, path } = parseSourceUrl(url);
  if (scheme !== "file") throw new SourceUrlError("This is not a file: URL.");
  const folder = `/${path.replace(/\/+$/, "")}`;
  if (path.replace(/\/+$/, "").split("/").includes("") && folder !== "/") {
    throw new SourceUrlError("A file: URL must not have empty folder names.");
  }
  if (roots.some((root) => liesWithin(folder, root))) return folder;
  throw new SourceUrlError(
    roots.length === 0
      ? "This service reads no local folders; whoever runs it can allow some with DISTILLERY_FILE_ROOTS."
      : `This service reads local files only below ${roots.join(", ")} (DISTILLERY_FILE_ROOTS).`,
  );
}

export class FileSource implements ObjectSource {
  readonly identity = "file://";
  readonly cacheScope: string;
  /** As the URL has it. */
  readonly #folder: string;
  /** Where that is, its links followed. */
  readonly #root: string;

  private constructor(folder: string, root: string) {
    this.#folder = folder;
    this.#root = root;
    this.cacheScope = `file:${root}`;
  }

  /**
   * @param url of a folder
   * @param roots absolute folders that the operator allowed
   * @throws SourceUrlError where the folder is outside them, also by way of a link
   * @throws SourceError where it is not there or may not be read
   */
  static async open(url: string, roots: readonly string[]): Promise<FileSource> {
    const folder = allowedFolder(url, roots);
    const label = `file://${folder}/`;
    const root = await ifThere(realpath(folder), label);
    if (root === null || !(await stat(root)).isDirectory()) {
      throw new SourceError("not-found", `There is no folder ${label}`);
    }
    const allowed = await Promise.all(roots.map((one) => ifThere(realpath(one), `file://${one}/`)));
    if (!allowed.some((one) => one !== null && isWithin(root, one))) {
      throw new SourceUrlError(`${label} leads out of the folders that this service may read.`);
    }
    return new FileSource(folder, root);
  }

  keyOf(url: string): string {
    const { scheme, path } = parseSourceUrl(url);
    const full = `/${path}`;
    if (scheme !== "file" || !liesWithin(full.replace(/\/$/, ""), this.#folder)) {
      throw new SourceUrlError(`The connector gives access to ${this.#label("")} only.`);
    }
    const key = full.slice(this.#folder === "/" ? 1 : this.#folder.length + 1);
    checkKey(key.replace(/\/$/, ""));
    return key;
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<SourceObject, void, undefined> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    checkKey(folder.slice(0, -1));
    yield* this.#walk(folder, prefix, signal);
  }

  async head(key: string, signal: AbortSignal): Promise<SourceObject | null> {
    signal.throwIfAborted();
    if (key === "" || key.endsWith("/")) return null;
    const file = await this.#open(key);
    if (file === null) return null;
    await file.handle.close();
    return file.stats.isFile() ? toObject(key, file.stats) : null;
  }

  async *read(
    object: SourceObject,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#chunks(object, 0, object.bytes, signal);
  }

  async *readRange(
    object: SourceObject,
    range: SourceRange,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#chunks(object, range.offset, range.length, signal);
  }

  async linkTo(object: SourceObject, path: string): Promise<boolean> {
    const file = await this.#openVersion(object);
    try {
      if (
        await succeeds(
          copyFile(file.path, path, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL),
        )
      ) {
        return true;
      }
      // A link is made of a path, so that what was linked is compared with what was opened.
      if (!(await succeeds(link(file.realPath, path)))) return false;
      const linked = await stat(path, { bigint: true });
      if (linked.ino === file.stats.ino && linked.dev === file.stats.dev) return true;
      await unlink(path);
      throw this.#changed(object.key);
    } finally {
      await file.handle.close();
    }
  }

  async close(): Promise<void> {}

  /** Depth first, in the byte order of keys. */
  async *#walk(
    folder: string,
    prefix: string,
    signal: AbortSignal,
  ): AsyncGenerator<SourceObject, void, undefined> {
    const found = await this.#readFolder(folder, prefix, signal);
    for (const name of inKeyOrder([...found.keys()])) {
      const object = found.get(name);
      if (object) yield object;
      else if (object === null) yield* this.#walk(name, prefix, signal);
    }
  }

  /** Keys of a folder's files, and of its folders (ending in `/`) with null. */
  async #readFolder(
    folder: string,
    prefix: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SourceObject | null>> {
    const found = new Map<string, SourceObject | null>();
    const opened = await this.#open(folder.slice(0, -1));
    if (opened === null) return found;
    try {
      if (!opened.stats.isDirectory()) return found;
      const label = this.#label(folder);
      const entries = (await ifThere(readdir(opened.path, { withFileTypes: true }), label)) ?? [];
      const files: string[] = [];
      for (const entry of entries) {
        const key = folder + entry.name;
        if (!(key.startsWith(prefix) || prefix.startsWith(`${key}/`))) continue;
        if (!isKey(entry.name)) {
          if (isHidden(entry.name)) continue;
          throw new SourceUrlError(
            `${label} holds ${JSON.stringify(entry.name)}, a name with a line break or another control character, a backslash, or bytes that are not UTF-8; rename it.`,
          );
        }
        if (entry.isDirectory()) found.set(`${key}/`, null);
        else if (entry.isFile() || entry.isSymbolicLink()) files.push(entry.name);
      }
      for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
        signal.throwIfAborted();
        const batch = files.slice(at, at + STATS_AT_ONCE);
        const objects = await Promise.all(
          batch.map((name) => this.#stat(folder + name, join(opened.path, name))),
        );
        for (const object of objects) {
          if (object?.key.startsWith(prefix)) found.set(object.key, object);
        }
      }
      return found;
    } finally {
      await opened.handle.close();
    }
  }

  /** Null for what is no readable file in the folder: gone, a special file, or a link out of it. */
  async #stat(key: string, path: string): Promise<SourceObject | null> {
    const real = await ifThere(realpath(path), this.#label(key)).catch(passOver);
    if (real === null || !isWithin(real, this.#root)) return null;
    const stats = await ifThere(stat(real, { bigint: true }), this.#label(key)).catch(passOver);
    return stats?.isFile() ? toObject(key, stats) : null;
  }

  async *#chunks(
    object: SourceObject,
    offset: number,
    length: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { handle } = await this.#openVersion(object);
    try {
      for (let position = offset; position < offset + length; ) {
        signal.throwIfAborted();
        const wanted = Math.min(READ_BYTES, offset + length - position);
        const { bytesRead, buffer } = await handle.read(
          Buffer.allocUnsafe(wanted),
          0,
          wanted,
          position,
        );
        if (bytesRead === 0) throw this.#changed(object.key);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
      const after = await handle.stat({ bigint: true });
      if (versionOf(after) !== object.version) throw this.#changed(object.key);
    } finally {
      await handle.close();
    }
  }

  async #openVersion(object: SourceObject): Promise<OpenedFile> {
    const file = await this.#open(object.key);
    if (file === null) throw this.#changed(object.key);
    if (file.stats.isFile() && versionOf(file.stats) === object.version) return file;
    await file.handle.close();
    throw this.#changed(object.key);
  }

  /** @param key without a trailing slash; empty for the connector's own folder */
  async #open(key: string): Promise<OpenedFile | null> {
    checkKey(key);
    return await openWithin(join(this.#root, key), this.#root, this.#label(key));
  }

  #changed(key: string): SourceChangedError {
    return new SourceChangedError(
      `${this.#label(key)} was changed or removed since it was listed.`,
    );
  }

  #label(key: string): string {
    return `file://${this.#folder === "/" ? "" : this.#folder}/${key}`;
  }
}

const toObject = (key: string, stats: BigIntStats): SourceObject => ({
  key,
  bytes: Number(stats.size),
  modifiedAt: stats.mtime,
  version: versionOf(stats),
});

/** Not of the time of change: a link made by `linkTo` changes that, and no bytes. */
const versionOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs].map((one) => one.toString(36)).join("-");

/** @throws SourceUrlError */
function checkKey(key: string): void {
  if (key === "" || key.split("/").every(isKey)) return;
  throw new SourceUrlError(
    "A path of files has no empty, . or .. segments, backslashes or control characters.",
  );
}

/** Whether a segment of a path can be one of a key. U+FFFD stands for bytes that are no UTF-8. */
const isKey = (segment: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  segment !== "" && segment !== "." && segment !== ".." && !/[\\\x00-\x1f\x7f\ufffd]/.test(segment);

/** As those who list files take names. */
const isHidden = (name: string): boolean => name.startsWith(".") || name.startsWith("_");

/** What cannot be looked at is not listed; reading it by name says why. */
function passOver(error: unknown): null {
  if (error instanceof SourceError || error instanceof SourceUrlError) return null;
  throw error;
}

/** Whether a system call did it; that a system cannot is no failure here. */
async function succeeds(call: Promise<void>): Promise<boolean> {
  return await call.then(
    () => true,
    () => false,
  );
}
