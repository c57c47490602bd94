import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalRows, RowHashes } from "../data/row-hashes.ts";
import { packModel } from "./packed.ts";
import { packRowSketch, parseRowSketch, SKETCH_HASHES, sketchRows } from "./row-sketch.ts";

function hashesOf(values: readonly number[]): RowHashes {
  const hashes = new RowHashes(null, values.length);
  hashes.add({ kind: "numeric", name: "a", values: Float64Array.from(values) });
  return hashes;
}

/** All hashes as whole numbers, sorted. */
function slowSketch({ low, high }: RowHashes) {
  const counts = new Map<bigint, number>();
  for (const [row, word] of high.entries()) {
    const hash = (BigInt(word) << 32n) | BigInt(low[row]);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    distinct: sorted.length,
    twice: sorted.filter(([, count]) => count === 2).length,
    kept: sorted.slice(0, SKETCH_HASHES).map(([hash, count]) => [hash, Number(count === 1)]),
  };
}

describe("a sketch of learned rows", () => {
  it("has the smallest hashes, in any order of the rows, and whether each occurs once", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6000 }),
        fc.integer({ min: 1, max: 6000 }),
        (rows, spread) => {
          const values = Array.from({ length: rows }, (_, i) => (i * 7919) % spread);
          const hashes = hashesOf(values);
          const sketch = sketchRows(hashes, equalRows(hashes), ["id"]);
          const { distinct, twice, kept } = slowSketch(hashes);
          expect(sketch).toMatchObject({ rows, distinct, twice, leftOut: ["id"] });
          const own = Array.from(sketch.high, (word, i) => [
            (BigInt(word) << 32n) | BigInt(sketch.low[i]),
            sketch.once[i],
          ]);
          expect(own).toEqual(kept);
          const other = hashesOf(values.reverse());
          expect(packRowSketch(sketchRows(other, equalRows(other), ["id"]))).toEqual(
            packRowSketch(sketch),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it("is read as it was written, in some 9 kB", () => {
    const hashes = hashesOf(Array.from({ length: 5000 }, (_, i) => i));
    const sketch = sketchRows(hashes, equalRows(hashes), []);
    const bytes = packRowSketch(sketch);
    expect(bytes.length).toBeLessThan(9800);
    expect(parseRowSketch(bytes, "learned-rows.dsm")).toMatchObject({ ...sketch });
  });

  it("is refused where it is damaged", () => {
    const tensors = {
      high: Uint32Array.of(1),
      low: Uint32Array.of(1),
      once: Uint8Array.of(1),
    };
    const header = { version: 1, rows: 1, distinct: 1, twice: 0, leftOut: [] };
    expect(parseRowSketch(packModel({ header, tensors }), "f").rows).toBe(1);
    for (const wrong of [
      { header: { ...header, rows: 0 }, tensors },
      { header: { ...header, version: 2 }, tensors },
      { header: { ...header, distinct: 5, rows: 5 }, tensors },
      { header, tensors: { ...tensors, low: new Uint32Array(2) } },
      { header, tensors: { ...tensors, high: new Float64Array(1) } },
    ]) {
      expect(() => parseRowSketch(packModel(wrong), "f")).toThrow("f is no sketch of learned rows");
    }
  });
});
