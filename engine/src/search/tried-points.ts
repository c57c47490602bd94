/** Points that a search has already tried or is about to, so that it does not try them again. */

import type { CounterRandom } from "../compute/random.ts";
import { isActive, parameterOrder } from "./activation.ts";
import { drawPoint, valueAt, valueCount } from "./domain.ts";
import type { SearchState } from "./sampler.ts";
import type { Parameters, ParameterValue, SearchSpace } from "./space.ts";

/** Random draws before a finite space is searched systematically for a point not tried. */
const DRAWS = 64;

/** Whether `tried` has every value of `point`; what else it has is not of this space. */
function contains(tried: Parameters, point: Parameters): boolean {
  for (const name in point) if (tried[name] !== point[name]) return false;
  return true;
}

export function isTried({ history, pending }: SearchState, point: Parameters): boolean {
  return (
    history.some((observation) => contains(observation.parameters, point)) ||
    pending.some((parameters) => contains(parameters, point))
  );
}

/**
 * A uniform draw that has not been tried, while there is one. Where draws keep repeating, the
 * space is nearly used up, and is walked through from a random place instead.
 */
export function drawUntried(state: SearchState, random: CounterRandom): Parameters {
  const { space } = state;
  let point = drawPoint(space, random);
  for (let draw = 1; draw < DRAWS && isTried(state, point); draw++) {
    point = drawPoint(space, random);
  }
  const isFiniteSpace = Object.values(space).every((parameter) =>
    Number.isFinite(valueCount(parameter)),
  );
  if (!isFiniteSpace || !isTried(state, point)) return point;
  return firstUntried(state, random) ?? point;
}

/** Null where all points have been tried. At most one point more than were tried is looked at. */
function firstUntried(state: SearchState, random: CounterRandom): Parameters | null {
  const { space } = state;
  const order = parameterOrder(space);
  const keyOf = (point: Parameters) => {
    const active: Record<string, ParameterValue> = {};
    for (const name of order) {
      if (name in point && isActive(space[name], active)) active[name] = point[name];
    }
    return JSON.stringify(order.map((name) => (name in active ? [active[name]] : [])));
  };
  const tried = new Set([
    ...state.history.map((observation) => keyOf(observation.parameters)),
    ...state.pending.map(keyOf),
  ]);
  for (const point of allPoints(space, order, random)) if (!tried.has(keyOf(point))) return point;
  return null;
}

/** Every point of a finite space once, each parameter's values from a random one on. */
function* allPoints(
  space: SearchSpace,
  order: readonly string[],
  random: CounterRandom,
): Generator<Parameters> {
  const counts = order.map((name) => valueCount(space[name]));
  const starts = counts.map((count) => random.nextInteger(count));
  function* walk(depth: number, point: Parameters): Generator<Parameters> {
    if (depth === order.length) {
      yield point;
      return;
    }
    const name = order[depth];
    if (!isActive(space[name], point)) {
      yield* walk(depth + 1, point);
      return;
    }
    for (let i = 0; i < counts[depth]; i++) {
      const value = valueAt(space[name], (starts[depth] + i) % counts[depth]);
      yield* walk(depth + 1, { ...point, [name]: value });
    }
  }
  yield* walk(0, {});
}
