import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bestAfter, ResultFile, ranksOf, type SearchResult, summarise } from "./search-results.ts";

const folder = mkdtempSync(join(tmpdir(), "search-results-"));
afterAll(() => rmSync(folder, { recursive: true }));

const result = (strategy: string, problem: string, losses: (number | null)[]): SearchResult => ({
  key: `${strategy} ${problem}`,
  problem,
  strategy,
  seed: 0,
  losses,
});

test("best loss so far, failures aside", () => {
  expect(bestAfter([null, 3, 5, 1], 3)).toBe(3);
  expect(bestAfter([null, 3, 5, 1], 4)).toBe(1);
  expect(bestAfter([null, null], 2)).toBe(Number.POSITIVE_INFINITY);
});

test("equal values share the mean of their ranks", () => {
  expect(ranksOf([0.5, 0.1, 0.5, 0.9])).toEqual([2.5, 1, 2.5, 4]);
});

describe("summarise", () => {
  const results = [
    result("a", "p", [3, 1]),
    result("b", "p", [2, 2]),
    result("a", "q", [5, null]),
    result("b", "q", [5, 4]),
    result("a", "only a", [9, 9]),
  ];

  test("compares on problems that every strategy has searched", () => {
    expect(summarise(results, ["a", "b"], 1)).toEqual([
      { strategy: "a", meanRank: 1.75, losesToFirst: 0, tiesWithFirst: 1 },
      { strategy: "b", meanRank: 1.25, losesToFirst: 0, tiesWithFirst: 0.5 },
    ]);
    expect(summarise(results, ["a", "b"], 2).map(({ meanRank }) => meanRank)).toEqual([1.5, 1.5]);
  });
});

test("a file gives back what was added, also to another process, if it is long enough", () => {
  const path = join(folder, "deep", "results.jsonl");
  const file = new ResultFile(path);
  const added = result("a", "p", [1, null, 0.25]);
  file.add(added);
  for (const each of [file, new ResultFile(path)]) {
    expect(each.get(added.key, 3)).toEqual(added);
    expect(each.get(added.key, 4)).toBeUndefined();
    expect(each.get("other", 1)).toBeUndefined();
  }
});
