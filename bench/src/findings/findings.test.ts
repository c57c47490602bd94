import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Findings, geometricMean } from "./findings.ts";
import { History, type Measured } from "./history.ts";
import { summaryMarkdown, summaryText } from "./summary.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-findings-"));
afterAll(() => rmSync(folder, { recursive: true }));

const measured: Measured = {
  machine: {
    ...{ processor: "A CPU", threads: 2, memoryBytes: 8 * 2 ** 30 },
    ...{ system: "linux x64", node: "v24.0.0" },
  },
  ...{ quick: false, date: "2026-01-02T03:04:05.000Z", commit: "0123456789" },
};

/** One comparison whose ratio is so much. */
function fit(ratio: number): Findings {
  const findings = new Findings("part");
  const shared = { what: "a fit", unit: "s", better: "smaller", against: "another" } as const;
  findings.compare({ ...shared, ours: 2, theirs: 2 * ratio });
  return findings;
}

describe("a finding", () => {
  it("has a ratio above 1 where ours is better, whichever way its unit counts", () => {
    const findings = new Findings("part");
    const shared = { what: "work", against: "another", ours: 2, theirs: 8 } as const;
    findings.compare({ ...shared, unit: "s", better: "smaller" });
    findings.compare({ ...shared, unit: "rows/s", better: "larger" });
    expect(findings.all.map(({ ratio }) => ratio)).toEqual([4, 0.25]);
  });

  it("is none without both figures", () => {
    const findings = fit(Number.NaN);
    findings.note("alone", "ms", Number.NaN);
    expect(findings.all).toEqual([]);
    findings.note("alone", "ms", 3);
    expect(findings.all).toMatchObject([{ ours: 3, against: null, ratio: null }]);
  });

  it("of several data sets is their geometric mean", () => {
    expect(geometricMean([0.5, 2, 8])).toBeCloseTo(2, 12);
  });
});

describe("the history", () => {
  it("marks what fell by more than a tenth, on the same machine and at the same size", () => {
    const path = join(folder, "deep", "history.jsonl");
    new History(path).add(measured, fit(2).all);
    const changeTo = (ratio: number, where: Partial<Measured> = {}) =>
      new History(path).changeOf({ ...measured, ...where }, fit(ratio).all[0]);
    expect(changeTo(1.81)).toEqual({ last: 2, worse: false });
    expect(changeTo(1.79)).toEqual({ last: 2, worse: true });
    expect(changeTo(1.79, { quick: true })).toBeNull();
    expect(changeTo(1.79, { machine: { ...measured.machine, threads: 4 } })).toBeNull();
    new History(path).add({ ...measured, commit: null }, fit(1.7).all);
    expect(changeTo(1.6)).toEqual({ last: 1.7, worse: false });
  });

  it("keeps no figure that stands alone", () => {
    const path = join(folder, "alone.jsonl");
    const findings = fit(3);
    findings.note("alone", "ms", 3);
    new History(path).add(measured, findings.all);
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(1);
  });

  it("says which line is none of its own", () => {
    const path = join(folder, "damaged.jsonl");
    new History(path).add(measured, fit(2).all);
    writeFileSync(path, `${readFileSync(path, "utf8")}{"what":\n`);
    expect(() => new History(path)).toThrow(/damaged\.jsonl, line 2,/);
  });
});

describe("the summary", () => {
  it("names the machine, the commit and the day, and marks what became worse", () => {
    const path = join(folder, "summary.jsonl");
    new History(path).add(measured, fit(4).all);
    const text = summaryText(fit(2).all, measured, new History(path));
    expect(text).toContain(
      "A CPU, 2 threads, 8 GiB, linux x64, Node 24.0.0, 0123456789, 2026-01-02",
    );
    expect(text).toMatch(/part: a fit +2\.000 +s +another +4\.000 +2\.00 +4\.00 WORSE/);
    const markdown = summaryMarkdown(fit(2).all, measured, new History(path));
    expect(markdown).toContain("| part: a fit | 2.000 | s | another | 4.000 | 2.00 | 4.00 WORSE |");
  });

  it("is empty where nothing was compared", () => {
    expect(summaryText([], measured, new History(join(folder, "none")))).toBe("");
  });
});
