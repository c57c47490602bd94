/**
 * Contributions of features to a network's outputs: integrated gradients (Sundararajan, Taly & Yan,
 * "Axiomatic attribution for deep networks", ICML 2017) along the straight line from the mean of the
 * training rows' embedded inputs to a row's, by Gauss-Legendre's rule.
 *
 * What the rule leaves between their sum and the output is shared in proportion to their sizes, so that
 * base and contributions add up to the output.
 */

import { rowNumbers } from "../../compute/row-lists.ts";
import type { Scratch } from "../../compute/scratch.ts";
import { shareOut } from "../arranged-explanation.ts";
import { type ArrangedTerms, type NetworkInputs, oneHotColumns } from "./inputs.ts";
import { EMBEDDED_WIDTH, type NetworkShape, numberWidth } from "./layout.ts";
import type { Network } from "./network.ts";

/** Nodes in (0, 1) and weights of the rule of 12 points. */
const HALF_NODES = [
  [0.1252334085114689, 0.2491470458134028],
  [0.3678314989981802, 0.2334925365383548],
  [0.5873179542866175, 0.2031674267230659],
  [0.7699026741943047, 0.1600783285433462],
  [0.9041172563704749, 0.1069393259953184],
  [0.9815606342467192, 0.0471753363865118],
] as const;
const NODES = HALF_NODES.flatMap(([x, w]) => [
  [0.5 - x / 2, w / 2] as const,
  [0.5 + x / 2, w / 2] as const,
]);

export interface NetworkFeatures {
  /** Of the schema. */
  readonly features: number;
  readonly terms: ArrangedTerms;
  readonly shape: NetworkShape;
}

/** In the scale of the network's outputs. */
export interface OutputContributions {
  /** One an output. */
  readonly base: Float64Array;
  /** Row-major, rows × outputs. */
  readonly margins: Float64Array;
  /** Row-major, rows × features × outputs. */
  readonly contributions: Float64Array;
}

export function integratedGradients(
  scratch: Scratch,
  network: Network,
  inputs: NetworkInputs,
  baseline: Float32Array,
  of: NetworkFeatures,
): OutputContributions {
  const { features, shape } = of;
  const { outputs } = shape;
  const { inputWidth } = network.layout;
  const { arena } = scratch;
  const featureOf = columnFeatures(of, inputWidth);
  const room = network.batchRows * Math.max(inputWidth, network.outputWidth, ...shape.widths) * 4;
  const [own, spare] = [scratch.allocate(room), scratch.allocate(room)];
  const margins = network.outputsOf(inputs);
  const contributions = new Float64Array(inputs.rows * features * outputs);
  const base = outputsAt(network, baseline, outputs);
  const rows = rowNumbers(inputs.rows);
  for (let first = 0; first < inputs.rows; first += network.batchRows) {
    const batch = rows.subarray(first, first + network.batchRows);
    const count = network.embed(inputs, batch);
    const path = network.inputsView(count);
    const ends = path.slice();
    for (const [at, weight] of NODES) {
      for (let i = 0; i < path.length; i++) {
        const start = baseline[i % inputWidth];
        path[i] = start + at * (ends[i] - start);
      }
      network.forward(count, null);
      for (let k = 0; k < outputs; k++) {
        const asked = arena.f32(own, count * network.outputWidth).fill(0);
        for (let i = 0; i < count; i++) asked[i * network.outputWidth + k] = 1;
        const gradient = arena.f32(network.backward(count, null, own, spare, null), path.length);
        for (let i = 0; i < batch.length; i++) {
          const row = (first + i) * features;
          for (let c = 0; c < inputWidth; c++) {
            const feature = featureOf[c];
            if (feature < 0) continue;
            const moved = ends[i * inputWidth + c] - baseline[c];
            contributions[(row + feature) * outputs + k] +=
              weight * gradient[i * inputWidth + c] * moved;
          }
        }
      }
    }
  }
  addRemainders(margins, base, contributions, features);
  return { base, margins, contributions };
}

/** The feature of each column of the embedded inputs; -1 of those that fill a vector. */
function columnFeatures({ terms, shape }: NetworkFeatures, width: number): Int32Array {
  const columns: number[] = [];
  const add = (feature: number, count: number): void => {
    for (let c = 0; c < count; c++) columns.push(feature);
  };
  for (const { feature } of terms.numbers) add(feature, numberWidth(shape));
  for (const term of terms.oneHot) add(term.feature, oneHotColumns(term));
  for (const { feature } of terms.embedded) add(feature, EMBEDDED_WIDTH);
  for (const { feature, tables } of terms.statistics) add(feature, tables.length);
  return Int32Array.from({ length: width }, (_, c) => columns[c] ?? -1);
}

function outputsAt(network: Network, inputs: Float32Array, outputs: number): Float64Array {
  const view = network.inputsView(4).fill(0);
  view.set(inputs);
  network.forward(4, null);
  return Float64Array.from(network.outputsView(4).subarray(0, outputs));
}

function addRemainders(
  margins: Float64Array,
  base: Float64Array,
  contributions: Float64Array,
  features: number,
): void {
  const outputs = base.length;
  for (let at = 0; at < margins.length; at++) {
    const start = Math.floor(at / outputs) * features * outputs + (at % outputs);
    let rest = margins[at] - base[at % outputs];
    for (let f = 0; f < features; f++) rest -= contributions[start + f * outputs];
    shareOut(rest, contributions, at, features, outputs);
  }
}
