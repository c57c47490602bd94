/** Products on a device, tile by tile, against sums in f64. On SwiftShader. */

import process from "node:process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gemmShader, TILES, tileFor, tilesOf } from "../../shaders/gemm.ts";
import { DIMS } from "../../shaders/network.ts";
import { CounterRandom, deriveKey } from "../random.ts";
import { measureNetworkCrossover } from "./network-crossover.ts";
import { runOnce } from "./testing/run-once.ts";
import { sharedDevice } from "./testing/shared-device.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();
const isFull = process.env["DISTILLERY_GPU_TESTS"] === "full";
const device = sharedDevice();

describe.skipIf(why !== null)(`products on a device (${why ?? "SwiftShader"})`, () => {
  it.each(TILES.map((tile) => [tile.side, tile] as const))(
    "are sums along the depth in tiles of %i, cut off at the edges",
    async (_, tile) => {
      const on = await device();
      const property = fc.asyncProperty(
        fc.integer({ min: 1, max: 140 }),
        fc.integer({ min: 1, max: 18 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(),
        async (rows, eighths, depth, seed) => {
          const width = 8 * eighths;
          const random = new CounterRandom(deriveKey(seed, "products"));
          const draw = (count: number): Float32Array =>
            Float32Array.from({ length: count }, () => 2 * random.nextFloat() - 1);
          const given = draw(rows * depth);
          // Weights, then biases.
          const parameters = draw(depth * width + width);
          const sizes: Readonly<Record<string, number>> = {
            ...{ batch: rows, total: rows, reads: depth, width, biases: depth * width },
          };
          const words = Uint32Array.from(DIMS, (name) => sizes[name] ?? 0);
          new Float32Array(words.buffer)[DIMS.indexOf("factor")] = 0.5;
          const bytes = 4 * rows * width;
          const found = new Float32Array(
            await runOnce(on, {
              shader: gemmShader("outputs", tile),
              uniform: words,
              inputs: [new Uint32Array(4), parameters, given],
              outputBytes: bytes,
              groups: [tilesOf(rows, width, tile)],
            }),
          );
          for (let i = 0; i < rows; i++) {
            for (let j = 0; j < width; j++) {
              let sum = 0;
              for (let k = 0; k < depth; k++) {
                sum += given[i * depth + k]! * parameters[k * width + j]!;
              }
              const expected = sum / 2 + parameters[depth * width + j]!;
              const off = Math.abs(found[i * width + j]! - expected);
              // An f32 sum of so many products, each at most 1.
              if (!(off <= depth * 2 ** -23 + 2 ** -22)) expect.fail(`${i}, ${j}: off by ${off}`);
            }
          }
        },
      );
      await fc.assert(property, { numRuns: isFull ? 40 : 3, seed: 2 });
    },
  );

  it("have tiles as large as there are enough of", () => {
    expect(tileFor(4096, 1024, 1).side).toBe(128);
    expect(tileFor(256, 128, 1).side).toBe(32);
    expect(tileFor(1024, 512, 1).side).toBe(64);
    expect(tilesOf(129, 128, TILES[0]!)).toBe(2);
  });

  it("cost a step so much that the CPU is faster with a small one", async () => {
    const least = await measureNetworkCrossover(await device(), 96);
    expect(least).toBeGreaterThan(1000);
  });
});
