/**
 * Where bytes live: uploads, model directories, exports. One interface, kept in files under the
 * home or in a bucket of the S3 API, with one contract-test suite for both.
 */

import { TextDecoder } from "node:util";

/** There is no object under this key. */
export class ObjectNotFoundError extends Error {
  override readonly name = "ObjectNotFoundError";
  readonly key: string;
  constructor(key: string) {
    super(`there is no object ${key}`);
    this.key = key;
  }
}

/**
 * Why a store did not do what it was asked: it is away, or cannot answer now; it refuses the service's
 * credentials, or has no such bucket for them; it has no room. The latter two last until an operator mends them.
 */
export type StoreFailure = "away" | "refusing" | "full";

export const STORE_FAILURES: Readonly<Record<StoreFailure, string>> = {
  away: "does not answer",
  refusing: "refuses the service's credentials or has no such bucket for them",
  full: "is full",
};

/** The store is the one at fault: the same may work once it is back, or was mended. */
export class ObjectStoreUnavailableError extends Error {
  override readonly name = "ObjectStoreUnavailableError";
  readonly failure: StoreFailure;
  constructor(cause: unknown, failure: StoreFailure = "away") {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the object store ${STORE_FAILURES[failure]}: ${reason}`, { cause });
    this.failure = failure;
  }
}

export interface StoredObject {
  readonly bytes: number;
  /** SHA-256 of the content, lowercase hex. */
  readonly sha256: string;
}

export interface ObjectHead {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** `length` bytes from `offset` on; without a length, to the end. */
export interface ByteRange {
  readonly offset: number;
  readonly length?: number;
}

export interface PresignOptions {
  /** 1 to 604,800 (a week). */
  readonly expiresInSeconds: number;
  /** The name that a browser saves the object under. */
  readonly fileName: string;
  /** Where callers find this service, such as `http://127.0.0.1:8080`, for URLs that it serves itself. */
  readonly baseUrl: string;
}

export interface ObjectStore {
  /**
   * Stores an object, replacing one of the same key. The source is streamed in constant memory;
   * if it fails, nothing of it is ever visible and what was there before stays.
   */
  put(
    key: string,
    source: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { readonly contentType?: string },
  ): Promise<StoredObject>;

  /** As `put`, of a file that nothing writes to any more. */
  putFile(key: string, path: string): Promise<void>;

  /**
   * Puts a copy of the object on a path where nothing is, for reading alone: it may be the object's own
   * file.
   *
   * @throws ObjectNotFoundError
   */
  copyTo(key: string, path: string): Promise<void>;

  /**
   * The object's bytes, streamed. Ending the iteration early releases what it holds. A range that
   * reaches past the end gives what is there.
   *
   * @throws ObjectNotFoundError at the first step
   */
  get(key: string, options?: { readonly range?: ByteRange }): AsyncIterable<Uint8Array>;

  /** Null where there is no such object. */
  head(key: string): Promise<ObjectHead | null>;

  /** Objects whose keys begin with the text, in ascending byte order of their keys. */
  list(prefix: string): AsyncIterable<ObjectHead>;

  /**
   * Names of the folders right below a folder, each once, in no order.
   *
   * @param prefix ends in `/`
   */
  listFolders(prefix: string): AsyncIterable<string>;

  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;

  /** Deletes every object below a folder; the prefix ends in `/`. */
  deletePrefix(prefix: string): Promise<void>;

  /**
   * Removes what writes left that ended with their process before the object was whole.
   *
   * @param prefix of the keys; it ends in `/`. What others left in the same bucket stays.
   * @param staleSeconds a write that gave no sign of life for so long has ended
   */
  removeAbandonedUploads(prefix: string, staleSeconds: number): Promise<void>;

  /** A URL that anyone may GET until it expires. The object need not exist yet. */
  presign(key: string, options: PresignOptions): Promise<string>;

  /** Resolves if the store can be reached. */
  check(): Promise<void>;

  close(): Promise<void>;
}

const KEY_LIMIT_BYTES = 1000;
const SEGMENT_LIMIT_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/**
 * Keys are paths: segments joined by `/`, at most 1000 bytes of UTF-8 in all and 255 a segment,
 * none empty, `.` or `..`, without control characters and backslashes. A key never names both an
 * object and a folder of others.
 *
 * @throws RangeError naming the rule that the key breaks
 */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > KEY_LIMIT_BYTES) throw new RangeError("the key is too long");
  if (FORBIDDEN.test(key) || !key.isWellFormed()) {
    throw new RangeError(`the key ${JSON.stringify(key)} holds a forbidden character`);
  }
  for (const segment of key.split("/")) {
    if (segment === "" || segment === "." || segment === "..") {
      throw new RangeError(`the key ${JSON.stringify(key)} has an empty or relative segment`);
    }
    if (Buffer.byteLength(segment) > SEGMENT_LIMIT_BYTES) {
      throw new RangeError(`a segment of the key ${JSON.stringify(key)} is too long`);
    }
  }
}

/** A folder's prefix: a key with `/` behind it. */
export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith("/")) throw new RangeError("a prefix to delete ends in /");
  checkKey(prefix.slice(0, -1));
}

/** One chunk or many, as many. */
export async function* chunks(
  source: AsyncIterable<Uint8Array> | Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (source instanceof Uint8Array) yield source;
  else yield* source;
}

/** The whole object, for those known to be small. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

/** The whole object as UTF-8 text. */
export async function readText(source: AsyncIterable<Uint8Array>): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true }).decode(await readAll(source));
}

/**
 * The order in which the S3 API lists keys: by the bytes of their UTF-8.
 *
 * @param names of one folder, those of folders with `/` behind them
 */
export function inKeyOrder(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, bytes: Buffer.from(name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ name }) => name);
}
