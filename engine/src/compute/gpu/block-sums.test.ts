/** Sums of gradients, block by block, against additions one after another, bit for bit. On SwiftShader. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK_SUM_WORDS, GRADIENT_WORDS, gradientsShader } from "../../shaders/gradients.ts";
import { CounterRandom, deriveKey } from "../random.ts";
import { runOnce } from "./testing/run-once.ts";
import { sharedDevice } from "./testing/shared-device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();
const device = sharedDevice();

const BLOCK = 1024;
const STAMP = 7;

/** Of each block: Σ|g| and Σh of squared error with weights. Scores are 0. */
async function sumsOf(targets: Float64Array, weights: Float64Array): Promise<number[][]> {
  const on = await device();
  const rows = targets.length;
  const blocks = Math.ceil(rows / BLOCK);
  const shape = new Uint32Array(GRADIENT_WORDS);
  shape.set([rows, rows, 0, 1, 1, STAMP]);
  const found = await runOnce(on, {
    shader: gradientsShader("squared", BLOCK, { spread: false, isCompact: true }),
    uniform: shape,
    inputs: [
      Uint32Array.from({ length: rows }, (_, row) => row),
      new Float64Array(rows),
      targets,
      weights,
      new Float64Array(rows),
    ],
    outputBytes: 4 * BLOCK_SUM_WORDS * blocks,
    groups: [blocks],
  });
  const numbers = new Float64Array(found);
  const words = new Uint32Array(found);
  return Array.from({ length: blocks }, (_, block) => {
    const at = BLOCK_SUM_WORDS * block;
    expect([...words.subarray(at + 6, at + 8)]).toEqual([
      Math.min(BLOCK, rows - BLOCK * block),
      STAMP,
    ]);
    return [...numbers.subarray(at / 2, at / 2 + 2)];
  });
}

function expectedOf(targets: Float64Array, weights: Float64Array): number[][] {
  const blocks: number[][] = [];
  targets.forEach((target, row) => {
    if (row % BLOCK === 0) blocks.push([0, 0]);
    const sums = blocks.at(-1)!;
    sums[0]! += Math.abs(Math.fround(-target * weights[row]!));
    sums[1]! += Math.fround(weights[row]!);
  });
  return blocks;
}

/** Numbers whose sizes spread over so many octaves: beyond some twenty, sums are rounded on their way. */
const numbersOf = (rows: number, octaves: number, seed: number): Float64Array => {
  const numbers = new CounterRandom(deriveKey(seed, "sizes"));
  const random = (): number => numbers.nextFloat();
  return Float64Array.from({ length: rows }, () =>
    random() < 0.05 ? 0 : (random() - 0.5) * 2 ** (octaves * (random() - 0.5)),
  );
};

describe.skipIf(why !== null)(`sums of blocks (${why ?? "SwiftShader"})`, () => {
  it("are those of additions in the rows' order, rounded on their way or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2500 }),
        fc.constantFrom(0, 8, 20, 30, 60, 200),
        fc.integer({ min: 1, max: 2 ** 31 }),
        async (rows, octaves, seed) => {
          const targets = numbersOf(rows, octaves, seed);
          const weights = numbersOf(rows, octaves / 4, seed + 1).map(Math.abs);
          expect(await sumsOf(targets, weights)).toEqual(expectedOf(targets, weights));
        },
      ),
      { numRuns: 25, seed: 3 },
    );
  });

  it("are exact up to the last bit that an f64 has, and rounded beyond", async () => {
    const ones = new Float64Array(BLOCK).fill(1);
    for (const least of [-17, -18, -19, -20, -21, -28, -29, -30, -60, -149]) {
      // The sum is 2^33.8, so that 2^-19 is the last unit of which it is less than 2^53.
      const targets = ones.map((_, row) => (row % 7 === 0 ? 2 ** least : 2 ** 24 - 1));
      expect(await sumsOf(targets, ones), String(least)).toEqual(expectedOf(targets, ones));
    }
    const nothing = new Float64Array(BLOCK);
    expect(await sumsOf(nothing, nothing)).toEqual([[0, 0]]);
  });
});
