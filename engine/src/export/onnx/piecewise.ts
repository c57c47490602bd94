/**
 * A curve of straight lines between knots as nodes, by the very steps in which it is evaluated here. Knots
 * of quantiles may lie within a rounding error of each other, or out of order by one, and then the
 * line that a value is on is whichever the binary search ends at: that is found here for each stretch
 * of values between which no comparison changes, and looked up there.
 */

import { knotBefore } from "../../compute/interpolation.ts";
import type { Graph, Value } from "./graph.ts";

interface Stretch {
  /** Its first value; the first stretch has none. */
  readonly from: number;
  readonly start: number;
  readonly width: number;
  readonly low: number;
  readonly rise: number;
}

/** @param cells rows × 1, none of them NaN */
export function piecewise(
  graph: Graph,
  knots: readonly number[],
  heights: readonly number[],
  cells: Value,
): Value {
  const stretches = stretchesOf(knots, heights);
  const starts = stretches.slice(1).map(({ from }) => from);
  const passed = graph.node("LessOrEqual", [graph.doubles(starts, [1, starts.length]), cells]);
  const place = graph.node(
    "ReduceSum",
    [graph.node("Cast", [passed], { to: { int: 7 } }), graph.integers([1], [1])],
    { keepdims: { int: 1 } },
  );
  const at = (numbers: readonly number[]): Value =>
    graph.node("Gather", [graph.doubles(numbers, [numbers.length]), place]);
  const along = graph.node("Div", [
    graph.node("Sub", [cells, at(stretches.map(({ start }) => start))]),
    at(stretches.map(({ width }) => width)),
  ]);
  // Level stretches reach to infinity, where a product with 0 would be no number.
  const within = graph.node("Min", [graph.node("Max", [along, graph.double(-2)]), graph.double(2)]);
  return graph.node("Add", [
    at(stretches.map(({ low }) => low)),
    graph.node("Mul", [within, at(stretches.map(({ rise }) => rise))]),
  ]);
}

function stretchesOf(knots: readonly number[], heights: readonly number[]): Stretch[] {
  const last = knots.length - 1;
  // At the first knot itself the curve is level still, whatever knots follow it.
  const starts = [...knots, nextAbove(knots[0])].sort((a, b) => a - b);
  const distinct = starts.filter((start, i) => i === 0 || start > starts[i - 1]);
  const level = (from: number, low: number): Stretch => ({
    from,
    start: 0,
    width: 1,
    low,
    rise: 0,
  });
  return [Number.NEGATIVE_INFINITY, ...distinct].map((from): Stretch => {
    if (from <= knots[0]) return level(from, heights[0]);
    if (from >= knots[last]) return level(from, heights[last]);
    const low = knotBefore(knots, from);
    const width = knots[low + 1] - knots[low];
    const rise = heights[low + 1] - heights[low];
    return { from, start: knots[low], width, low: heights[low], rise };
  });
}

/** The least double above a finite one. */
function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}
