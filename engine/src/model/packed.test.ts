import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TensorArray } from "../families/family.ts";
import { ModelFormatError } from "./model-format-error.ts";
import { packModel, unpackModel } from "./packed.ts";

const tensor: fc.Arbitrary<TensorArray> = fc.oneof(
  fc.uint16Array(),
  fc.float64Array(),
  fc.float32Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.uint8Array(),
);

const saved = fc.record({
  header: fc.jsonValue(),
  tensors: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tensor, { noNullPrototype: true }),
});

describe("packModel", () => {
  it("gives back what was packed", () => {
    fc.assert(
      fc.property(saved, (model) => {
        const unpacked = unpackModel(packModel(model), "x.dsm");
        expect(JSON.stringify(unpacked.header)).toBe(JSON.stringify(model.header));
        expect(unpacked.tensors).toEqual(model.tensors);
      }),
    );
  });

  it("reads files at any alignment of their buffer", () => {
    const packed = packModel({ header: 1, tensors: { a: Float64Array.of(1, 2) } });
    const shifted = new Uint8Array(packed.length + 3).subarray(3);
    shifted.set(packed);
    expect(unpackModel(shifted, "x").tensors["a"]).toEqual(Float64Array.of(1, 2));
  });

  it("reads files that share a buffer with others, as small ones from disk do", () => {
    const packed = packModel({ header: 1, tensors: { a: Float64Array.of(1, 2) } });
    expect(unpackModel(Buffer.from(packed), "x").tensors["a"]).toEqual(Float64Array.of(1, 2));
  });

  it("refuses every truncation", () => {
    const packed = packModel({ header: { a: 1 }, tensors: { a: Int32Array.of(1, 2, 3) } });
    for (let length = 0; length < packed.length; length++) {
      expect(() => unpackModel(packed.subarray(0, length), "cut.dsm")).toThrow(ModelFormatError);
    }
  });

  it("says so when the format is newer", () => {
    const packed = packModel({ header: null, tensors: {} });
    new DataView(packed.buffer).setUint32(4, 99, true);
    expect(() => unpackModel(packed, "m.dsm")).toThrow(/m\.dsm has format 99.*Update Distillery/);
  });

  it("never returns garbage for flipped header bytes", () => {
    const packed = packModel({ header: { a: 1 }, tensors: { a: Int32Array.of(1, 2, 3) } });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = packed.slice();
        damaged[at] ^= flip;
        // A lower version number is the one flip that a reader may accept.
        if (at >= 4 && at < 8 && new DataView(damaged.buffer).getUint32(4, true) < 1) return;
        expect(() => unpackModel(damaged, "x")).toThrow(ModelFormatError);
      }),
    );
  });
});
