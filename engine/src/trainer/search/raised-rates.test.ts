import { expect, it } from "vitest";
import { raisedRate, withRate } from "./raised-rates.ts";

it("leaves a rate that comes far enough, and raises it the more the fewer rounds there are", () => {
  expect(raisedRate(0.05, 1000, "squared_error")).toBe(0.05);
  expect(raisedRate(0.05, 120, "squared_error")).toBe(0.1);
  expect(raisedRate(0.05, 30, "squared_error")).toBe(0.3);
  expect(raisedRate(0.05, 10, "squared_error")).toBe(0.4);
  expect(raisedRate(0.05, 0, "pinball")).toBe(0.5);
  expect(raisedRate(0.05, 40, "binary_log_loss")).toBe(0.2);
  for (const rounds of [0, 1, 5, 20]) {
    expect(raisedRate(0.05, rounds, "multinomial_log_loss")).toBe(0.2);
  }
  expect(raisedRate(0.4, 20, "squared_error")).toBe(0.4);
});

it("raises a rate that is searched alone, and remembers what was drawn", () => {
  const trial = { trial: 3, row: 0, parameters: { learning_rate: 0.05, num_leaves: 31 } };
  const space = { learning_rate: { type: "float", low: 0.01, high: 0.1 } } as const;
  expect(withRate(trial, space, 0.3)).toEqual({
    ...trial,
    parameters: { learning_rate: 0.3, num_leaves: 31 },
    raisedFrom: 0.05,
  });
  expect(withRate(trial, space, 0.05)).toBe(trial);
  expect(withRate(trial, {}, 0.3)).toBe(trial);
});
