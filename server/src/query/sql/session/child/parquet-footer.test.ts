import fc from "fast-check";
import { expect, it } from "vitest";
import { keepRowGroups } from "./parquet-footer.ts";

// Of all columns and types it is tested where files are read: `listing/needed-parts.test.ts`.

/** A struct of version 1, no schema, 2 rows, two row groups (one of a field each), and a writer's name. */
const FOOTER = Buffer.from([
  ...[0x15, 0x02],
  ...[0x19, 0x0c],
  ...[0x16, 0x04],
  ...[0x19, 0x2c, 0x16, 0x08, 0x00, 0x16, 0x0a, 0x00],
  ...[0x28, 0x02, 0x61, 0x62],
  0x00,
]);

it("keeps what stands beside the row groups as it was written", () => {
  expect([...keepRowGroups(FOOTER, [0, 1], 2)]).toEqual([...FOOTER]);
  expect([...keepRowGroups(FOOTER, [1], 300)]).toEqual([
    ...[0x15, 0x02],
    ...[0x19, 0x0c],
    ...[0x16, 0xd8, 0x04],
    ...[0x19, 0x1c, 0x16, 0x0a, 0x00],
    ...[0x28, 0x02, 0x61, 0x62],
    0x00,
  ]);
});

it("refuses bytes that are no footer, and reads no further than their end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        keepRowGroups(bytes, [0], 1);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
  for (let length = 0; length < FOOTER.length; length++) {
    expect(() => keepRowGroups(FOOTER.subarray(0, length), [0], 1)).toThrow(RangeError);
  }
  // A list of 2^48 structs, and structs in structs.
  const many = Buffer.from([0x49, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]);
  expect(() => keepRowGroups(many, [0], 1)).toThrow(RangeError);
  expect(() => keepRowGroups(Buffer.alloc(10_000, 0x1c), [0], 1)).toThrow(RangeError);
});
