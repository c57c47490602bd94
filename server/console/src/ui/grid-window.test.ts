import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ColumnScale, RowScale } from "./grid-window.ts";

const ROW = 28;

describe("RowScale", () => {
  it("shows the first rows at the top and the last ones at the bottom, however many there are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000_000 }),
        fc.integer({ min: 60, max: 2000 }),
        (rows, view) => {
          const scale = new RowScale(rows, ROW);
          expect(scale.height).toBeLessThanOrEqual(12_000_000);
          expect(scale.seen(0, view)).toMatchObject({ from: 0, top: expect.closeTo(0) });
          const bottom = scale.seen(Math.max(0, scale.height - view), view);
          expect(bottom.to).toBe(rows);
          expect(bottom.to - bottom.from).toBeLessThanOrEqual(Math.ceil(view / ROW) + 1);
        },
      ),
    );
  });

  it("scrolls to any row, and not where it is seen already", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 5_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rows, target, start) => {
          const [view, scale] = [600, new RowScale(rows, ROW)];
          const row = Math.floor(target * (rows - 1));
          const scrolled = scale.scrolledTo(row, start * (scale.height - view), view);
          const { from, to, top } = scale.seen(scrolled, view);
          const place = top + (row - from) * ROW;
          expect(row >= from && row < to).toBe(true);
          expect(place).toBeGreaterThan(-0.01);
          expect(place + ROW).toBeLessThan(view + 0.01);
          expect(scale.scrolledTo(row, scrolled, view)).toBeCloseTo(scrolled, 3);
        },
      ),
    );
  });
});

describe("ColumnScale", () => {
  it("knows which columns are seen", () => {
    const scale = new ColumnScale([100, 50, 200, 80]);
    expect(scale.width).toBe(430);
    expect(scale.seen(0, 100)).toEqual({ from: 0, to: 2 });
    expect(scale.seen(120, 20)).toEqual({ from: 1, to: 2 });
    expect(scale.seen(400, 300)).toEqual({ from: 3, to: 4 });
    expect(new ColumnScale([]).seen(0, 300)).toEqual({ from: 0, to: 0 });
  });

  it("scrolls as little as shows a column", () => {
    const scale = new ColumnScale([100, 50, 200, 80]);
    expect(scale.scrolledTo(1, 0, 200)).toBe(0);
    expect(scale.scrolledTo(2, 0, 250)).toBe(100);
    expect(scale.scrolledTo(0, 130, 250)).toBe(0);
    expect(scale.scrolledTo(2, 0, 90)).toBe(150);
  });
});
