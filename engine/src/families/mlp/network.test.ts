/** The network against a slow, obvious one in f64, and its way back against finite differences. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import type { NetworkInputs } from "./inputs.ts";
import { ACTIVATIONS, type NetworkShape } from "./layout.ts";
import { Network } from "./network.ts";

const arena = Arena.create();
const kernels = kernelsOf(arena);

describe("products of matrices", () => {
  it("are the sums in the order of the depth, whichever is transposed", () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 19 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.integer(),
      (fours, eights, depth, aTurned, bTurned, accumulate, seed) => {
        const [rows, columns] = [4 * fours, 8 * eights];
        const random = new CounterRandom(deriveKey(Math.abs(seed), "matrices"));
        const draw = (count: number): Float32Array =>
          Float32Array.from({ length: count }, () => random.nextFloat() * 2 - 1);
        const [a, b, c] = [draw(rows * depth), draw(depth * columns), draw(rows * columns)];
        const expected = c.slice();
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < columns; j++) {
            let sum = 0;
            for (let k = 0; k < depth; k++) {
              const left = a[aTurned ? k * rows + i : i * depth + k];
              const right = b[bTurned ? j * depth + k : k * columns + j];
              sum = Math.fround(sum + Math.fround(left * right));
            }
            const at = i * columns + j;
            expected[at] = accumulate ? Math.fround(c[at] + sum) : sum;
          }
        }
        withScratch(arena, (scratch) => {
          const place = (values: Float32Array): number => {
            const pointer = scratch.allocate(values.length * 4);
            arena.f32(pointer, values.length).set(values);
            return pointer;
          };
          const [pa, pb, pc] = [place(a), place(b), place(c)];
          kernels.multiplyMatrices(
            rows,
            columns,
            depth,
            pa,
            aTurned ? 1 : depth,
            aTurned ? rows : 1,
            pb,
            bTurned ? 1 : columns,
            bTurned ? depth : 1,
            pc,
            columns,
            accumulate ? 1 : 0,
            scratch.allocate(depth * (rows + 8) * 4),
          );
          expect([...arena.f32(pc, expected.length)]).toEqual([...expected]);
        });
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});

const INPUTS: NetworkInputs = {
  rows: 6,
  numbers: Float32Array.from({ length: 12 }, (_, i) => Math.sin(3 * i + 1)),
  places: Float32Array.from([0, 0.5, 1, 2.25, 3, 2.75, 0.125, 1.5, 2, 3, 0.75, 1.25]),
  oneHot: Int32Array.from([0, 1, 2, -1, 1, 0, -1, 0, 0, -1, -1, 0]),
  embedded: Int32Array.from([0, 3, 2, 2, 1, 0]),
  statistics: Float32Array.from({ length: 12 }, (_, i) => Math.cos(5 * i)),
};

const shapeOf = (
  activation: NetworkShape["activation"],
  frequencies: number,
  pieces: number,
): NetworkShape => ({
  numbers: 2,
  frequencies,
  pieces,
  oneHot: [3, 1],
  embedded: [3],
  statistics: 2,
  widths: [16, 8],
  outputs: 3,
  activation,
});

function filled(scratch: Scratch, shape: NetworkShape): Network {
  const network = new Network(scratch, shape, 8);
  const random = new CounterRandom(deriveKey(7, "parameters"));
  network.setParameters(
    Float32Array.from({ length: network.layout.size }, () => 1.6 * random.nextFloat() - 0.8),
  );
  return network;
}

const sigmoidLike = {
  selu: (x: number): number =>
    1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * Math.expm1(x)),
  mish: (x: number): number => x * Math.tanh(Math.log1p(Math.exp(x))),
};

/** One row, as the papers write it. */
function slowOutputs(network: Network, shape: NetworkShape, row: number): number[] {
  const tensors = network.layout.tensors.map((tensor) => ({
    role: tensor.role,
    values: Array.from(network.view(tensor)),
  }));
  const all = (role: string): number[][] =>
    tensors.filter((tensor) => tensor.role === role).map(({ values }) => values);
  const { frequencies: h } = shape;
  let x: number[] = [];
  for (let f = 0; f < 2; f++) {
    const number = INPUTS.numbers[f * 6 + row];
    x.push(number);
    if (shape.pieces > 0) {
      const [values] = all("pieces");
      const place = INPUTS.places[f * 6 + row];
      for (let c = 1; c < 4; c++) {
        const at = (knot: number): number => values[(f * (shape.pieces + 1) + knot) * 4 + c];
        let sum = at(0);
        for (let piece = 0; piece < shape.pieces; piece++) {
          sum += at(piece + 1) * Math.max(0, Math.min(1, place - piece));
        }
        x.push(sum);
      }
    }
    if (h === 0) continue;
    const [values] = all("frequencies");
    for (let c = 0; c < 3; c++) {
      let sum = values[10 * h + f * 3 + c];
      for (let k = 0; k < h; k++) {
        const wave = Math.cos(
          2 * Math.PI * (values[f * h + k] * number + values[2 * h + f * h + k]),
        );
        sum += wave * values[4 * h + (f * h + k) * 3 + c];
      }
      x.push(sum);
    }
  }
  const codes = [INPUTS.oneHot[row], INPUTS.oneHot[6 + row]];
  x.push(...[0, 1, 2].map((k) => Number(codes[0] === k)), Number(codes[1] === 0));
  const code = INPUTS.embedded[row];
  x.push(...all("embedding")[0].slice(code * 8, code * 8 + 8));
  x.push(INPUTS.statistics[row], INPUTS.statistics[6 + row]);
  const inputs = x.length;
  while (x.length < network.layout.inputWidth) x.push(0);
  x = x.map((value, c) => value * all("scale")[0][c]);
  const product = (from: number[], weights: number[], biases: number[], count: number): number[] =>
    biases.map((bias, j) => {
      const sum = from.reduce((s, value, i) => s + value * weights[i * biases.length + j], 0);
      return sum / Math.sqrt(count) + bias;
    });
  let count = inputs;
  for (let l = 0; l < 2; l++) {
    const sums = product(x, all("weights")[l], all("biases")[l], count);
    const alpha = all("activation")[l];
    x = sums.map((s, j) => s + alpha[j] * (sigmoidLike[shape.activation](s) - s));
    count = x.length;
  }
  return product(x, all("output_weights")[0], all("output_biases")[0], count).slice(0, 3);
}

const EMBEDDINGS = [
  [0, 0],
  [4, 0],
  [0, 3],
] as const;

describe.each(
  ACTIVATIONS.flatMap((activation) => EMBEDDINGS.map((each) => [activation, ...each] as const)),
)("a network with %s, %i frequencies and %i pieces", (activation, frequencies, pieces) => {
  const shape = shapeOf(activation, frequencies, pieces);

  it("computes what the papers say", () => {
    withScratch(arena, (scratch) => {
      const network = filled(scratch, shape);
      const outputs = network.outputsOf(INPUTS);
      for (let row = 0; row < 6; row++) {
        slowOutputs(network, shape, row).forEach((expected, k) => {
          expect(outputs[row * 3 + k]).toBeCloseTo(expected, 4);
        });
      }
    });
  });

  it("has the gradients of finite differences, with units dropped too", () => {
    withScratch(arena, (scratch) => {
      const network = filled(scratch, shape);
      const rows = Uint32Array.from([4, 1, 0, 5, 2]);
      const dropout = { kept: 0.7, keys: Int32Array.from([12345, -777]) };
      /** Σ weightₖ outputₖ over rows, of which the loss by the outputs is the weights. */
      const weightOf = (row: number, k: number): number => 0.3 + 0.2 * k - 0.1 * row;
      const loss = (): number => {
        const count = network.embed(INPUTS, rows);
        network.forward(count, dropout);
        const outputs = network.outputsView(count);
        let sum = 0;
        for (let i = 0; i < rows.length; i++) {
          for (let k = 0; k < 3; k++) sum += weightOf(i, k) * outputs[i * network.outputWidth + k];
        }
        return sum;
      };
      const room = 8 * 32 * 4;
      const [g, spare] = [scratch.allocate(room), scratch.allocate(room)];
      const gradients = scratch.allocate(network.layout.size * 4);
      arena.f32(gradients, network.layout.size).fill(0);
      const count = network.embed(INPUTS, rows);
      network.forward(count, dropout);
      const given = arena.f32(g, count * network.outputWidth).fill(0);
      for (let i = 0; i < rows.length; i++) {
        for (let k = 0; k < 3; k++) given[i * network.outputWidth + k] = weightOf(i, k);
      }
      network.backward(count, dropout, g, spare, gradients);
      const found = arena.f32(gradients, network.layout.size).slice();
      const parameters = network.getParameters();
      const step = 1 / 256;
      for (const { role, start, length } of network.layout.tensors) {
        for (let at = start; at < start + length; at += Math.max(1, Math.floor(length / 23))) {
          const moved = parameters.slice();
          moved[at] += step;
          network.setParameters(moved);
          const above = loss();
          moved[at] = parameters[at] - step;
          network.setParameters(moved);
          const expected = (above - loss()) / (2 * step);
          const off = Math.abs(found[at] - expected);
          expect(off, `${role} ${at - start}`).toBeLessThan(2e-3 + 0.01 * Math.abs(expected));
        }
      }
    });
  });
});
