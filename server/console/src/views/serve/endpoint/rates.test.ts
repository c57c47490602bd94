import { expect, it } from "vitest";
import { ratesOf, type Sample, withSample } from "./rates.ts";

it("tells requests a second between samples", () => {
  const samples: Sample[] = [
    { at: 0, requests: 10, errors: 0 },
    { at: 2_000, requests: 16, errors: 1 },
    { at: 2_000, requests: 17, errors: 1 },
    { at: 4_000, requests: 17, errors: 1 },
  ];
  expect(ratesOf(samples)).toEqual([
    { at: 2_000, requests: 3, errors: 0.5 },
    { at: 4_000, requests: 0, errors: 0 },
  ]);
});

it("begins anew where another process counts, and keeps no more than it draws", () => {
  let samples: readonly Sample[] = [];
  for (let at = 0; at < 300; at++) samples = withSample(samples, { at, requests: at, errors: 0 });
  expect(samples).toHaveLength(120);
  expect(samples.at(-1)?.at).toBe(299);
  expect(withSample(samples, { at: 300, requests: 2, errors: 0 })).toEqual([
    { at: 300, requests: 2, errors: 0 },
  ]);
});
