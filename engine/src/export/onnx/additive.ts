/** Sums of parts of single features as nodes; numbers that are transformed alike are one block. */

import type { AdditiveFormula, NumericPart } from "../../families/formula.ts";
import type { FeatureNodes } from "./encoding.ts";
import type { Graph, Value } from "./graph.ts";
import { piecewise } from "./piecewise.ts";

type Transform = NumericPart["transform"];
type Of<Kind extends Transform["kind"]> = Extract<Transform, { kind: Kind }>;

/** @returns margins, rows × outputs, doubles */
export function additiveSums(
  graph: Graph,
  features: FeatureNodes,
  { parts, base, range }: AdditiveFormula,
): Value {
  const outputs = base.length;
  const nodes = new AdditiveNodes(graph, features, outputs);
  const sums = [graph.doubles(base, [1, outputs])];
  // Transforms that are a formula alike for all features, in one block each; the others one by one.
  const blocks = new Map<string, NumericPart[]>();
  for (const [index, part] of parts.entries()) {
    if (part.kind === "missing") sums.push(nodes.missing(part.feature, part.weights));
    else if (part.kind === "levels")
      sums.push(nodes.levels(part.feature, part.values, part.weights));
    else if (part.kind === "categories") sums.push(nodes.categories(part.feature, part.weights));
    else {
      const { kind } = part.transform;
      const alone = kind === "spline" || kind === "quantile_normal";
      const key = alone ? `${kind} ${index}` : kind;
      blocks.set(key, [...(blocks.get(key) ?? []), part]);
    }
  }
  for (const block of blocks.values()) sums.push(nodes.numeric(block));
  const margins = sums.reduce((sum, next) => graph.node("Add", [next, sum]));
  if (range === undefined) return margins;
  const least = graph.node("Max", [margins, graph.double(range[0])]);
  return graph.node("Min", [least, graph.double(range[1])]);
}

class AdditiveNodes {
  readonly #graph: Graph;
  readonly #features: FeatureNodes;
  readonly #outputs: number;

  constructor(graph: Graph, features: FeatureNodes, outputs: number) {
    this.#graph = graph;
    this.#features = features;
    this.#outputs = outputs;
  }

  categories(feature: number, weights: readonly (readonly number[])[]): Value {
    // Unknown ones are as if missing.
    const rows = [...weights, weights[weights.length - 1]];
    return this.#graph.node("Gather", [
      this.#matrix(rows),
      this.#graph.node("Squeeze", [this.#features.code(feature), this.#axis(1)]),
    ]);
  }

  missing(feature: number, weights: readonly number[]): Value {
    const known = this.#isFinite(this.#features.number(feature));
    return this.#where(known, this.#graph.double(0), this.#matrix([weights]));
  }

  levels(
    feature: number,
    values: readonly number[],
    weights: readonly (readonly number[])[],
  ): Value {
    const equal = this.#graph.node("Equal", [
      this.#features.number(feature),
      this.#graph.doubles(values, [1, values.length]),
    ]);
    const marks = this.#graph.node("Cast", [equal], { to: { int: 11 } });
    return this.#graph.node("MatMul", [marks, this.#matrix(weights)]);
  }

  /** Parts of one transform, their numbers side by side. */
  numeric(parts: readonly NumericPart[]): Value {
    const graph = this.#graph;
    const columns = parts.map(({ feature }) => this.#features.number(feature));
    const cells =
      columns.length === 1 ? columns[0] : graph.node("Concat", columns, { axis: { int: 1 } });
    const known = this.#isFinite(cells);
    const safe = this.#where(known, cells, graph.double(0));
    const transformed = this.#transformed(parts, safe);
    const row = (numbers: readonly number[]): Value => graph.doubles(numbers, [1, numbers.length]);
    const standard = graph.node("Div", [
      graph.node("Sub", [transformed, row(parts.flatMap(({ means }) => means))]),
      row(parts.flatMap(({ deviations }) => deviations)),
    ]);
    const present = this.#where(known, standard, graph.double(0));
    return graph.node("MatMul", [present, this.#matrix(parts.flatMap(({ weights }) => weights))]);
  }

  #transformed(parts: readonly NumericPart[], cells: Value): Value {
    const transforms = parts.map(({ transform }) => transform);
    const [first] = transforms;
    switch (first.kind) {
      case "identity":
        return cells;
      case "clip":
        return this.#clipped(transforms.filter(isOf("clip")), cells);
      case "signed_log":
        return this.#signedLog(transforms.filter(isOf("signed_log")), cells);
      case "quantile_normal":
        return piecewise(this.#graph, first.knots, first.scores, cells);
      case "spline":
        return this.#spline(first, cells);
    }
  }

  #clipped(transforms: readonly Of<"clip">[], cells: Value): Value {
    const low = this.#graph.doubles(
      transforms.map((t) => t.low),
      [1, transforms.length],
    );
    const high = this.#graph.doubles(
      transforms.map((t) => t.high),
      [1, transforms.length],
    );
    return this.#graph.node("Min", [high, this.#graph.node("Max", [low, cells])]);
  }

  #signedLog(transforms: readonly Of<"signed_log">[], cells: Value): Value {
    const graph = this.#graph;
    const centres = graph.doubles(
      transforms.map((t) => t.centre),
      [1, transforms.length],
    );
    const sizes = graph.doubles(
      transforms.map((t) => t.size),
      [1, transforms.length],
    );
    const scaled = graph.node("Div", [graph.node("Sub", [cells, centres]), sizes]);
    const grown = graph.node("Add", [graph.node("Abs", [scaled]), graph.double(1)]);
    return graph.node("Mul", [graph.node("Sign", [scaled]), graph.node("Log", [grown])]);
  }

  /** See `applySpline`. */
  #spline({ knots, range: reach }: Of<"spline">, given: Value): Value {
    const graph = this.#graph;
    const cells = reach
      ? graph.node("Min", [
          graph.double(reach[1]),
          graph.node("Max", [graph.double(reach[0]), given]),
        ])
      : given;
    const count = knots.length;
    const range = knots[count - 1] - knots[0];
    const lastGap = (knots[count - 1] - knots[count - 2]) / range;
    const beforeLast = (knots[count - 2] - knots[0]) / range;
    const places = Array.from({ length: count - 2 }, (_, k) => (knots[k] - knots[0]) / range);
    const place = graph.node("Min", [
      graph.double(2),
      graph.node("Max", [
        graph.double(-1),
        graph.node("Div", [
          graph.node("Sub", [cells, graph.double(knots[0])]),
          graph.double(range),
        ]),
      ]),
    ]);
    const cubes = (from: Value): Value => {
      const over = graph.node("Max", [graph.node("Sub", [place, from]), graph.double(0)]);
      return graph.node("Mul", [graph.node("Mul", [over, over]), over]);
    };
    const row = (numbers: readonly number[]): Value => graph.doubles(numbers, [1, numbers.length]);
    const away = graph.node("Div", [
      graph.node("Mul", [cubes(graph.double(beforeLast)), row(places.map((knot) => 1 - knot))]),
      graph.double(lastGap),
    ]);
    const back = graph.node("Div", [
      graph.node("Mul", [cubes(graph.double(1)), row(places.map((knot) => beforeLast - knot))]),
      graph.double(lastGap),
    ]);
    const terms = graph.node("Add", [graph.node("Sub", [cubes(row(places)), away]), back]);
    return graph.node("Concat", [place, terms], { axis: { int: 1 } });
  }

  #isFinite(cells: Value): Value {
    return this.#graph.node("Not", [
      this.#graph.node("Or", [
        this.#graph.node("IsNaN", [cells]),
        this.#graph.node("IsInf", [cells]),
      ]),
    ]);
  }

  #where(condition: Value, yes: Value, no: Value): Value {
    return this.#graph.node("Where", [condition, yes, no]);
  }

  #axis(axis: number): Value {
    return this.#graph.integers([axis], [1]);
  }

  #matrix(rows: readonly (readonly number[])[]): Value {
    return this.#graph.doubles(rows.flat(), [
      rows.length,
      this.#outputs === 0 ? 0 : rows[0].length,
    ]);
  }
}

function isOf<Kind extends Transform["kind"]>(
  kind: Kind,
): (transform: Transform) => transform is Of<Kind> {
  return (transform): transform is Of<Kind> => transform.kind === kind;
}
