/** A slow, obvious network in f64, row by row, as the papers write it: the mean loss of a batch in training. */

import type { NetworkInputs } from "../inputs.ts";
import { layoutOf, type NetworkShape, type TensorRole } from "../layout.ts";
import type { Dropout } from "../network.ts";
import type { TrainingInput } from "../training-input.ts";

const PHI = {
  selu: (x: number): number =>
    1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * Math.expm1(x)),
  mish: (x: number): number => x * Math.tanh(Math.log1p(Math.exp(x))),
};

/** What a unit is multiplied by: 0 where its hash is too large (Wellons 2018). */
function maskOf(element: number, key: number, kept: number): number {
  if (kept >= 1) return 1;
  let x = (Math.imul(element, 0x9e3779b1) + key) | 0;
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  x ^= x >>> 16;
  return x >>> 0 < Math.floor(kept * 2 ** 32) ? 1 / kept : 0;
}

type Tensors = Readonly<Record<TensorRole, readonly Float64Array[]>>;

function tensorsOf(shape: NetworkShape, parameters: Float64Array): Tensors {
  const all: Record<TensorRole, Float64Array[]> = {
    ...{ frequencies: [], pieces: [], embedding: [], scale: [], weights: [], biases: [] },
    ...{ activation: [], output_weights: [], output_biases: [] },
  };
  for (const { role, start, length } of layoutOf(shape).tensors) {
    all[role].push(parameters.subarray(start, start + length));
  }
  return all;
}

function embeddedNumber(shape: NetworkShape, all: Tensors, f: number, x: number, place: number) {
  const { numbers, frequencies: waves, pieces } = shape;
  if (waves > 0) {
    const [values] = all.frequencies;
    return [0, 1, 2].map((c) => {
      let sum = values[5 * numbers * waves + 3 * f + c];
      for (let h = f * waves; h < (f + 1) * waves; h++) {
        const turn = values[h] * x + values[numbers * waves + h];
        sum += values[2 * numbers * waves + 3 * h + c] * Math.cos(2 * Math.PI * turn);
      }
      return sum;
    });
  }
  if (pieces === 0) return [];
  const [values] = all.pieces;
  return [1, 2, 3].map((c) => {
    const at = (knot: number): number => values[4 * (f * (pieces + 1) + knot) + c];
    let sum = at(0);
    for (let p = 0; p < pieces; p++) sum += at(p + 1) * Math.max(0, Math.min(1, place - p));
    return sum;
  });
}

function outputsOf(
  shape: NetworkShape,
  all: Tensors,
  inputs: NetworkInputs,
  row: number,
  mask: (layer: number, unit: number) => number,
): number[] {
  const cell = <T extends Float32Array | Int32Array>(columns: T, c: number): number =>
    columns[c * inputs.rows + row];
  const x: number[] = [];
  for (let f = 0; f < shape.numbers; f++) {
    const number = cell(inputs.numbers, f);
    const place = shape.pieces > 0 ? cell(inputs.places, f) : 0;
    x.push(number, ...embeddedNumber(shape, all, f, number, place));
  }
  shape.oneHot.forEach((columns, t) => {
    for (let c = 0; c < columns; c++) x.push(Number(cell(inputs.oneHot, t) === c));
  });
  shape.embedded.forEach((_, t) => {
    const code = cell(inputs.embedded, t);
    x.push(...all.embedding[t].subarray(8 * code, 8 * code + 8));
  });
  for (let c = 0; c < shape.statistics; c++) x.push(cell(inputs.statistics, c));
  const count = Math.max(1, x.length);
  while (x.length < all.scale[0].length) x.push(0);
  let given = x.map((value, c) => value * all.scale[0][c]);
  const weights = [...all.weights, ...all.output_weights];
  const biases = [...all.biases, ...all.output_biases];
  let fanIn = count;
  weights.forEach((matrix, l) => {
    const width = biases[l].length;
    const sums = Array.from(biases[l], (bias, j) => {
      const sum = given.reduce((before, value, i) => before + value * matrix[i * width + j], 0);
      return sum / Math.sqrt(fanIn) + bias;
    });
    fanIn = width;
    const alpha = all.activation[l];
    given = alpha
      ? sums.map((s, j) => (s + alpha[j] * (PHI[shape.activation](s) - s)) * mask(l, j))
      : sums;
  });
  return given;
}

/** Half the squared error, as its gradient is the error; else what the family reports. */
function lossOf(input: TrainingInput, outputs: readonly number[], row: number): number {
  const { train, targetWidth, lossKind, levels, shape } = input;
  const target = train.target.subarray(row * targetWidth, (row + 1) * targetWidth);
  switch (lossKind) {
    case "squared_error":
      return (outputs[0] - target[0]) ** 2 / 2;
    case "pinball":
      return levels.reduce((sum, level, k) => {
        const error = target[0] - outputs[k];
        return sum + (error >= 0 ? level : level - 1) * error;
      }, 0);
    case "binary_log_loss":
      return Math.log1p(Math.exp(outputs[0])) - target[0] * outputs[0];
    case "multinomial_log_loss": {
      const given = outputs.slice(0, shape.outputs);
      const logSum = Math.log(given.reduce((sum, output) => sum + Math.exp(output), 0));
      return given.reduce((sum, output, k) => sum + target[k] * (logSum - output), 0);
    }
  }
}

/** @param rows of the training rows */
export function referenceLoss(
  input: TrainingInput,
  parameters: Float64Array,
  rows: Uint32Array,
  { kept, keys }: Dropout,
): number {
  const { shape, train } = input;
  const all = tensorsOf(shape, parameters);
  let sum = 0;
  rows.forEach((row, i) => {
    const outputs = outputsOf(shape, all, train.inputs, row, (layer, unit) =>
      maskOf(i * shape.widths[layer] + unit, keys[layer], kept),
    );
    sum += (train.weights?.[row] ?? 1) * lossOf(input, outputs, row);
  });
  return sum / rows.length;
}
