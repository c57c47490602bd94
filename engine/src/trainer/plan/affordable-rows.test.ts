import { describe, expect, it } from "vitest";
import { affordableRows, rowsOfLeadingLinear } from "./affordable-rows.ts";

const prices = {
  rows: 1_000_000,
  columns: 20,
  characters: 0,
  outputs: 1,
  folds: 5,
  threads: 2,
  contention: 1,
  seconds: 20,
};

describe("affordableRows", () => {
  it("leaves all rows where the time allows", () => {
    expect(affordableRows({ ...prices, rows: 10_000 })).toBe(10_000);
    expect(affordableRows({ ...prices, seconds: 3600 })).toBe(1_000_000);
  });

  it("allows fewer in less time, with others beside, for more columns, and for more classes", () => {
    const usual = affordableRows(prices);
    expect(usual).toBeLessThan(1_000_000);
    for (const harder of [
      { seconds: 10 },
      { contention: 3 },
      { columns: 200 },
      { characters: 1000 },
      { outputs: 20 },
      { folds: 10 },
    ]) {
      expect(affordableRows({ ...prices, ...harder })).toBeLessThan(usual);
    }
  });

  it("would rather have fewer rounds than few rows, and some rows whatever the time", () => {
    const wide = { ...prices, rows: 7500, columns: 784, outputs: 10 };
    expect(affordableRows({ ...wide, seconds: 30 })).toBe(7500);
    expect(affordableRows({ ...wide, seconds: -1 })).toBe(500);
    expect(affordableRows({ ...wide, rows: 60, seconds: 0 })).toBe(60);
  });
});

describe("rowsOfLeadingLinear", () => {
  it("has fewer rows than columns where inverting many columns for each of several classes is not in time", () => {
    const pixels = { ...prices, rows: 5990, columns: 784, design: 784, outputs: 10 };
    expect(rowsOfLeadingLinear({ ...pixels, seconds: 4 })).toBeGreaterThan(784);
    expect(rowsOfLeadingLinear({ ...pixels, seconds: 0.8 })).toBe(500);
    expect(rowsOfLeadingLinear({ ...pixels, seconds: 0.2 })).toBeNull();
  });

  const short = {
    rows: 20_000,
    columns: 20,
    design: 80,
    outputs: 1,
    folds: 5,
    threads: 2,
    contention: 1,
    seconds: 1,
  };

  it("is so where boosting has few rounds, and hardly any as well", () => {
    expect(rowsOfLeadingLinear({ ...short, seconds: 60 })).toBeNull();
    expect(rowsOfLeadingLinear({ ...short, seconds: 0.9 })).toBe(20_000);
    // With less time of fewer rows.
    expect(rowsOfLeadingLinear({ ...short, seconds: 0.16 })).toBe(10_000);
    expect(rowsOfLeadingLinear({ ...short, seconds: 0.06 })).toBe(5000);
    // A sixteenth of the rows would not be fitted either.
    const levels = { ...short, rows: 200_000, design: 2000, seconds: 5 };
    expect(rowsOfLeadingLinear(levels)).toBeNull();
    // Of any rows rather than of a round or two.
    expect(rowsOfLeadingLinear({ ...short, rows: 2e6, seconds: 0.3 })).toBe(31_250);
  });

  it("is so of few rows of many columns, whose rounds take what their bins take", () => {
    const few = { ...short, rows: 48, columns: 2000, design: 8000, contention: 2 };
    expect(rowsOfLeadingLinear({ ...few, seconds: 2 })).toBe(48);
    expect(rowsOfLeadingLinear({ ...few, seconds: 60 })).toBeNull();
    // Of few columns a round takes no time that counts.
    expect(rowsOfLeadingLinear({ ...few, columns: 20, design: 80, seconds: 2 })).toBeNull();
  });

  it("is not so where columns are many to factor, but of wide data, whose columns are not", () => {
    expect(rowsOfLeadingLinear({ ...short, rows: 2000, columns: 200, design: 800 })).toBeNull();
    expect(
      rowsOfLeadingLinear({ ...short, rows: 2000, columns: 50, design: 200, seconds: 0.2 }),
    ).toBe(2000);
    expect(
      rowsOfLeadingLinear({ ...short, rows: 200, columns: 2000, design: 2000, seconds: 0.5 }),
    ).toBe(200);
  });
});
