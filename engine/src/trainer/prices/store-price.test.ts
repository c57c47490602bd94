import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoreMeter, secondsOf, USUAL_STORE } from "./store-price.ts";

const usual = USUAL_STORE.writing;

describe("StoreMeter", () => {
  it("has the usual price until a store has taken files", () => {
    const { price } = new StoreMeter(usual);
    expect(price.file).toBeCloseTo(usual.file, 12);
    expect(price.byte / usual.byte).toBeCloseTo(1, 9);
  });

  it("learns what a store takes for each file, and for bytes", () => {
    const meter = new StoreMeter(usual);
    for (let file = 0; file < 300; file++) {
      const bytes = (file % 4) * 1e6;
      meter.observe(bytes, 0.04 + bytes / 5e6);
    }
    const { file, byte } = meter.price;
    expect(file / 0.04).toBeCloseTo(1, 1);
    expect(byte * 5e6).toBeCloseTo(1, 1);
  });

  it("does not take what small files wait for to be the time of bytes", () => {
    const meter = new StoreMeter(usual);
    for (let file = 0; file < 100; file++) meter.observe(file % 2 ? 1200 : 60_000, 0.006);
    // 50 MB in 60 files; by their bytes alone 100 such files would make that 10 s.
    expect(secondsOf(meter.price, 60, 50e6)).toBeLessThan(1.5);
    expect(meter.price.file / 0.006).toBeCloseTo(1, 0);
  });

  it("never promises to give time back", () => {
    const taken = fc.tuple(
      fc.integer({ min: 0, max: 1e8 }),
      fc.double({ min: 0, max: 100, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(taken), (files) => {
        const meter = new StoreMeter(usual);
        for (const [bytes, seconds] of files) meter.observe(bytes, seconds);
        const { file, byte } = meter.price;
        expect(file).toBeGreaterThanOrEqual(0);
        expect(byte).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
