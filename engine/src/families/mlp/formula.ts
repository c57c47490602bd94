/** A network's state as its layers in double precision, with what is scaled before them taken in. */

import type { NetworkFormula, NetworkLayer, PeriodicPart, PiecesPart } from "../formula.ts";
import { arrangeTerms, BOUND, type InputTerm } from "./inputs.ts";
import {
  EMBEDDED_WIDTH,
  layoutOf,
  type NetworkShape,
  type NetworkTensor,
  PERIODIC_COMBINATIONS,
  PERIODIC_WIDTH,
  type TensorRole,
} from "./layout.ts";

interface State {
  readonly shape: NetworkShape;
  readonly terms: readonly InputTerm[];
  readonly parameters: Float32Array;
  readonly centre: number;
  readonly factor: number;
}

export function networkFormula({ shape, terms, parameters, ...scale }: State): NetworkFormula {
  const { numbers, oneHot, embedded, statistics } = arrangeTerms(terms);
  const layout = layoutOf(shape);
  const valuesOf = ({ start, length }: NetworkTensor): Float32Array =>
    parameters.subarray(start, start + length);
  const all = (...roles: TensorRole[]): Float32Array[] =>
    layout.tensors.filter(({ role }) => roles.includes(role)).map(valuesOf);
  const [frequencies] = all("frequencies");
  const [rises] = all("pieces");
  const tables = all("embedding");
  return {
    kind: "network",
    numbers: numbers.map(({ feature, centre, factor }) => ({ feature, centre, factor })),
    bound: BOUND,
    periodic: frequencies ? numbers.map((_, f) => periodicPart(frequencies, f, shape)) : null,
    pieces: rises ? numbers.map(({ knots }, f) => piecesPart(rises, f, knots ?? [], shape)) : null,
    marks: oneHot.map((term) =>
      term.kind === "missing"
        ? { kind: "missing", feature: term.feature }
        : { kind: "category", feature: term.feature, count: term.count },
    ),
    vectors: [
      ...embedded.map(({ feature, count }, t) => ({
        feature,
        rows: Array.from({ length: count + 1 }, (_, row) =>
          Array.from(tables[t].subarray(row * EMBEDDED_WIDTH, (row + 1) * EMBEDDED_WIDTH)),
        ),
      })),
      ...statistics.map(({ feature, count, tables: known }) => ({
        feature,
        rows: Array.from({ length: count + 1 }, (_, row) =>
          known.map((table) => Math.fround(table[row])),
        ),
      })),
    ],
    activation: shape.activation,
    layers: layersOf(shape, layout.inputs, all),
    ...scale,
  };
}

function periodicPart(values: Float32Array, number: number, shape: NetworkShape): PeriodicPart {
  const { numbers, frequencies } = shape;
  const each = numbers * frequencies;
  const columns = PERIODIC_COMBINATIONS;
  const from = (start: number, length: number): number[] =>
    Array.from(values.subarray(start, start + length));
  return {
    frequencies: from(number * frequencies, frequencies),
    phases: from(each + number * frequencies, frequencies),
    mix: Array.from({ length: frequencies }, (_, h) =>
      from(2 * each + (number * frequencies + h) * columns, columns),
    ),
    bias: from((2 + columns) * each + number * columns, columns),
  };
}

/** Of pieces that a number does not have, the rises are left out. */
function piecesPart(
  values: Float32Array,
  number: number,
  knots: readonly number[],
  { pieces }: NetworkShape,
): PiecesPart {
  const at = (knot: number): number[] => {
    const start = (number * (pieces + 1) + knot) * PERIODIC_WIDTH;
    return Array.from(values.subarray(start + 1, start + PERIODIC_WIDTH));
  };
  return { knots, bias: at(0), mix: knots.slice(1).map((_, piece) => at(piece + 1)) };
}

/** Columns and rows that only fill vectors are left out. */
function layersOf(
  { widths, outputs }: NetworkShape,
  inputs: number,
  all: (...roles: TensorRole[]) => Float32Array[],
): NetworkLayer[] {
  const [scale] = all("scale");
  const biases = all("biases", "output_biases");
  const bends = all("activation");
  return all("weights", "output_weights").map((weights, l): NetworkLayer => {
    const from = l === 0 ? inputs : widths[l - 1];
    const width = l < widths.length ? widths[l] : outputs;
    const step = biases[l].length;
    const factor = 1 / Math.sqrt(Math.max(1, from));
    const own = new Float64Array(from * width);
    for (let i = 0; i < from; i++) {
      const scaled = factor * (l === 0 ? scale[i] : 1);
      for (let j = 0; j < width; j++) own[i * width + j] = scaled * weights[i * step + j];
    }
    return {
      weights: own,
      biases: Array.from(biases[l].subarray(0, width)),
      bends: l < widths.length ? Array.from(bends[l]) : null,
    };
  });
}
