/** Tensors as bytes and as lists: what goes in comes out, and what is damaged is refused. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Cell,
  type Datatype,
  readList,
  readTensor,
  TensorError,
  writeTensor,
} from "./tensors.ts";

const texts = fc.array(fc.string({ minLength: 1 }).filter((text) => text.isWellFormed()));

describe("bytes", () => {
  it("hold floats and texts, with missing ones", () => {
    const floats = fc.array(fc.option(fc.double({ noNaN: true })));
    fc.assert(
      fc.property(floats, (cells) => {
        expect(readTensor("FP64", writeTensor("FP64", cells), cells.length)).toEqual(cells);
      }),
    );
    fc.assert(
      fc.property(texts, (cells) => {
        expect(readTensor("BYTES", writeTensor("BYTES", cells), cells.length)).toEqual(cells);
      }),
    );
    expect(readTensor("BYTES", writeTensor("BYTES", [null, "a"]), 2)).toEqual(["", "a"]);
  });

  it("are read as numpy writes them", () => {
    const cases: [Datatype, string, Cell[]][] = [
      ["BOOL", "0100", [true, false]],
      ["INT8", "ff7f", [-1, 127]],
      ["UINT8", "ff7f", [255, 127]],
      ["INT16", "feff0100", [-2, 1]],
      ["UINT16", "feff0100", [65534, 1]],
      ["INT32", "ffffffff00000080", [-1, -2147483648]],
      ["UINT32", "ffffffff", [4294967295]],
      ["INT64", "ffffffffffffffff0100000000002000", [-1, "9007199254740993"]],
      ["UINT64", "ffffffffffffffff", ["18446744073709551615"]],
      ["FP32", "0000c03f0000c07f", [1.5, null]],
      ["FP64", "000000000000f83f", [1.5]],
      ["BYTES", "02000000c3a900000000", ["é", ""]],
    ];
    for (const [datatype, hex, cells] of cases) {
      expect(readTensor(datatype, Buffer.from(hex, "hex"), cells.length), datatype).toEqual(cells);
    }
  });

  it("have infinities as bytes, and no number in a list that a double does not hold", () => {
    const infinite = writeTensor("FP64", [Number.POSITIVE_INFINITY]);
    expect(readTensor("FP64", infinite, 1)).toEqual([Number.POSITIVE_INFINITY]);
    expect(() => readList("FP64", JSON.parse("[1.5, 1e400]"), 2)).toThrow("element 1 is no FP64");
  });

  it("of another length, or damaged ones, are refused whatever they are", () => {
    const datatypes = fc.constantFrom<Datatype>("BYTES", "FP64", "INT32", "BOOL");
    fc.assert(
      fc.property(datatypes, fc.uint8Array(), fc.nat(20), (datatype, bytes, count) => {
        try {
          expect(readTensor(datatype, bytes, count)).toHaveLength(count);
        } catch (error) {
          expect(error).toBeInstanceOf(TensorError);
        }
      }),
    );
    expect(() => readTensor("FP64", new Uint8Array(9), 1)).toThrow(
      "1 elements of FP64 are 8 bytes",
    );
    expect(() => readTensor("BYTES", Buffer.from("ffffffff", "hex"), 1)).toThrow(
      "within element 0",
    );
  });
});

describe("lists", () => {
  it("may be nested, and hold what their datatype says", () => {
    expect(
      readList(
        "FP64",
        [
          [1, null],
          [2.5, 3],
        ],
        4,
      ),
    ).toEqual([1, null, 2.5, 3]);
    expect(readList("BYTES", ["a", "", null], 3)).toEqual(["a", "", null]);
    expect(readList("INT64", [1, "9007199254740993"], 2)).toEqual([1, "9007199254740993"]);
    expect(() => readList("INT32", [1.5], 1)).toThrow("element 0 is no INT32");
    expect(() => readList("BOOL", [true, 1], 2)).toThrow("element 1 is no BOOL");
    expect(() => readList("BYTES", ["a"], 2)).toThrow("there are 1 elements, and the shape has 2");
  });
});
