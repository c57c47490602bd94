/** Shape functions in the report of an additive model: what they say of a sample, and that they draw. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { mergedNeighbours } from "./figures/merged-neighbours.ts";
import { elementsOf, expectInert, textOf } from "./testing/page-elements.ts";
import { REPORT_HTML, REPORT_JSON } from "./write-report.ts";

const X = "<x>";
const KIND = "datum['kind']";
const KINDS = ["<i>low</i>", "missing", '"high"'];
const ROWS = 300;

/** A step of x at 0.5 and of the kind; x with a hole in each tenth row; noise says nothing. */
function csv(): string {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const x = ((i * 37) % 101) / 101;
    const kind = (i * 7) % 3;
    const isMissing = i % 10 === 0;
    const y = (isMissing ? 5 : x > 0.5 ? 2 : -2) + kind + ((i * 61) % 89) / 890;
    return [isMissing ? "" : x, quoted(KINDS[kind]), (i * 53) % 97, y].join(",");
  });
  return [[X, KIND, "noise", "y"].map(quoted).join(","), ...lines].join("\n");
}

describe("of a run with gam alone", () => {
  let folder: string;
  let report: RunReport;
  let page: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "distillery-shapes-"));
    const path = join(folder, "data.csv");
    await writeFile(path, csv());
    await train(
      { path, format: "csv" },
      {
        task: { taskKind: "regression", labelColumn: "y" },
        hpoSpace: {
          models: [{ family: "gam", fixed: { n_estimators: 120, pairs: 1, pair_rounds: 20 } }],
        },
        metrics: ["rmse"],
        nTrials: 1,
        nCvSplits: 2,
      },
      { folder: join(folder, "run"), pool: sharedPool(2), name: "shapes" },
    );
    const read = (name: string): Promise<string> => readFile(join(folder, "run", name), "utf8");
    report = reportSchema.parse(JSON.parse(await read(REPORT_JSON)));
    page = await read(REPORT_HTML);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("says what each feature adds, the missing value apart", () => {
    const { terms = [], space, of, termsLeftOut } = report.shapes ?? {};
    expect({ space, of, termsLeftOut }).toEqual({ space: "identity", of: [], termsLeftOut: 0 });
    const x = terms.find(({ feature }) => feature === X);
    const steps = x?.steps ?? [];
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.at(-1)?.to).toBeNull();
    const ends = steps.slice(0, -1).map(({ to }) => to ?? Number.NaN);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    const meanOf = (isHigh: boolean): number => {
      const own = steps.filter(({ to }) => (to === null || to > 0.51) === isHigh);
      const weight = own.reduce((sum, each) => sum + each.weight, 0);
      return own.reduce((sum, each) => sum + each.weight * each.values[0], 0) / weight;
    };
    expect(meanOf(true) - meanOf(false)).toBeGreaterThan(3.4);
    // A tenth of all rows; of those that the bags of a fold drew, about as many.
    expect(Math.abs((x?.missing?.weight ?? 0) - 0.1)).toBeLessThan(0.06);
    expect(x?.missing?.values[0]).toBeGreaterThan(2);
    const shares = steps.reduce((sum, { weight }) => sum + weight, x?.missing?.weight ?? 0);
    expect(shares).toBeCloseTo(1, 3);
    const levels = terms.find(({ feature }) => feature === KIND)?.levels ?? [];
    expect(levels.map(({ name }) => name).sort()).toEqual([...KINDS].sort());
    const addedBy = (kind: string): number =>
      levels.find(({ name }) => name === kind)?.values[0] ?? Number.NaN;
    expect(addedBy(KINDS[2]) - addedBy(KINDS[0])).toBeGreaterThan(1.5);
    expect(terms.map(({ size }) => size)).toEqual(
      terms.map(({ size }) => size).sort((a, b) => b - a),
    );
  });

  test("draws them on the page, where no name can run", () => {
    expectInert(page);
    const found = elementsOf(page).find(({ attrs }) =>
      attrs.some(({ name, value }) => name === "id" && value === "shapes"),
    );
    const text = found ? textOf(found) : "";
    for (const word of ["Shape functions", X, KINDS[0], "(missing)"]) expect(text).toContain(word);
    const { terms = [], pairs = [] } = report.shapes ?? {};
    const section = page.slice(page.indexOf('id="shapes"'));
    const drawn = section.slice(0, section.indexOf("</section>")).match(/<figure /g) ?? [];
    expect(drawn).toHaveLength(terms.length + pairs.length);
  });
});

test("names each of two classes where the task answers both, and explains the commoner one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "distillery-shapes-"));
  try {
    const path = join(folder, "data.csv");
    const lines = Array.from({ length: 120 }, (_, i) => {
      const x = ((i * 37) % 101) / 101;
      return `${x},${(i * 53) % 97},${x > 0.4 ? "b" : "a"}`;
    });
    await writeFile(path, ["x,noise,y", ...lines].join("\n"));
    const fixed = { n_estimators: 60, pairs: 1, pair_rounds: 10 };
    await train(
      { path, format: "csv" },
      {
        task: { taskKind: "multiclass", labelColumn: "y" },
        hpoSpace: { models: [{ family: "gam", fixed }] },
        ...{ nTrials: 1, nCvSplits: 2 },
      },
      { folder: join(folder, "run"), pool: sharedPool(2) },
    );
    const text = await readFile(join(folder, "run", REPORT_JSON), "utf8");
    const { shapes, explanation } = reportSchema.parse(JSON.parse(text));
    expect(shapes?.of).toEqual(["a", "b"]);
    for (const pair of shapes?.pairs ?? []) expect(["a", "b"]).toContain(pair.of);
    expect(explanation?.of).toBe("b");
    const x = explanation?.columns.find(({ column }) => column === "x");
    const ofLarge = (x?.points ?? []).filter(({ value }) => (value ?? 0) > 0.9);
    expect(ofLarge.length).toBeGreaterThan(0);
    for (const { contribution } of ofLarge) expect(contribution).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("merges the neighbours that are most alike, by their weight", () => {
  const line = (weight: number, value: number) => ({ weights: [weight], values: [value] });
  const lines = [line(1, 0), line(1, 0.1), line(5, 4), line(0, 9), line(5, 5)];
  expect(mergedNeighbours(lines, 5)).toEqual([[0], [1], [2], [3], [4]]);
  expect(mergedNeighbours(lines, 3)).toEqual([[0, 1], [2, 3], [4]]);
  expect(mergedNeighbours(lines, 1)).toEqual([[0, 1, 2, 3, 4]]);
});
