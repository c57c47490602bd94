import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvScanner } from "./csv-scanner.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** All records of a text that arrives in pieces of the given sizes. */
function scan(text: string, delimiter = ",", sizes: readonly number[] = []): string[][] {
  const records: string[][] = [];
  const scanner = new CsvScanner({ delimiter, comment: "" }, (bytes, starts, ends, fields) => {
    const record: string[] = [];
    for (let i = 0; i < fields; i++)
      record.push(decoder.decode(bytes.subarray(starts[i], ends[i])));
    records.push(record);
    return true;
  });
  const bytes = encoder.encode(text);
  let held = new Uint8Array(0);
  let at = 0;
  for (let piece = 0; at < bytes.length; piece++) {
    const size = sizes.length === 0 ? bytes.length : sizes[piece % sizes.length];
    const next = new Uint8Array([...held, ...bytes.subarray(at, at + size)]);
    at += size;
    held = next.slice(scanner.scan(next, next.length, at >= bytes.length));
  }
  return records;
}

const field = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", '"', ",", ";", "\n", "\r", " ", "é", "1", "🚲"),
    maxLength: 8,
  }),
  fc.string({ maxLength: 5 }),
);

function quoted(text: string, always: boolean): string {
  const must = always || /[",\r\n]|^ | $/.test(text) || text === "";
  return must ? `"${text.replaceAll('"', '""')}"` : text;
}

const written = fc
  .record({
    records: fc.array(fc.array(fc.tuple(field, fc.boolean()), { minLength: 2, maxLength: 5 }), {
      minLength: 1,
      maxLength: 6,
    }),
    lineBreak: fc.constantFrom("\n", "\r\n", "\r"),
    last: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ records, lineBreak, last, sizes }) => ({
    records: records.map((record) => record.map(([text]) => text)),
    text:
      records
        .map((record) => record.map(([text, always]) => quoted(text, always)).join(","))
        .join(lineBreak) + (last ? lineBreak : ""),
    lineBreak,
    sizes,
  }));

describe("CsvScanner", () => {
  it("gives back what was written, however the bytes arrive", () => {
    fc.assert(
      fc.property(written, ({ records, text, sizes }) => {
        expect(scan(text, ",", sizes)).toEqual(records);
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with csv-parse", () => {
    fc.assert(
      fc.property(written, ({ text, lineBreak }) => {
        const peer: unknown = parse(text, { relaxColumnCount: true, recordDelimiter: lineBreak });
        expect(scan(text)).toEqual(peer);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [
      "a,b\n1,2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a,b\r\n\r\n1,\r\n",
      [
        ["a", "b"],
        ["1", ""],
      ],
    ],
    ["a\rb\r", [["a"], ["b"]]],
    [
      "a,b\n1,x\ry\r\rz\n2,w\r",
      [
        ["a", "b"],
        ["1", "x\ry\r\rz"],
        ["2", "w"],
      ],
    ],
    [
      "a,b\r\n1,x\ry\r\n",
      [
        ["a", "b"],
        ["1", "x\ry"],
      ],
    ],
    [
      "a,b\r1,x\ry,\r",
      [
        ["a", "b"],
        ["1", "x"],
        ["y", ""],
      ],
    ],
    [
      "a,b,\n,,",
      [
        ["a", "b", ""],
        ["", "", ""],
      ],
    ],
    ['  a  , "b" ,c d \n', [["a", "b", "c d"]]],
    ['a,"x""y"\n', [["a", 'x"y']]],
    ['"""",""\n', [['"', ""]]],
    ['a,5" pipe\n', [["a", '5" pipe']]],
    ["\n\n", []],
    ["", []],
  ])("reads %j", (text, records) => {
    for (const sizes of [[], [1], [2, 3]]) expect(scan(text, ",", sizes)).toEqual(records);
  });

  it("refuses a quote that is never closed and text after a closing quote", () => {
    expect(() => scan('a,b\n1,"2\n')).toThrow(/Row 1 is never closed/);
    expect(() => scan('a,b\n1,"2"x\n')).toThrow(
      /Row 1 has text after the closing quote of field 2/,
    );
    expect(() => scan('a,"b"x\n')).toThrow(/The header has text after/);
  });

  it("stops when the sink has enough", () => {
    let seen = 0;
    const scanner = new CsvScanner({ delimiter: ",", comment: "" }, () => ++seen < 2);
    const bytes = encoder.encode("a\nb\nc\n");
    expect(scanner.scan(bytes, bytes.length, true)).toBe(4);
    expect(scanner.stopped).toBe(true);
  });
});
