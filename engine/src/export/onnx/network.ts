/** Fully connected networks as nodes, in double precision. */

import type { NetworkFormula, PeriodicPart, PiecesPart } from "../../families/formula.ts";
import type { FeatureNodes } from "./encoding.ts";
import type { Graph, Value } from "./graph.ts";

const SELU_SCALE = 1.0507009873554805;
const SELU_ALPHA = 1.6732632423543772;
/** Scaled numbers are held within ± this. */
const FARTHEST = 1e6;
const BOOL_TO_DOUBLE = { to: { int: 11 } };

/** @returns margins, rows × outputs, doubles */
export function networkSums(
  graph: Graph,
  features: FeatureNodes,
  formula: NetworkFormula,
  outputs: number,
): Value {
  const { layers, activation, centre, factor } = formula;
  const nodes = new NetworkNodes(graph, features);
  let values = nodes.inputs(formula);
  let count = layers[0].weights.length / layers[0].biases.length;
  for (const { weights, biases, bends } of layers) {
    const width = biases.length;
    const sums = graph.node("Add", [
      graph.node("MatMul", [values, graph.doubles(weights, [count, width])]),
      graph.doubles(biases, [1, width]),
    ]);
    values = bends === null ? sums : nodes.activated(sums, bends, activation);
    count = width;
  }
  const scaled = graph.node("Mul", [values, graph.double(factor)]);
  return graph.node("Add", [
    scaled,
    graph.doubles(new Float64Array(outputs).fill(centre), [1, outputs]),
  ]);
}

/** What cells become before anything is learned: bounded numbers, and rows of tables by codes. */
export class CellNodes {
  readonly #graph: Graph;
  readonly #features: FeatureNodes;

  constructor(graph: Graph, features: FeatureNodes) {
    this.#graph = graph;
    this.#features = features;
  }

  /** @returns rows × numbers */
  bounded({ numbers, bound }: Pick<NetworkFormula, "numbers" | "bound">): Value {
    const graph = this.#graph;
    const columns = numbers.map(({ feature }) => this.#features.number(feature));
    const row = (values: readonly number[]): Value => graph.doubles(values, [1, values.length]);
    const cells = this.#sideBySide(columns);
    const centres = row(numbers.map(({ centre }) => centre));
    const known = graph.node("Where", [this.isNotFinite(cells), centres, cells]);
    const scaled = graph.node("Mul", [
      graph.node("Sub", [known, centres]),
      row(numbers.map(({ factor }) => factor)),
    ]);
    const within = graph.node("Max", [
      graph.double(-FARTHEST),
      graph.node("Min", [graph.double(FARTHEST), scaled]),
    ]);
    const share = graph.node("Div", [within, graph.double(bound)]);
    const root = graph.node("Sqrt", [
      graph.node("Add", [graph.node("Mul", [share, share]), graph.double(1)]),
    ]);
    return graph.node("Div", [within, root]);
  }

  /** @param rows of the table: one a category, then of a missing one and of one that is not known */
  rowsOf(rows: readonly (readonly number[])[], feature: number): Value {
    const graph = this.#graph;
    return graph.node("Gather", [
      graph.doubles(rows.flat(), [rows.length, rows[0].length]),
      graph.node("Squeeze", [this.#features.code(feature), graph.integers([1], [1])]),
    ]);
  }

  #sideBySide(columns: readonly Value[]): Value {
    return columns.length === 1
      ? columns[0]
      : this.#graph.node("Concat", columns, { axis: { int: 1 } });
  }

  isNotFinite(cells: Value): Value {
    return this.#graph.node("Or", [
      this.#graph.node("IsNaN", [cells]),
      this.#graph.node("IsInf", [cells]),
    ]);
  }
}

class NetworkNodes {
  readonly #graph: Graph;
  readonly #features: FeatureNodes;
  readonly #cells: CellNodes;

  constructor(graph: Graph, features: FeatureNodes) {
    this.#graph = graph;
    this.#features = features;
    this.#cells = new CellNodes(graph, features);
  }

  inputs(formula: NetworkFormula): Value {
    const { numbers, periodic, pieces, marks, vectors } = formula;
    const parts: Value[] = [];
    if (numbers.length > 0) {
      const bounded = this.#cells.bounded(formula);
      if (periodic) parts.push(this.#periodic(bounded, periodic));
      else parts.push(pieces ? this.#pieces(bounded, pieces) : bounded);
    }
    for (const mark of marks) {
      if (mark.kind === "missing") {
        const unknown = this.#cells.isNotFinite(this.#features.number(mark.feature));
        parts.push(this.#graph.node("Cast", [unknown], BOOL_TO_DOUBLE));
      } else {
        const rows = Array.from({ length: mark.count + 2 }, (_, code) =>
          Array.from({ length: mark.count }, (_each, column) => Number(column === code)),
        );
        parts.push(this.#cells.rowsOf(rows, mark.feature));
      }
    }
    for (const { feature, rows } of vectors) {
      // Unknown ones are as if missing.
      parts.push(this.#cells.rowsOf([...rows, rows[rows.length - 1]], feature));
    }
    return parts.length === 1 ? parts[0] : this.#graph.node("Concat", parts, { axis: { int: 1 } });
  }

  activated(
    sums: Value,
    bends: readonly number[],
    activation: NetworkFormula["activation"],
  ): Value {
    const graph = this.#graph;
    const bent = activation === "selu" ? this.#selu(sums) : this.#mish(sums);
    const moved = graph.node("Mul", [
      graph.doubles(bends, [1, bends.length]),
      graph.node("Sub", [bent, sums]),
    ]);
    return graph.node("Add", [sums, moved]);
  }

  #selu(x: Value): Value {
    const graph = this.#graph;
    const zero = graph.double(0);
    const below = graph.node("Mul", [
      graph.node("Sub", [graph.node("Exp", [graph.node("Min", [x, zero])]), graph.double(1)]),
      graph.double(SELU_SCALE * SELU_ALPHA),
    ]);
    const above = graph.node("Mul", [graph.node("Max", [x, zero]), graph.double(SELU_SCALE)]);
    return graph.node("Add", [above, below]);
  }

  /** x · w / (w + 2) with w = eˣ (eˣ + 2), which is x · tanh(log(1 + eˣ)). */
  #mish(x: Value): Value {
    const graph = this.#graph;
    const two = graph.double(2);
    const e = graph.node("Exp", [graph.node("Min", [x, graph.double(20)])]);
    const w = graph.node("Mul", [e, graph.node("Add", [e, two])]);
    return graph.node("Mul", [x, graph.node("Div", [w, graph.node("Add", [w, two])])]);
  }

  /** @param x rows × numbers; each becomes itself and its combinations, side by side */
  #periodic(x: Value, parts: readonly PeriodicPart[]): Value {
    const graph = this.#graph;
    const count = parts.length;
    const [{ frequencies }] = parts;
    const third = graph.integers([2], [1]);
    const deep = graph.node("Unsqueeze", [x, third]);
    const table = (of: (part: PeriodicPart) => readonly number[], depth: number): Value =>
      graph.doubles(parts.flatMap(of), [1, count, depth]);
    const turns = graph.node("Add", [
      graph.node("Mul", [deep, table((part) => part.frequencies, frequencies.length)]),
      table((part) => part.phases, frequencies.length),
    ]);
    const waves = graph.node("Cos", [graph.node("Mul", [turns, graph.double(2 * Math.PI)])]);
    return this.#mixed(deep, waves, parts, third);
  }

  /** Likewise. */
  #pieces(x: Value, parts: readonly PiecesPart[]): Value {
    const graph = this.#graph;
    const most = Math.max(...parts.map(({ mix }) => mix.length));
    const columns = parts[0].bias.length;
    // Pieces that a number does not have rise by nothing.
    const filled = parts.map(({ knots, mix, bias }) => ({
      lefts: Array.from({ length: most }, (_, piece) => (piece < mix.length ? knots[piece] : 0)),
      widths: Array.from({ length: most }, (_, piece) =>
        piece < mix.length ? knots[piece + 1] - knots[piece] : 1,
      ),
      mix: Array.from({ length: most }, (_, piece) => mix[piece] ?? new Array(columns).fill(0)),
      bias,
    }));
    const third = graph.integers([2], [1]);
    const deep = graph.node("Unsqueeze", [x, third]);
    const table = (of: (part: (typeof filled)[number]) => readonly number[]): Value =>
      graph.doubles(filled.flatMap(of), [1, parts.length, most]);
    const within = graph.node("Div", [
      graph.node("Sub", [deep, table(({ lefts }) => lefts)]),
      table(({ widths }) => widths),
    ]);
    const shares = graph.node("Max", [
      graph.double(0),
      graph.node("Min", [graph.double(1), within]),
    ]);
    return this.#mixed(deep, shares, filled, third);
  }

  /** @param terms rows × numbers × terms, which each number mixes to columns of its own behind itself */
  #mixed(
    deep: Value,
    terms: Value,
    parts: readonly Pick<PiecesPart, "mix" | "bias">[],
    third: Value,
  ): Value {
    const graph = this.#graph;
    const count = parts.length;
    const [{ mix: first, bias }] = parts;
    const mix = graph.doubles(
      parts.flatMap((part) => part.mix.flat()),
      [count, first.length, bias.length],
    );
    const mixed = graph.node("Squeeze", [
      graph.node("MatMul", [graph.node("Unsqueeze", [terms, third]), mix]),
      third,
    ]);
    const biases = graph.doubles(
      parts.flatMap((part) => part.bias),
      [1, count, bias.length],
    );
    const combined = graph.node("Add", [mixed, biases]);
    const all = graph.node("Concat", [deep, combined], { axis: { int: 2 } });
    return graph.node("Reshape", [all, graph.integers([0, count * (1 + bias.length)], [2])]);
  }
}
