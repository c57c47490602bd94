/** A bitmap as Arrow has it, least significant bit first, grown from bits at any offset. */

import { GrowingBuffer } from "./growing-buffer.ts";

export class BitmapBuilder {
  readonly #buffer = new GrowingBuffer();
  length = 0;

  /** From a bitmap of the same bit order, beginning at bit `from` of it; null stands for ones. */
  append(source: Uint8Array | null, from: number, count: number): void {
    const start = this.length;
    const bytes = this.#resized(start + count);
    if (source === null) fillOnes(bytes, start, count);
    else copyBits(source, from, bytes, start, count);
  }

  /** From one byte a bit, zero being false. */
  appendBytes(source: Uint8Array, from: number, count: number): void {
    const start = this.length;
    const bytes = this.#resized(start + count);
    for (let i = 0; i < count; i++)
      if (source[from + i] !== 0) bytes[(start + i) >> 3]! |= 1 << ((start + i) & 7);
  }

  truncate(length: number): void {
    this.length = length;
    this.#buffer.length = (length + 7) >> 3;
    // Bits behind the end are zero, which the next append relies on.
    if ((length & 7) !== 0) this.#buffer.extend(0)[length >> 3]! &= (1 << (length & 7)) - 1;
  }

  countOnes(): number {
    const bytes = this.#buffer.extend(0);
    let ones = 0;
    for (let i = 0; i < this.#buffer.length; i++) ones += ONES[bytes[i]!]!;
    return ones;
  }

  take(): Uint8Array {
    this.length = 0;
    return this.#buffer.take();
  }

  #resized(length: number): Uint8Array {
    const old = this.#buffer.length;
    const bytes = this.#buffer.extend(((length + 7) >> 3) - old);
    bytes.fill(0, old, this.#buffer.length);
    this.length = length;
    return bytes;
  }
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let ones = 0;
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1;
  return ones;
});

/** Target bits are zero before. */
function fillOnes(target: Uint8Array, start: number, count: number): void {
  const end = start + count;
  let bit = start;
  for (; bit < end && (bit & 7) !== 0; bit++) target[bit >> 3]! |= 1 << (bit & 7);
  if (end - bit >= 8) {
    target.fill(255, bit >> 3, end >> 3);
    bit = end & ~7;
  }
  for (; bit < end; bit++) target[bit >> 3]! |= 1 << (bit & 7);
}

/** Target bits are zero before. */
export function copyBits(
  source: Uint8Array,
  from: number,
  target: Uint8Array,
  start: number,
  count: number,
): void {
  let i = 0;
  if ((from & 7) === 0 && (start & 7) === 0) {
    const whole = count >> 3;
    target.set(source.subarray(from >> 3, (from >> 3) + whole), start >> 3);
    i = whole << 3;
  }
  for (; i < count; i++) {
    const bit = (source[(from + i) >> 3]! >> ((from + i) & 7)) & 1;
    target[(start + i) >> 3]! |= bit << ((start + i) & 7);
  }
}
