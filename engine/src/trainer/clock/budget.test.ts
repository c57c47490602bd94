import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SYSTEM_CLOCK } from "./budget.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("waits for longer than one timer can", () => {
  const days = 24 * 3_600_000;
  const call = vi.fn();
  const disarm = SYSTEM_CLOCK.after(60 * days, call);
  vi.advanceTimersByTime(59 * days);
  expect(call).not.toHaveBeenCalled();
  vi.advanceTimersByTime(days);
  expect(call).toHaveBeenCalledTimes(1);
  disarm();
  const never = vi.fn();
  const other = SYSTEM_CLOCK.after(60 * days, never);
  vi.advanceTimersByTime(30 * days);
  other();
  vi.advanceTimersByTime(60 * days);
  expect(never).not.toHaveBeenCalled();
});
