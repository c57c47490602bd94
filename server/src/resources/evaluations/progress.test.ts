import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PhaseProgress } from "./progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("tells what is done of each phase, and how long the rest of it takes at that rate", () => {
  const saved: unknown[] = [];
  const writer = { at: (_phase: string, make: () => unknown) => saved.push(make()) };
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const progress = new PhaseProgress({ progress: writer as never, elapsed });
  const look = () => saved.at(-1);
  progress.at("loading");
  expect(look()).toEqual({ phase: "loading", done: 0, total: 0, seconds: 0, estimate: null });
  vi.advanceTimersByTime(2000);
  progress.follow({ stage: "predicting", done: 100, total: 1000 });
  expect(look()).toMatchObject({ phase: "predicting", done: 100, total: 1000, estimate: null });
  vi.advanceTimersByTime(4000);
  // 200 in four seconds, since it was first seen.
  progress.follow({ stage: "predicting", done: 300, total: 1000 });
  expect(look()).toMatchObject({ done: 300, seconds: 6, estimate: 14 });
  progress.follow({ stage: "resampling", done: 0, total: 500 });
  expect(look()).toMatchObject({ phase: "evaluating", done: 0, total: 500, estimate: null });
  progress.at("done");
  expect(look()).toMatchObject({ phase: "done", estimate: 0 });
});
