/** An Arrow IPC file that is written to disk as its parts come, dictionaries before batches. */

import { closeSync, openSync, writeSync } from "node:fs";
import { type Data, type RecordBatch, RecordBatchFileWriter, type Schema } from "apache-arrow";

const BUFFER_BYTES = 1 << 20;

export class ArrowFileWriter extends RecordBatchFileWriter {
  readonly #file: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #used = 0;

  /** @param path of a new file */
  constructor(path: string, schema: Schema) {
    super();
    this.#file = openSync(path, "wx", 0o600);
    this.reset(undefined, schema);
  }

  dictionary(values: Data, id: number): void {
    this._writeDictionaryBatch(values, id);
  }

  batch(batch: RecordBatch): void {
    this._writeRecordBatch(batch);
  }

  /** With the footer. */
  end(): void {
    this.finish();
    this.#flush();
  }

  closeFile(): void {
    closeSync(this.#file);
  }

  /** They are written on their own. */
  protected override _writeDictionaries(): this {
    return this;
  }

  protected override _write(chunk: ArrayBufferView): this {
    // Before the schema is known, nothing is.
    if (!this._started) return this;
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#used + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) writeAll(this.#file, bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
    this._position += bytes.length;
    return this;
  }

  #flush(): void {
    writeAll(this.#file, this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
