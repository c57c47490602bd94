import { expect, it } from "vitest";
import { hashOf, headOf } from "./fingerprint.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

it("tells contents apart, and equal ones not", () => {
  const seen = ["", "a", "b", "ab", "ba", "a,b\n1,2\n", "a,b\n1,3\n"].map((text) =>
    hashOf(bytes(text)),
  );
  expect(new Set(seen).size).toBe(seen.length);
  expect(hashOf(bytes("ab"))).toBe(hashOf(bytes("ab")));
  expect(hashOf(bytes("ab"))).toMatch(/^[0-9a-f]{14}$/);
});

it("looks at the beginning of a file alone", async () => {
  const long = new Uint8Array(2 ** 20 + 1);
  const other = Uint8Array.from(long);
  other[2 ** 20] = 1;
  expect(await headOf(new Blob([long]))).toBe(await headOf(new Blob([other])));
  other[7] = 1;
  expect(await headOf(new Blob([long]))).not.toBe(await headOf(new Blob([other])));
});
