/** The answers in here were given by Trino 435, over its own protocol, to the literals beside them. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSignature, type TypeSignature } from "./type-signature.ts";
import { valueType } from "./values.ts";
import { csvRows } from "./warehouse.ts";

function type(name: string, ...numbers: number[]): TypeSignature {
  return { name, numbers, types: [], members: [] };
}

const long = (value: number) => ({ kind: "LONG", value });
const of = (value: unknown) => ({ kind: "TYPE", value });
const raw = (rawType: string, ...parameters: unknown[]) => ({ rawType, arguments: parameters });
const rawJson: (text: string) => unknown = Reflect.get(JSON, "rawJSON");

describe("types", () => {
  test.each([
    [type("tinyint"), "Int8"],
    [type("decimal", 3, 2), "Decimal[3e+2]"],
    [type("varchar", 3), "Utf8"],
    [type("time", 6), "Time64<MICROSECOND>"],
    [type("time", 9), "Utf8"],
    [type("time with time zone", 1), "Utf8"],
    [type("timestamp", 0), "Timestamp<MICROSECOND>"],
    [type("timestamp", 9), "Timestamp<NANOSECOND>"],
    [type("timestamp", 12), "Utf8"],
    [type("timestamp with time zone", 6), "Timestamp<MICROSECOND, UTC>"],
    [type("timestamp with time zone", 9), "Utf8"],
    [type("uuid"), "Utf8"],
    [type("interval day to second"), "Utf8"],
    [type("unknown"), "Utf8"],
  ])("%j is %s", (signature, arrow) => {
    expect(String(valueType(signature).arrow)).toBe(arrow);
  });
});

describe("values", () => {
  test.each([
    // DATE '-0043-03-15', DATE '0000-01-01', DATE '12024-01-01'
    [type("date"), "-0043-03-15", "0044-03-15 (BC)"],
    [type("date"), "0000-01-01", "0001-01-01 (BC)"],
    [type("date"), "+12024-01-01", "12024-01-01"],
    [type("date"), "2024-02-29", "2024-02-29"],
    [type("timestamp", 3), "-0001-01-01 00:00:00.123", "0002-01-01 (BC) 00:00:00.123"],
    [type("timestamp", 0), "+12024-01-01 00:00:00", "12024-01-01 00:00:00"],
    [type("timestamp", 9), "2024-02-29 10:05:00.123456789", "2024-02-29 10:05:00.123456789"],
    [
      ...([type("timestamp with time zone", 6), "2024-02-29 09:05:00.123456 UTC"] as const),
      "2024-02-29 09:05:00.123456+00",
    ],
    [
      ...([type("timestamp with time zone", 0), "-0043-03-15 10:00:00 UTC"] as const),
      "0044-03-15 (BC) 10:00:00+00",
    ],
    [type("real"), 1.17549435e-38, "1.17549435e-38"],
    [type("real"), "NaN", "NaN"],
    [type("double"), "-Infinity", "-Infinity"],
    [type("double"), -0, "-0.0"],
    [type("char", 4), "ab  ", "ab"],
    [type("varbinary"), "AP8=", "00ff"],
    [type("varbinary"), "", ""],
    [type("boolean"), true, "true"],
    [type("json"), '{"a":1}', '{"a":1}'],
  ])("of %j: %j is %s", (signature, value, text) => {
    expect(valueType(signature).text(value)).toBe(text);
  });

  test("of nested types are JSON, exactly", () => {
    const row = raw(
      "row",
      { kind: "NAMED_TYPE", value: { fieldName: { name: "a" }, typeSignature: raw("bigint") } },
      {
        kind: "NAMED_TYPE",
        value: { fieldName: { name: "b c" }, typeSignature: raw("varchar", long(3)) },
      },
      { kind: "NAMED_TYPE", value: { fieldName: { name: "d" }, typeSignature: raw("varbinary") } },
      { kind: "NAMED_TYPE", value: { typeSignature: raw("integer") } },
    );
    const map = raw("map", of(raw("varchar", long(9))), of(raw("decimal", long(3), long(2))));
    const cases: readonly [unknown, unknown, string][] = [
      [
        ...([raw("array", of(raw("bigint"))), [rawJson("9223372036854775807"), null]] as const),
        "[9223372036854775807,null]",
      ],
      [row, [1, "x", "AP8=", 2], '{"a":1,"b c":"x","d":"00ff","field3":2}'],
      [map, JSON.parse('{"__proto__":"2.50","k":"1.50"}'), '{"__proto__":"2.50","k":"1.50"}'],
      [
        raw("array", of(row)),
        [null, [null, null, null, null]],
        '[null,{"a":null,"b c":null,"d":null,"field3":null}]',
      ],
      [raw("array", of(raw("char", long(4)))), ["ab  "], '["ab"]'],
    ];
    for (const [signature, value, text] of cases) {
      expect(valueType(readSignature(signature)!).text(value)).toBe(text);
    }
  });
});

describe("signatures", () => {
  test("of any shape are read or refused, never thrown at", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (rawType, parameters) => {
        const read = readSignature({ rawType, arguments: parameters });
        if (read !== null) expect(String(valueType(read).arrow)).toBeTruthy();
      }),
    );
  });
});

describe("CSV", () => {
  test("keeps every text, NULL and the empty text apart", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.option(fc.string({ unit: "grapheme" })), fc.option(fc.string()))),
        (rows) => {
          const text = valueType(type("varchar", 9));
          const csv = Buffer.concat([...csvRows(rows, [text, text])]).toString();
          expect(parsed(csv)).toEqual(rows);
        },
      ),
    );
  });
});

/** The plainest reader of the contract's CSV. */
function parsed(csv: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let at = 0;
  while (at < csv.length) {
    const row: (string | null)[] = [];
    for (;;) {
      let value: string | null = null;
      if (csv[at] === '"') {
        value = "";
        for (at++; csv[at] !== '"' || csv[at + 1] === '"'; at++) {
          if (csv[at] === '"') at++;
          value += csv[at];
        }
        at++;
      } else {
        const start = at;
        while (csv[at] !== "," && csv[at] !== "\n") at++;
        if (at > start) value = csv.slice(start, at);
      }
      row.push(value);
      if (csv[at++] === "\n") break;
    }
    rows.push(row);
  }
  return rows;
}
