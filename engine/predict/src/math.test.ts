/** Against `Math` of the Node that the service runs on, and its zlib. */

import { crc32 as crc32OfNode } from "node:zlib";
import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../src/compute/random.ts";
import { crc32 } from "./crc32.ts";
import { cbrt, cos, exp, hypot, log, log1p, log2, sin, tanh } from "./math.ts";

const EDGES = [0, -0, 1, -1, 0.5, Infinity, -Infinity, Number.NaN, 5e-324, -5e-324, 1e-310, 1e300];
const RANGES = [1, 2 ** -20, 4, 30, 750, 1e5, 1e300];

it.each([
  ["cbrt", cbrt, Math.cbrt],
  ["cos", cos, Math.cos],
  ["exp", exp, Math.exp],
  ["log", log, Math.log],
  ["log1p", log1p, Math.log1p],
  ["log2", log2, Math.log2],
  ["sin", sin, Math.sin],
  ["tanh", tanh, Math.tanh],
])("%s has the bits of Math's", (name, own, ofMath) => {
  const random = new CounterRandom(deriveKey(11, name));
  const values = RANGES.flatMap((range) =>
    Array.from({ length: 20_000 }, () => (2 * random.nextFloat() - 1) * range),
  );
  const quarters = Array.from({ length: 2000 }, (_, i) => ((i - 1000) * Math.PI) / 4);
  const other = [...EDGES, ...quarters, ...values].filter((x) => !Object.is(own(x), ofMath(x)));
  expect(other).toEqual([]);
});

it("hypot has the bits of Math's", () => {
  const random = new CounterRandom(deriveKey(12, "hypot"));
  for (let i = 0; i < 20_000; i++) {
    const [x, y] = [random.nextGaussian() * 10 ** (i % 9), random.nextGaussian()];
    expect(Object.is(hypot(x, y), Math.hypot(x, y))).toBe(true);
  }
  for (const x of EDGES) expect(hypot(x, 2)).toBe(Math.hypot(x, 2));
});

it("crc32 is zlib's", () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) % 251);
  for (const length of [0, 1, 9, 5000]) {
    expect(crc32(bytes.subarray(0, length))).toBe(crc32OfNode(bytes.subarray(0, length)));
  }
});
