import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseGreedily, leaveOneOut, normalise, OWN_SHARE, portfolioLoss } from "./choose.ts";

const tables = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 6 }))
  .chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  );

describe("normalise", () => {
  test("gives the best 0, the median 1, and failures and far ones the worst", () => {
    const table = normalise([[10], [30], [20], [900], [Number.NaN]]);
    // Of the four known losses the upper median is 30.
    expect(table.map(([each]) => each)).toEqual([0, 1, 0.5, 2, 2]);
  });

  test("tells apart where more than half are the best", () => {
    expect(normalise([[5], [5], [5], [7]]).map(([each]) => each)).toEqual([0, 0, 0, 2]);
  });

  test("does not look at units", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const scaled = table.map((row) => row.map((each) => 64 * each - 512));
        expect(normalise(scaled)).toEqual(normalise(table));
      }),
    );
  });
});

describe("chooseGreedily", () => {
  test("prefers what complements to what is second best", () => {
    const table = [
      [0, 0, 2],
      [0.1, 0.1, 1.9],
      [2, 2, 0],
    ];
    expect(chooseGreedily(table, 2)).toEqual([0, 2]);
    expect(chooseGreedily(table, 2, [1])).toEqual([1, 2]);
  });

  test("adds at each place a row that none beats, each once", () => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 8 }), (table, size) => {
        const columns = table[0].map((_, c) => c);
        const chosen = chooseGreedily(table, size);
        expect(chosen).toHaveLength(Math.min(size, table.length));
        expect(new Set(chosen).size).toBe(chosen.length);
        const lossAfter = (before: readonly number[], row: number): number =>
          portfolioLoss(table, [...before, row], columns) +
          OWN_SHARE * portfolioLoss(table, [row], columns);
        for (let k = 0; k < chosen.length; k++) {
          const before = chosen.slice(0, k);
          for (const row of table.keys()) {
            if (before.includes(row)) continue;
            expect(lossAfter(before, row)).toBeGreaterThanOrEqual(lossAfter(before, chosen[k]));
          }
        }
      }),
    );
  });

  test("looks at the given columns alone", () => {
    expect(
      chooseGreedily(
        [
          [0, 9],
          [9, 0],
        ],
        1,
        [],
        [1],
      ),
    ).toEqual([1]);
  });
});

test("leaveOneOut judges each column by rows that it had no part in choosing", () => {
  // Each row is best on one column alone: the one that is left out is never served.
  const table = [
    [0, 1, 1],
    [1, 0, 1],
    [1, 1, 0],
  ];
  expect(leaveOneOut(table, 2)).toEqual([1, 1]);
  const columns = [0, 1, 2];
  expect(portfolioLoss(table, chooseGreedily(table, 2), columns)).toBeCloseTo(1 / 3, 12);
});
