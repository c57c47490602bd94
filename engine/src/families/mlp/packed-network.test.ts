/** Predicting with packed weights against the network that learns, bit by bit, and one layer against a slow one. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { NetworkInputs } from "./inputs.ts";
import { ACTIVATIONS, type NetworkShape } from "./layout.ts";
import { Network } from "./network.ts";
import { PackedNetwork } from "./packed-network.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena);

const embeddings = fc.constantFrom(
  { frequencies: 0, pieces: 0 },
  { frequencies: 3, pieces: 0 },
  { frequencies: 0, pieces: 1 },
  { frequencies: 0, pieces: 5 },
);

const others = fc.record({
  numbers: fc.integer({ min: 0, max: 5 }),
  oneHot: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  embedded: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  statistics: fc.integer({ min: 0, max: 3 }),
  widths: fc.array(fc.constantFrom(8, 16, 24), { minLength: 1, maxLength: 3 }),
  outputs: fc.integer({ min: 1, max: 9 }),
  activation: fc.constantFrom(...ACTIVATIONS),
});

const shapes = fc
  .tuple(embeddings, others)
  .map(([embedding, other]): NetworkShape => ({ ...embedding, ...other }));

const rowCounts = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom(255, 256, 257, 260, 515),
);

function drawn(
  { numbers, pieces, oneHot, embedded, statistics }: NetworkShape,
  rows: number,
  seed: string,
) {
  const random = new CounterRandom(deriveKey(11, seed));
  const codes = (counts: readonly number[], of: (count: number) => number): Int32Array =>
    Int32Array.from({ length: counts.length * rows }, (_, i) => of(counts[Math.floor(i / rows)]));
  const below = (count: number): number => Math.floor(random.nextFloat() * count);
  const inputs: NetworkInputs = {
    rows,
    numbers: Float32Array.from({ length: numbers * rows }, () => 6 * random.nextFloat() - 3),
    places: Float32Array.from({ length: numbers * rows }, () => pieces * random.nextFloat()),
    oneHot: codes(oneHot, (count) => below(count + 1) - 1),
    embedded: codes(embedded, (count) => below(count + 1)),
    statistics: Float32Array.from({ length: statistics * rows }, () => random.nextFloat() - 0.5),
  };
  return { inputs, random };
}

describe("a packed network", () => {
  it("says what the network says, whatever the rows before and beside", () => {
    const property = fc.property(shapes, rowCounts, fc.integer(), (shape, rows, seed) => {
      const { inputs, random } = drawn(shape, rows, String(seed));
      withScratch(arena, (scratch) => {
        const network = new Network(scratch, shape, 64);
        const parameters = Float32Array.from(
          { length: network.layout.size },
          () => 6 * random.nextFloat() - 3,
        );
        network.setParameters(parameters);
        const expected = network.outputsOf(inputs);
        const packed = new PackedNetwork(scratch, shape, parameters);
        for (let turn = 0; turn < 2; turn++) {
          const found = withScratch(arena, (working) => packed.outputsOf(working, inputs));
          expect(Object.is(found.length, expected.length)).toBe(true);
          expect(found.every((value, i) => Object.is(value, expected[i]))).toBe(true);
        }
      });
    });
    fc.assert(property, { numRuns: 40 });
  });
});

describe("a layer", () => {
  it("is scaled sums in the order of the depth, and biases", () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer(),
      (quads, fours, panels, seed) => {
        const [rows, depth, width] = [4 * quads, 4 * fours, 8 * panels];
        const random = new CounterRandom(deriveKey(12, String(seed)));
        const draw = (count: number): Float32Array =>
          Float32Array.from({ length: count }, () => random.nextFloat() * 2 - 1);
        const [x, weights, biases, scale] = [rows * depth, depth * width, width, depth].map(draw);
        const factor = Math.fround(random.nextFloat());
        const inQuads = (row: number, column: number, columns: number): number =>
          (row >> 2) * 4 * columns + 4 * column + (row & 3);
        withScratch(arena, (scratch) => {
          const place = (values: Float32Array): number => {
            const pointer = scratch.allocate(values.length * 4);
            arena.f32(pointer, values.length).set(values);
            return pointer;
          };
          const turned = new Float32Array(x.length);
          for (let i = 0; i < rows; i++) {
            for (let k = 0; k < depth; k++) turned[inQuads(i, k, depth)] = x[i * depth + k];
          }
          const [px, pw, pb, ps] = [turned, weights, biases, scale].map(place);
          const packed = scratch.allocate(weights.length * 4);
          const out = scratch.allocate(rows * width * 4);
          kernels.packPanels(pw, depth, width, packed);
          kernels.scaleQuads(px, rows, depth, ps);
          kernels.forwardLayer(
            ACTIVATIONS.length,
            px,
            rows,
            depth,
            packed,
            width,
            factor,
            pb,
            0,
            out,
          );
          const found = arena.f32(out, rows * width);
          for (let i = 0; i < rows; i++) {
            for (let j = 0; j < width; j++) {
              let sum = 0;
              for (let k = 0; k < depth; k++) {
                const given = Math.fround(x[i * depth + k] * scale[k]);
                sum = Math.fround(sum + Math.fround(given * weights[k * width + j]));
              }
              const expected = Math.fround(Math.fround(sum * factor) + biases[j]);
              expect(found[inQuads(i, j, width)]).toBe(expected);
            }
          }
        });
      },
    );
    fc.assert(property, { numRuns: 40 });
  });
});
