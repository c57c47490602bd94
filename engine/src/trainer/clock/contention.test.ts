import { describe, expect, it } from "vitest";
import { contentionAlone, contentionOf, contentionSince, threadTime } from "./contention.ts";

describe("contention", () => {
  it("is how much longer work took than its processor time, but for waiting for other threads of a fit", () => {
    const now = threadTime();
    const since = { wall: now.wall - 2e6, processor: now.processor - 1e6 };
    expect(contentionSince(since)).toBeCloseTo(2, 2);
    expect(contentionSince(since, 500)).toBeCloseTo(1.5, 2);
    expect(contentionSince(since, 1500)).toBe(1);
  });

  it("is at least 1, and no more than is believed", () => {
    expect(contentionOf({ wall: 3, processor: 1.5 })).toBe(2);
    expect(contentionOf({ wall: 1, processor: 2 })).toBe(1);
    expect(contentionOf({ wall: 1000, processor: 0 })).toBe(
      contentionOf({ wall: 1e9, processor: 1 }),
    );
  });

  it("is less for one thread alone than beside others of its own", () => {
    // Four others and two own threads on two cores: three a core; alone, five on two.
    expect(contentionAlone(3, 2, 2)).toBe(2.5);
    expect(contentionAlone(3, 1, 2)).toBe(3);
    // Own threads alone: more of them than cores.
    expect(contentionAlone(2, 4, 2)).toBe(1);
    expect(contentionAlone(1, 2, 2)).toBe(1);
  });
});
