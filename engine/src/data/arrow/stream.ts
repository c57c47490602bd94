/** The messages of an Arrow IPC stream that comes in pieces, each held whole while it is read. */

import { ArrowFileError } from "./file-error.ts";
import {
  type ArrowSchema,
  batchMessage,
  CONTINUATION,
  MAX_METADATA_BYTES,
  type PlacedMessage,
  schemaOf,
} from "./messages.ts";
import { type ArrowMessage, parseMessage } from "./record-batch.ts";

export class ArrowStream {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #onHeld: (bytes: number) => void;
  #held: Uint8Array;
  #at = 0;
  /** Whether the end mark was seen; a stream may also just end. */
  isMarked = false;

  /**
   * @param head the bytes already taken from the source
   * @param onHeld hears how many bytes are held at once; it may throw
   */
  constructor(
    head: Uint8Array,
    source: AsyncIterator<Uint8Array>,
    onHeld: (bytes: number) => void,
  ) {
    this.#held = head;
    this.#source = source;
    this.#onHeld = onHeld;
  }

  /** What the stream begins with. @throws ArrowFileError, ArrowSchemaError */
  async schema(maxFields?: number): Promise<ArrowSchema> {
    const first = await this.#next();
    if (first?.message.kind !== "schema")
      throw new ArrowFileError("this is not an Arrow stream: it does not begin with a schema");
    return schemaOf(first.metadata, maxFields);
  }

  /** The dictionaries and batches in order, behind the schema. @throws ArrowFileError, ArrowSchemaError */
  async *messages(): AsyncGenerator<PlacedMessage, void> {
    for (let next = await this.#next(); next !== null; next = await this.#next()) {
      const { body } = next;
      yield {
        message: batchMessage(next.message),
        read: (offset, length) => body.subarray(offset, offset + length),
      };
    }
  }

  async #next(): Promise<{
    message: ArrowMessage;
    metadata: Uint8Array;
    body: Uint8Array;
  } | null> {
    const start = this.#at;
    if (!(await this.#need(4))) {
      if (this.#held.length > 0) throw this.#cut(start);
      return null;
    }
    let length = this.#word();
    if (length === CONTINUATION) {
      if (!(await this.#need(4))) throw this.#cut(start);
      length = this.#word();
    }
    if (length === 0) {
      this.isMarked = true;
      return null;
    }
    if (length > MAX_METADATA_BYTES || !(await this.#need(length))) throw this.#cut(start);
    const metadata = this.#take(length);
    const message = parseMessage(metadata);
    if (!(await this.#need(message.bodyLength))) throw this.#cut(start);
    return { message, metadata, body: this.#take(message.bodyLength) };
  }

  #cut(start: number): ArrowFileError {
    return new ArrowFileError(`the stream ends within the message at byte ${start}`);
  }

  #word(): number {
    const word = this.#take(4);
    return new DataView(word.buffer, word.byteOffset).getUint32(0, true);
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    this.#at += count;
    return taken;
  }

  /** Whether `count` bytes are held, after reading on for them. */
  async #need(count: number): Promise<boolean> {
    if (this.#held.length >= count) return true;
    const parts = [this.#held];
    let size = this.#held.length;
    while (size < count) {
      const next = await this.#source.next();
      if (next.done) break;
      parts.push(next.value);
      size += next.value.length;
      this.#onHeld(size);
    }
    this.#held = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      this.#held.set(part, at);
      at += part.length;
    }
    return size >= count;
  }
}
