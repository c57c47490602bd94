/** The sequence against SciPy's (`sobol.fixture.py`), scrambled nets by their definition. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { deriveKey } from "../../compute/random.ts";
import { isActive } from "../activation.ts";
import type { SearchSpace } from "../space.ts";
import { validateParameters } from "../validate-parameters.ts";
import { owenScramble, sobolPoint } from "./sobol-point.ts";
import { SOBOL_DIMENSIONS, sobolCoordinate } from "./sobol-sequence.ts";

const fixture = z
  .object({ points: z.array(z.array(z.number())), at12345: z.array(z.number()) })
  .parse(JSON.parse(readFileSync(new URL("./sobol.fixture.json", import.meta.url), "utf8")));

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

test("the unscrambled points are SciPy's, in all dimensions", () => {
  const at = (index: number) => range(SOBOL_DIMENSIONS).map((d) => sobolCoordinate(index, d));
  expect(fixture.points[0]).toHaveLength(SOBOL_DIMENSIONS);
  expect(range(64).map(at)).toEqual(fixture.points);
  expect(at(12345)).toEqual(fixture.at12345);
});

describe("scrambling", () => {
  const coordinate = fc.integer({ min: 0, max: 0xffffffff });

  test("keeps exactly as many leading bits equal as there were", () => {
    fc.assert(
      fc.property(coordinate, coordinate, fc.nat(70), fc.nat(), (a, b, dimension, seed) => {
        const key = deriveKey(seed, "scramble");
        const apart = owenScramble(a, dimension, key) ^ owenScramble(b, dimension, key);
        expect(Math.clz32(apart)).toBe(Math.clz32(a ^ b));
      }),
    );
  });

  test("is another one for each key and each dimension", () => {
    const key = deriveKey(1, "scramble");
    expect(owenScramble(7, 0, key)).not.toBe(owenScramble(7, 1, key));
    expect(owenScramble(7, 0, key)).not.toBe(owenScramble(7, 0, deriveKey(2, "scramble")));
  });

  test("makes a point uniform over keys", () => {
    const counts = new Float64Array(16);
    const draws = 4000;
    for (let seed = 0; seed < draws; seed++) {
      counts[owenScramble(0, 3, deriveKey(seed, "scramble")) >>> 28]++;
    }
    const expected = draws / 16;
    const chiSquared = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // 15 degrees of freedom: 44 has a chance of 1e-4.
    expect(chiSquared).toBeLessThan(44);
  });

  test("leaves a net one: a point in every elementary interval of the first two dimensions", () => {
    for (const [seed, m] of [
      [1, 4],
      [2, 6],
      [3, 7],
    ]) {
      const key = deriveKey(seed, "net");
      const points = range(2 ** m).map((index) =>
        range(10).map((d) => owenScramble(sobolCoordinate(index, d), d, key)),
      );
      for (let d = 0; d < 10; d++) {
        expect(new Set(points.map((point) => point[d] >>> (32 - m))).size).toBe(2 ** m);
      }
      for (let bits = 1; bits < m; bits++) {
        const cells = points.map(([x, y]) => `${x >>> (32 - bits)},${y >>> (32 - (m - bits))}`);
        expect(new Set(cells).size).toBe(2 ** m);
      }
    }
  });
});

describe("points of a space", () => {
  const space: SearchSpace = {
    rate: { type: "float", low: 1e-4, high: 1, log: true },
    leaves: { type: "int", low: 2, high: 17 },
    deep: { type: "int", low: 1, high: 8, log: true, when: { parameter: "kind", values: ["a"] } },
    kind: { type: "categorical", choices: ["a", "b", "c", "d"] },
    constant: { type: "int", low: 3, high: 3 },
  };
  const key = deriveKey(4, "points");
  const points = range(64).map((index) => sobolPoint(space, index, key));

  test("have exactly the parameters that exist, with legal values", () => {
    for (const point of points) {
      validateParameters(space, point);
      for (const [name, parameter] of Object.entries(space)) {
        expect(name in point).toBe(isActive(parameter, point));
      }
    }
  });

  test("spread evenly: over choices, whole numbers and orders of magnitude", () => {
    const times = (of: (index: number) => unknown) => {
      const counts = new Map<unknown, number>();
      for (const index of range(64)) counts.set(of(index), (counts.get(of(index)) ?? 0) + 1);
      return [...counts.values()];
    };
    expect(times((i) => points[i]["kind"])).toEqual([16, 16, 16, 16]);
    expect(times((i) => points[i]["leaves"])).toEqual(new Array(16).fill(4));
    expect(times((i) => Math.floor(Math.log10(Number(points[i]["rate"]))))).toEqual([
      16, 16, 16, 16,
    ]);
  });

  test("go on beyond the dimensions that have direction numbers", () => {
    const wide: SearchSpace = Object.fromEntries(
      range(SOBOL_DIMENSIONS + 9).map((i) => [`x${i}`, { type: "float", low: 0, high: 1 }]),
    );
    const first = sobolPoint(wide, 0, key);
    validateParameters(wide, first);
    expect(new Set(Object.values(first)).size).toBe(SOBOL_DIMENSIONS + 9);
    expect(sobolPoint(wide, 0, key)).toEqual(first);
  });
});
