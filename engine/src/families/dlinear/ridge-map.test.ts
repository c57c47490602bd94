import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { Moments } from "./ridge-map.ts";

const [WIDTH, STEPS] = [7, 3];

it.each([1, 31, 32, 33, 100])("moments of %i windows lead to the least squares", (count) => {
  const random = new CounterRandom(deriveKey(count, "moments"));
  const drawn = (length: number) => Float64Array.from({ length }, () => random.nextGaussian());
  const windows = Array.from({ length: count }, (_, i) => ({
    window: drawn(WIDTH),
    following: drawn(STEPS),
    weight: 1 + (i % 3),
  }));
  const halves = [new Moments(WIDTH, STEPS), new Moments(WIDTH, STEPS)] as const;
  for (const [i, { window, following, weight }] of windows.entries()) {
    halves[i % 2].add(window, following, weight);
  }
  const moments = halves[0].plus(halves[1]);
  const errorOf = (map: Float64Array): number =>
    windows.reduce((sum, { window, following, weight }) => {
      const errors = following.map((y, h) =>
        window.reduce((rest, x, i) => rest - map[h * WIDTH + i] * x, y),
      );
      return sum + weight * errors.reduce((squares, error) => squares + error * error, 0);
    }, 0);
  const map = moments.solve(0.1);
  expect(moments.errorOf(map)).toBeCloseTo(errorOf(map), 8);
  // Of what is minimised: the errors, and the penalty on the map.
  const trace = windows.reduce(
    (sum, { window, weight }) => sum + weight * window.reduce((all, x) => all + x * x, 0),
    0,
  );
  const lossOf = (each: Float64Array): number =>
    errorOf(each) + ((0.1 * trace) / WIDTH) * each.reduce((sum, x) => sum + x * x, 0);
  for (let at = 0; at < map.length; at++) {
    const moved = (by: number) => map.map((value, i) => (i === at ? value + by : value));
    expect(Math.min(lossOf(moved(1e-3)), lossOf(moved(-1e-3)))).toBeGreaterThan(lossOf(map));
  }
});
