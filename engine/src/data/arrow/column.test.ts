import { describe, expect, it } from "vitest";
import {
  ALL_VALID,
  DictionaryColumn,
  NullColumn,
  StructColumn,
  UnionColumn,
  Validity,
} from "./column.ts";

describe("validity", () => {
  it("is a bit a row, least significant first, and NULL for a parent's NULL", () => {
    const validity = new Validity(Uint8Array.of(0b0000_0101, 0b0000_0010));
    const rows = Array.from({ length: 10 }, (_, row) => row);
    expect(rows.filter((row) => !validity.isNull(row))).toEqual([0, 2, 9]);
    expect(validity.isNull(-1)).toBe(true);
    expect(ALL_VALID.isNull(1_000_000)).toBe(false);
    expect(ALL_VALID.isNull(-1)).toBe(true);
  });
});

describe("a union", () => {
  const members = [new NullColumn(2), new NullColumn(3)];

  it("finds the member by its code, which need not be its number", () => {
    const union = new UnionColumn(Int8Array.of(7, 5, 7), null, [5, 7], members);
    expect([0, 1, 2].map((row) => union.memberAt(row))).toEqual([1, 0, 1]);
    const other = new UnionColumn(Int8Array.of(0), null, [5, 7], members);
    expect(() => other.memberAt(0)).toThrow("a value of type 0, which none of its members has");
  });

  it("has its values at the same rows where it is sparse, and at its offsets where dense", () => {
    const codes = Int8Array.of(0, 1, 1);
    const sparse = new UnionColumn(codes, null, [0, 1], [members[1], members[1]]);
    expect([0, 1, 2].map((row) => sparse.placeAt(row, 1))).toEqual([0, 1, 2]);
    const dense = new UnionColumn(codes, Int32Array.of(1, 0, 2), [0, 1], members);
    expect(dense.placeAt(0, 0)).toBe(1);
    expect(dense.placeAt(2, 1)).toBe(2);
  });

  it.each([-1, 2])("refuses the place %i, which its member of two rows has not", (place) => {
    const union = new UnionColumn(Int8Array.of(0), Int32Array.of(place), [0, 1], members);
    expect(() => union.placeAt(0, 0)).toThrow("lies outside its member");
  });
});

describe("a dictionary", () => {
  const indices = [1, 0, 2, -3, Number.NaN];
  const at = new DictionaryColumn(
    indices.length,
    new Validity(Uint8Array.of(0b1_1101)),
    (row) => indices[row],
    new StructColumn(2, ALL_VALID, []),
  );

  it("has an index a row, and none where it is NULL, whatever lies there", () => {
    expect(at.indexAt(0)).toBe(1);
    expect(at.indexAt(1)).toBe(-1);
    expect(at.indexAt(-1)).toBe(-1);
  });

  it.each([2, 3, 4])("refuses an index that it has not: row %i", (row) => {
    expect(() => at.indexAt(row)).toThrow(`an index (${indices[row]}) lies outside its dictionary`);
  });
});
