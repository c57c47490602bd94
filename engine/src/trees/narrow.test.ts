import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { narrowest, packBits, unpackBits } from "./narrow.ts";

describe("narrowest", () => {
  it("keeps every number exactly, and no wider than needed", () => {
    const numbers = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 255 })),
      fc.array(fc.integer({ min: -70_000, max: 70_000 })),
      fc.array(fc.float({ noNaN: true })),
      fc.array(fc.double({ noNaN: true })),
    );
    fc.assert(
      fc.property(numbers, (list) => {
        const given = Float64Array.from(list);
        expect(new Float64Array(narrowest(given))).toEqual(given);
      }),
    );
    const types = [[255], [256], [65_536], [-1], [0.5], [-0], [0.1], [2 ** 31]];
    expect(types.map((list) => narrowest(Float64Array.from(list)).constructor.name)).toEqual([
      "Uint8Array",
      "Uint16Array",
      "Int32Array",
      "Int32Array",
      "Float32Array",
      "Float32Array",
      "Float64Array",
      "Float32Array",
    ]);
  });

  it("packs marks eight to a byte", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1 })), (list) => {
        const bits = packBits(Uint8Array.from(list));
        expect(bits.length).toBe(Math.ceil(list.length / 8));
        expect([...unpackBits(bits, list.length)]).toEqual(list);
      }),
    );
    expect([...packBits(Uint8Array.of(1, 0, 1))]).toEqual([5]);
  });
});
