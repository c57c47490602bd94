import { expect, it } from "vitest";
import { gamDefaults } from "./parameters.ts";
import { TermOrder } from "./term-order.ts";

const shape = { rows: 10, task: { kind: "regression", classes: [] }, features: [] } as const;

it("takes all terms in turn, then those of most gain by what is left of it", () => {
  const parameters = { ...gamDefaults(shape), greedy_ratio: 2, learning_rate: 0.5 };
  const order = new TermOrder(3, parameters);
  const gains = [1, 9, 3];
  const taken = Array.from({ length: 12 }, (_, step) => {
    const place = order.next(Math.floor(step / 3), step % 3);
    order.observe(place, gains[place]);
    // A step of half leaves a quarter of the gain.
    gains[place] /= 4;
    return place;
  });
  expect(taken).toEqual([0, 1, 2, 1, 2, 1, 0, 2, 1, 0, 1, 2]);
});

it("goes by turns alone where nothing is to be greedy", () => {
  const order = new TermOrder(2, { ...gamDefaults(shape), greedy_ratio: 0 });
  order.observe(1, 100);
  expect([0, 1, 2].flatMap((round) => [order.next(round, 0), order.next(round, 1)])).toEqual([
    0, 1, 0, 1, 0, 1,
  ]);
});
