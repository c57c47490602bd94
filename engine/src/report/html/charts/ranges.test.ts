/** What of the figures is drawn, so that no few values make one spot of all others. */

import { expect, it } from "vitest";
import { dependenceRange } from "./dependence.ts";
import { draw } from "./draw.ts";
import { endOfAxes } from "./reliability.ts";
import { drawnRows, scatterSpec } from "./residuals.ts";

const bin = (predicted: number, high: number) => ({
  predicted,
  observed: predicted,
  low: 0,
  high,
  rows: 10,
});

it.each([
  [[bin(0.01, 0.03), bin(0.04, 0.07)], 0.1],
  [[bin(0.001, 0.0012)], 0.002],
  [[bin(0.1, 0.3)], 0.5],
  [[bin(0.1, 0.2), bin(0.45, 0.6)], 1],
  [[bin(0.6, 0.7)], 1],
  [[bin(0, 0)], 1],
  [[], 1],
])("axes of probabilities end above all that is drawn", (bins, end) => {
  expect(endOfAxes(bins)).toBeCloseTo(end, 12);
});

const near = Array.from({ length: 300 }, (_, i): [number, number] => [i - 150, i - 149]);

it("leaves out rows that are very far from all others, and no other", () => {
  expect(drawnRows(near)).toEqual(near);
  expect(drawnRows([...near, [1e6, 3]])).toEqual(near);
  expect(drawnRows([[2, -1e9], ...near])).toEqual(near);
  // Positive ones over powers of ten are drawn by their logarithms.
  const wide = near.map(([value], i): [number, number] => [2 ** (value / 20), 1 + i]);
  expect(drawnRows(wide)).toEqual(wide);
  const equal = near.map((): [number, number] => [0, 0]);
  expect(drawnRows([...equal, [1, 1]])).toHaveLength(301);
  expect(drawnRows([])).toEqual([]);
});

it("draws as many points as rows are left", async () => {
  const { text } = await draw(scatterSpec(drawnRows([...near, [1e6, 3]]), "y"));
  expect(text.match(/<circle[^>]*fill="var\(--s1\)"/g)).toHaveLength(300);
});

it("columns of one report share the range of what is predicted, and noise is not drawn large", () => {
  const said = (mean: number, spread: number) => ({
    share: 0.5,
    mean: [mean],
    low: [mean - spread],
    high: [mean + spread],
    error: [0.01],
  });
  const facts = { levelsLeftOut: 0, missing: null };
  const columns = [
    {
      ...facts,
      column: "a",
      levels: [
        { name: "x", ...said(0.3, 0.1) },
        { name: "y", ...said(0.6, 0.2) },
      ],
    },
    {
      ...facts,
      column: "b",
      points: [0, 1, 2].map((value) => ({ value, ...said(0.4, 0), local: [0.9], localError: [0] })),
    },
  ];
  expect(dependenceRange({ of: ["yes"], columns })).toEqual([expect.closeTo(0.2), 0.9]);
  const [low, high] = dependenceRange({
    of: ["yes"],
    columns: [{ ...facts, column: "c", levels: [{ name: "x", ...said(0.19, 0.001) }] }],
  });
  expect(high - low).toBeCloseTo(0.1);
  expect(
    dependenceRange({
      of: [],
      columns: [{ ...facts, column: "c", levels: [{ name: "x", ...said(7, 1) }] }],
    }),
  ).toEqual([6, 8]);
});
