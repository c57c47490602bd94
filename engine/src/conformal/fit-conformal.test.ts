import { expect, test } from "vitest";
import { type ConformalRequest, fitConformal } from "./fit-conformal.ts";
import { partsOf } from "./out-of-fold.ts";
import { effectiveRows, isShort } from "./short-coverage.ts";

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

test("the card warns of intervals that held fewer rows than asked, unless chance explains it", () => {
  // One fold of four errs in 100 rows more, of 250: its rows are unlike the others'.
  const of = (strange: number, weights: Float64Array | null = null) => {
    const target = Float64Array.from({ length: 1000 }, (_, row) =>
      row < strange ? 50 : Math.sin(row),
    );
    const rows = {
      target,
      predictions: new Float64Array(1000),
      outputs: 1,
      weights,
      parts: partsOf([250, 250, 250, 250]),
    };
    return fitConformal({ ...request(0), rows }).card;
  };
  expect(of(0).warnings).toEqual([]);
  const short = of(100);
  expect(short.measured).toBeLessThan(0.87);
  expect(short.warnings).toEqual([
    expect.stringMatching(/intervals held 8\d(\.\d)? % .* fewer than the 90 % asked for/),
  ]);
  // As large a share of what counts no more than 40 rows is chance.
  const few = Float64Array.from({ length: 1000 }, (_, row) => (row % 25 === 0 ? 1 : 1e-9));
  const chance = of(160, few);
  expect(isShort(chance.measured, 0.9, 1000)).toBe(true);
  expect(chance.warnings).toEqual([]);
});

test("coverage is short below Wilson's bound, one-sided at one in a thousand", () => {
  // By the formula the upper ends are 0.8941, 0.9082 and 0.9383.
  expect(isShort(0.864, 0.9, 1000)).toBe(true);
  expect(isShort(0.88, 0.9, 1000)).toBe(false);
  expect(isShort(0.864, 0.9, 100)).toBe(false);
  expect(isShort(null, 0.9, 1000)).toBe(false);
  expect(effectiveRows(null, 7)).toBe(7);
  expect(effectiveRows(Float64Array.of(1e300, 1e300, 0), 3)).toBeCloseTo(2, 12);
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
    /low for some of them: "rare" \(.* %\)\. Asked for their coverage by class/,
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
  expect(part.rows).toBe(100_000);
});
