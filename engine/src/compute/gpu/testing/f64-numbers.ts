/** Finite f64 that arithmetic is tried with. */

import fc from "fast-check";

/** Signs, mantissas of few bits and of many, exponents near one another and far apart, and the least numbers. */
export const number = fc
  .record({
    high: fc.oneof(fc.nat(0xfffff), fc.constantFrom(0, 1, 0xfffff, 0x80000)),
    low: fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 2, 0xffffffff, 0x80000000)),
    exponent: fc.oneof(
      fc.integer({ min: 1000, max: 1060 }),
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 0, max: 1900 }),
      fc.constantFrom(0, 1, 1023, 1075, 1076, 1077),
    ),
    sign: fc.nat(1),
  })
  .map(({ high, low, exponent, sign }) => {
    const words = Uint32Array.of(low, ((sign << 31) | (exponent << 20) | high) >>> 0);
    return new Float64Array(words.buffer)[0]!;
  });
