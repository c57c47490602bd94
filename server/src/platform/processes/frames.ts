/**
 * The wire between the service and a process that works for it: frames of a length (u32, little
 * endian), a kind and a payload. Messages are JSON; data are bytes, as they are.
 */

const HEADER_BYTES = 5;
const KINDS = ["message", "data"] as const;

export type FrameKind = (typeof KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

export function frameHeader(kind: FrameKind, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(payloadBytes, 0);
  header.writeUInt8(KINDS.indexOf(kind), 4);
  return header;
}

/** Puts chunks of a stream together to frames. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;

  /** @param maxBytes of one payload */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws Error where the other end does not keep to the protocol */
  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    for (;;) {
      if (this.#length < HEADER_BYTES) return frames;
      const header = this.#front(HEADER_BYTES);
      const bytes = header.readUInt32LE(0);
      const kind = KINDS[header.readUInt8(4)];
      if (kind === undefined) throw new Error("a frame of no known kind");
      if (bytes > this.#maxBytes) throw new Error(`a frame of ${bytes} bytes`);
      if (this.#length < HEADER_BYTES + bytes) return frames;
      const frame = this.#front(HEADER_BYTES + bytes);
      this.#drop(HEADER_BYTES + bytes);
      frames.push({ kind, payload: frame.subarray(HEADER_BYTES) });
    }
  }

  /** The first bytes in one piece; the rest stays in the pieces it came in. */
  #front(bytes: number): Buffer {
    const first = this.#chunks[0]!;
    if (first.length >= bytes) return first.subarray(0, bytes);
    const pieces: Buffer[] = [];
    let missing = bytes;
    for (const chunk of this.#chunks) {
      pieces.push(chunk.subarray(0, missing));
      missing -= Math.min(missing, chunk.length);
      if (missing === 0) break;
    }
    // A long frame must not be joined anew with each of its chunks: headers are short.
    return Buffer.concat(pieces, bytes);
  }

  #drop(bytes: number): void {
    this.#length -= bytes;
    let left = bytes;
    while (left > 0) {
      const first = this.#chunks[0]!;
      if (first.length > left) {
        this.#chunks[0] = first.subarray(left);
        return;
      }
      left -= first.length;
      this.#chunks.shift();
    }
  }
}
