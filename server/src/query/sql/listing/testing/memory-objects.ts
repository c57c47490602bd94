/** Objects in memory that count what is read of them. */

import type { ObjectSource, SourceObject, SourceRange } from "../../../sources/object-source.ts";
import { SourceChangedError, SourceUrlError } from "../../../sources/source-error.ts";

const BUCKET = "s3://data";

export class MemoryObjects implements ObjectSource {
  readonly identity = BUCKET;
  readonly cacheScope: string;
  readonly #objects = new Map<string, { readonly bytes: Uint8Array; readonly version: string }>();
  #versions = 0;
  /** Keys of whole reads that were begun, in order. */
  readonly reads: string[] = [];
  /** Keys of reads of ranges. */
  readonly ranges: string[] = [];
  /** Bytes that they were of. */
  rangeBytes = 0;
  /** Called in each read, before its bytes. */
  beforeRead: (object: SourceObject) => Promise<void> = async () => {};

  constructor(scope = "memory") {
    this.cacheScope = scope;
  }

  put(key: string, bytes: Uint8Array | string): void {
    this.#objects.set(key, { bytes: Buffer.from(bytes), version: `v${++this.#versions}` });
  }

  delete(key: string): void {
    this.#objects.delete(key);
  }

  keyOf(url: string): string {
    if (!url.startsWith(`${BUCKET}/`)) throw new SourceUrlError(`${url} is not of ${BUCKET}`);
    return decodeURIComponent(url.slice(BUCKET.length + 1));
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<SourceObject> {
    for (const key of [...this.#objects.keys()].sort()) {
      signal.throwIfAborted();
      if (key.startsWith(prefix)) yield this.#describe(key)!;
    }
  }

  async head(key: string): Promise<SourceObject | null> {
    return this.#describe(key);
  }

  async *read(object: SourceObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.reads.push(object.key);
    await this.beforeRead(object);
    const bytes = this.#bytes(object);
    for (let at = 0; at < bytes.length; at += 1 << 16) {
      signal.throwIfAborted();
      yield bytes.subarray(at, at + (1 << 16));
    }
  }

  async *readRange(
    object: SourceObject,
    { offset, length }: SourceRange,
  ): AsyncGenerator<Uint8Array> {
    this.ranges.push(object.key);
    this.rangeBytes += length;
    await this.beforeRead(object);
    yield this.#bytes(object).subarray(offset, offset + length);
  }

  async close(): Promise<void> {}

  #describe(key: string): SourceObject | null {
    const found = this.#objects.get(key);
    if (found === undefined) return null;
    const { bytes, version } = found;
    return { key, bytes: bytes.length, modifiedAt: new Date(0), version };
  }

  #bytes(object: SourceObject): Uint8Array {
    const found = this.#objects.get(object.key);
    if (found?.version !== object.version) throw new SourceChangedError(`${object.key} changed`);
    return found.bytes;
  }
}
