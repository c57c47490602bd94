/** The means of a Gaussian process as nodes, in double precision. */

import type { ProcessFormula } from "../../families/formula.ts";
import type { FeatureNodes } from "./encoding.ts";
import type { Graph, Value } from "./graph.ts";
import { CellNodes } from "./network.ts";

const BOOL_TO_DOUBLE = { to: { int: 11 } };

/** @returns margins, rows × outputs, doubles */
export function processMargins(
  graph: Graph,
  features: FeatureNodes,
  formula: ProcessFormula,
): Value {
  const { points, weights, factors, centres } = formula;
  const outputs = centres.length;
  const rows = weights.length / outputs;
  const columns = points.length / rows;
  const asked = placed(graph, features, formula);
  const transposed = new Float64Array(points.length);
  const lengths = new Float64Array(rows);
  for (let j = 0; j < rows; j++) {
    for (let c = 0; c < columns; c++) {
      const value = points[j * columns + c];
      transposed[c * rows + j] = value;
      lengths[j] += value * value;
    }
  }
  // ‖z - z'‖² = ‖z‖² + ‖z'‖² - 2 z · z', which rounding may leave below 0.
  const products = graph.node("MatMul", [asked, graph.doubles(transposed, [columns, rows])]);
  const ones = graph.doubles(new Float64Array(columns).fill(1), [columns, 1]);
  const own = graph.node("MatMul", [graph.node("Mul", [asked, asked]), ones]);
  const apart = graph.node("Sub", [
    graph.node("Add", [own, graph.doubles(lengths, [1, rows])]),
    graph.node("Mul", [products, graph.double(2)]),
  ]);
  const distances = graph.node("Max", [graph.double(0), apart]);
  const byRow = weights.map((_, at) => weights[(at % outputs) * rows + Math.floor(at / outputs)]);
  const means = graph.node("MatMul", [
    correlation(graph, formula, distances),
    graph.doubles(byRow, [rows, outputs]),
  ]);
  return graph.node("Add", [
    graph.node("Mul", [means, graph.doubles(factors, [1, outputs])]),
    graph.doubles(centres, [1, outputs]),
  ]);
}

function placed(graph: Graph, features: FeatureNodes, formula: ProcessFormula): Value {
  const cells = new CellNodes(graph, features);
  const parts: Value[] = [];
  if (formula.numbers.length > 0) {
    const scales = graph.doubles(formula.numberScales, [1, formula.numberScales.length]);
    parts.push(graph.node("Mul", [cells.bounded(formula), scales]));
  }
  for (const mark of formula.marks) {
    if (mark.kind === "missing") {
      const unknown = graph.node(
        "Cast",
        [cells.isNotFinite(features.number(mark.feature))],
        BOOL_TO_DOUBLE,
      );
      const known = graph.node("Sub", [graph.double(1), unknown]);
      for (const column of [unknown, known]) {
        parts.push(graph.node("Mul", [column, graph.double(mark.scale)]));
      }
    } else {
      const rows = Array.from({ length: mark.count + 2 }, (_, code) =>
        Array.from({ length: mark.count + 1 }, (_each, column) =>
          column === Math.min(code, mark.count) ? mark.scale : 0,
        ),
      );
      parts.push(cells.rowsOf(rows, mark.feature));
    }
  }
  return parts.length === 1 ? parts[0] : graph.node("Concat", parts, { axis: { int: 1 } });
}

/** m(u): `families/gaussian_process/covariance.ts`. */
function correlation(graph: Graph, { smoothness }: ProcessFormula, distances: Value): Value {
  const times = (x: Value, by: number): Value => graph.node("Mul", [x, graph.double(by)]);
  if (smoothness === "rbf") return graph.node("Exp", [times(distances, -0.5)]);
  const sharpness = { matern_1_2: 1, matern_3_2: 3, matern_5_2: 5 }[smoothness];
  const a = graph.node("Sqrt", [times(distances, sharpness)]);
  const fall = graph.node("Exp", [graph.node("Neg", [a])]);
  if (smoothness === "matern_1_2") return fall;
  const line = graph.node("Add", [graph.double(1), a]);
  if (smoothness === "matern_3_2") return graph.node("Mul", [line, fall]);
  const curve = graph.node("Add", [line, times(graph.node("Mul", [a, a]), 1 / 3)]);
  return graph.node("Mul", [curve, fall]);
}
