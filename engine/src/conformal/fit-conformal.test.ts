import { expect, test } from "vitest";
import { type ConformalRequest, fitConformal } from "./fit-conformal.ts";
import { partsOf } from "./out-of-fold.ts";

function request(rows: number): ConformalRequest {
  const predictions = Float64Array.from({ length: rows }, (_, row) => (row * 37) % 101);
  return {
    task: { kind: "regression", classes: [] },
    rows: {
      target: predictions.map((value, row) => value + Math.sin(row)),
      predictions,
      outputs: 1,
      weights: null,
      parts: partsOf([Math.ceil(rows / 2), Math.floor(rows / 2)]),
    },
    coverage: 0.9,
    byClass: false,
    threshold: null,
    averagesFolds: true,
    ordered: false,
    grouped: false,
    taught: false,
  };
}

test("the card warns of all that makes the coverage less than promised", () => {
  const warnings = (more: Partial<ConformalRequest>) =>
    fitConformal({ ...request(200), ...more }).card.warnings;
  expect(warnings({})).toEqual([]);
  expect(warnings({ ordered: true })).toEqual([expect.stringMatching(/ordered by time/)]);
  expect(warnings({ grouped: true })).toEqual([expect.stringMatching(/whole groups/)]);
  expect(warnings({ taught: true })).toEqual([expect.stringMatching(/teacher/)]);
  expect(fitConformal(request(6)).card.warnings).toEqual([
    expect.stringMatching(/6 rows .* too few for intervals of 90 %/),
  ]);
});

test("a mean over folds is narrowed, unless its folds are in time", () => {
  expect(fitConformal(request(200)).part).toMatchObject({ kind: "interval", narrowed: true });
  expect(fitConformal({ ...request(200), ordered: true }).part).toMatchObject({ narrowed: false });
  expect(fitConformal({ ...request(200), averagesFolds: false }).part).toMatchObject({
    narrowed: false,
  });
});

test("of very many rows, as many as quantiles need are read", () => {
  const { part } = fitConformal(request(250_000));
  expect(part.rows).toBe(200_000);
});
