import { describe, expect, it } from "vitest";
import { contentionSince, threadTime } from "./contention.ts";

describe("contention", () => {
  it("is how much longer work took than its processor time, but for waiting for other threads of a fit", () => {
    const now = threadTime();
    const since = { wall: now.wall - 2e6, processor: now.processor - 1e6 };
    expect(contentionSince(since)).toBeCloseTo(2, 2);
    expect(contentionSince(since, 500)).toBeCloseTo(1.5, 2);
    expect(contentionSince(since, 1500)).toBe(1);
  });
});
