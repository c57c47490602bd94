import { describe, expect, it } from "vitest";
import { affordableRows } from "./affordable-rows.ts";

const prices = {
  rows: 1_000_000,
  columns: 20,
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
