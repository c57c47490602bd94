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
  expect(warnings({ grouped: true })).toEqual([expect.stringMatching(/groups whole/)]);
  expect(warnings({ taught: true })).toEqual([expect.stringMatching(/teacher/)]);
  expect(fitConformal(request(6)).card.warnings).toEqual([
    expect.stringMatching(/6 rows .* too few for 90 % intervals/),
  ]);
});

test("the card names classes that the sets seldom hold, unless each is asked for", () => {
  const target = Float64Array.from({ length: 1000 }, (_, row) => (row % 50 === 0 ? 1 : 0));
  const classes: Partial<ConformalRequest> = {
    task: { kind: "binclass", classes: ["usual", "rare"] },
    threshold: 0.5,
    rows: {
      target,
      predictions: Float64Array.from(target, (_, row) => 0.01 + (row % 7) / 1000),
      outputs: 1,
      weights: null,
      labels: new Float64Array(1000),
      parts: partsOf([500, 500]),
    },
  };
  const of = (byClass: boolean) => fitConformal({ ...request(0), ...classes, byClass }).card;
  expect(of(false).warnings.join()).toMatch(
    /low for some of them: "rare" \(.* %\)\. With coverage_by_class/,
  );
  expect(of(false).warnings.join()).not.toMatch(/usual/);
  expect(of(true).warnings.join()).not.toMatch(/low for some of them/);
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
