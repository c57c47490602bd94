/**
 * From members' outputs to the model's as nodes, as `ensemble/` computes them: links, calibration,
 * the weighted average or the layer over margins, and the decision.
 */

import type { Calibration } from "../../ensemble/calibration/calibration.ts";
import { MARGIN_EPSILON } from "../../ensemble/margins.ts";
import type { Link } from "../../tasks/task-type.ts";
import type { Graph, Value } from "./graph.ts";
import { piecewise } from "./piecewise.ts";

export class CombiningNodes {
  readonly #graph: Graph;
  readonly #outputs: number;

  constructor(graph: Graph, outputs: number) {
    this.#graph = graph;
    this.#outputs = outputs;
  }

  /** Predictions of margins. */
  linked(link: Link, margins: Value): Value {
    if (link === "identity") return margins;
    return this.probabilities(margins);
  }

  /** Of shares that may stray from a sum of 1 a little. */
  shares(sums: Value): Value {
    if (this.#outputs === 1) {
      return this.#between(sums, 0, 1);
    }
    return this.#normalised(sums);
  }

  /** Each row in ascending order. */
  ascending(values: Value): Value {
    if (this.#outputs === 1) return values;
    const [sorted] = this.#sorted(values);
    return sorted;
  }

  calibrated(calibration: Calibration, probabilities: Value): Value {
    const graph = this.#graph;
    if (calibration.kind === "temperature") {
      const scaled = graph.node("Mul", [
        this.margins(probabilities),
        graph.double(calibration.scale),
      ]);
      return this.probabilities(
        this.#outputs === 1 ? graph.node("Add", [scaled, graph.double(calibration.bias)]) : scaled,
      );
    }
    if (this.#outputs === 1)
      return piecewise(graph, calibration.curves[0].x, calibration.curves[0].y, probabilities);
    const columns = calibration.curves.map(({ x, y }, k) =>
      piecewise(
        graph,
        x,
        y,
        graph.node("Gather", [probabilities, graph.integers([k], [1])], { axis: { int: 1 } }),
      ),
    );
    return this.#normalised(graph.node("Concat", columns, { axis: { int: 1 } }));
  }

  /** Log-odds with one output, logarithms with more. */
  margins(probabilities: Value): Value {
    const graph = this.#graph;
    const clipped = this.#between(probabilities, MARGIN_EPSILON, 1 - MARGIN_EPSILON);
    if (this.#outputs > 1) return graph.node("Log", [clipped]);
    const other = graph.node("Sub", [graph.double(1), clipped]);
    return graph.node("Log", [graph.node("Div", [clipped, other])]);
  }

  probabilities(margins: Value): Value {
    return this.#outputs === 1
      ? this.#graph.node("Sigmoid", [margins])
      : this.#graph.node("Softmax", [margins], { axis: { int: 1 } });
  }

  /** Σ weight × part, from the intercepts on. */
  weighted(
    parts: readonly { readonly weight: number; readonly value: Value }[],
    intercepts: readonly number[] | null,
  ): Value {
    const graph = this.#graph;
    const products = parts.map(({ weight, value }) =>
      weight === 1 ? value : graph.node("Mul", [value, graph.double(weight)]),
    );
    if (intercepts !== null) products.unshift(graph.doubles(intercepts, [1, intercepts.length]));
    return products.reduce((sum, product) => graph.node("Add", [sum, product]));
  }

  /** Of two classes each one's probability, rows × 2; with more, they are there. */
  ofEachClass(probabilities: Value): Value {
    if (this.#outputs > 1) return probabilities;
    const first = this.#graph.node("Sub", [this.#graph.double(1), probabilities]);
    return this.#graph.node("Concat", [first, probabilities], { axis: { int: 1 } });
  }

  /** The class that is said: the second from the threshold on, or the most probable, the last of equals. */
  label(probabilities: Value, classes: readonly string[], threshold: number | null): Value {
    const graph = this.#graph;
    const place =
      this.#outputs === 1
        ? graph.node("Squeeze", [
            graph.node(
              "Cast",
              [graph.node("GreaterOrEqual", [probabilities, graph.double(threshold ?? 0.5)])],
              { to: { int: 7 } },
            ),
            graph.integers([1], [1]),
          ])
        : graph.node("ArgMax", [probabilities], {
            axis: { int: 1 },
            keepdims: { int: 0 },
            select_last_index: { int: 1 },
          });
    return graph.node("Gather", [graph.texts(classes), place]);
  }

  #between(values: Value, low: number, high: number): Value {
    const graph = this.#graph;
    return graph.node("Min", [graph.double(high), graph.node("Max", [graph.double(low), values])]);
  }

  #normalised(values: Value): Value {
    const total = this.#graph.node("ReduceSum", [values, this.#graph.integers([1], [1])], {
      keepdims: { int: 1 },
    });
    return this.#graph.node("Div", [values, total]);
  }

  #sorted(values: Value): readonly Value[] {
    return this.#graph.nodes(
      "TopK",
      [values, this.#graph.integers([this.#outputs], [1])],
      { axis: { int: 1 }, largest: { int: 0 }, sorted: { int: 1 } },
      2,
    );
  }
}
