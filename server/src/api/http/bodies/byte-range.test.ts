import { expect, it } from "vitest";
import { rangeOf } from "./byte-range.ts";

it.each([
  [undefined, null],
  ["bytes=0-3", { offset: 0, length: 4 }],
  ["bytes=7-", { offset: 7, length: 3 }],
  ["bytes=7-99", { offset: 7, length: 3 }],
  ["bytes=-4", { offset: 6, length: 4 }],
  ["bytes=-99", { offset: 0, length: 10 }],
  ["bytes=10-", "beyond"],
  ["bytes=-0", "beyond"],
  ["bytes=5-4", null],
  ["bytes=0-1,4-5", null],
  ["rows=0-1", null],
] as const)("Range %s of ten bytes", (header, range) => {
  expect(rangeOf(header, 10)).toEqual(range);
});
