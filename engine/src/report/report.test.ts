/** The report of a small run whose every name is hostile, as data and as a page. */

import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultTreeAdapter } from "parse5";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { FolderRunStore } from "../trainer/log/store.ts";
import { selectionArtifact, unpackPredictions } from "../trainer/pool-tasks/fold-artifact.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { reportPage } from "./html/page.ts";
import { historyOf } from "./html/sections/search.ts";
import { type Element, elementsOf, expectInert } from "./testing/page-elements.ts";
import { REPORT_HTML, REPORT_JSON } from "./write-report.ts";

const LABEL = "<svg/onload=alert(1)>";
const IMAGE = '</script><img src=x onerror="alert(2)">';
const COLUMNS = [IMAGE, "a\"b'c&d", "=1+1|{{x}}", "datum.x", "</title><style>*{}</style>"];
const CLASSES = ["</table><script>alert(3)</script>", "<!--", "ok & well"];
const NAME = "<b>a run</b>";
const ROWS = 240;

function hostileCsv(): string {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const x = ((i * 37) % 101) / 101;
    const y = ((i * 61) % 89) / 89;
    const kind = ["<i>x</i>", "y&amp;", '"z"'][i % 3];
    const label = CLASSES[Math.min(2, Math.floor(3 * (0.7 * x + 0.3 * y)))];
    return [x, y, quoted(kind), i % 7 === 0 ? "" : i % 5, i % 2 === 0, quoted(label)].join(",");
  });
  return [[...COLUMNS, LABEL].map(quoted).join(","), ...lines].join("\n");
}

let folder: string;
let report: RunReport;
let page: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-report-"));
  const path = join(folder, "data.csv");
  await writeFile(path, hostileCsv());
  await train(
    { path, format: "csv" },
    {
      task: { taskKind: "multiclass", labelColumn: LABEL },
      hpoSpace: {
        models: [{ family: "gbdt", fixed: { n_estimators: 15 } }, { family: "linear" }],
      },
      metrics: ["log_loss", "accuracy"],
      nTrials: 3,
      nCvSplits: 2,
    },
    { folder: join(folder, "run"), pool: sharedPool(2), name: NAME },
  );
  const read = (name: string): Promise<string> => readFile(join(folder, "run", name), "utf8");
  report = reportSchema.parse(JSON.parse(await read(REPORT_JSON)));
  page = await read(REPORT_HTML);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value;

describe("as data", () => {
  test("knows the run as it was", () => {
    expect(report).toMatchObject({
      name: NAME,
      run: { task: "multiclass", label: LABEL, rows: ROWS, folds: 2, trials: { planned: 6 } },
      data: { rows: ROWS, profiledRows: ROWS, columnsLeftOut: 0 },
    });
    expect([...report.run.classes].sort()).toEqual([...CLASSES].sort());
    const names = report.data.columns.map(({ name }) => name);
    expect(names[0]).toBe(LABEL);
    expect([...names.slice(1)].sort()).toEqual([...COLUMNS].sort());
    expect(report.data.columns.find(({ name }) => name === "datum.x")?.missing).toBe(35);
  });

  test("orders finished trials by the first metric, and its history only falls", () => {
    const loss = (number: number): number =>
      report.trials.find((trial) => trial.number === number)?.scores?.["log_loss"] ?? Number.NaN;
    const losses = report.leaderboard.map(loss);
    expect(losses).toEqual([...losses].sort((a, b) => a - b));
    const best = historyOf(report).flatMap((trial) => trial.best ?? []);
    expect(best).toEqual([...best].sort((a, b) => b - a));
    expect(best.at(-1)).toBe(losses[0]);
  });

  test("counts what the out-of-fold predictions say", async () => {
    const store = new FolderRunStore(join(folder, "run"));
    const name = selectionArtifact(0);
    const predictions = unpackPredictions(await store.getArtifact(name), name);
    const said = new Array<number>(3).fill(0);
    for (let row = 0; row < ROWS; row++) {
      const own = [...predictions.subarray(3 * row, 3 * row + 3)];
      said[own.indexOf(Math.max(...own))]++;
    }
    const { cells, accuracy } = report.confusion ?? { cells: [], accuracy: Number.NaN };
    const columns = [0, 1, 2].map((k) => cells[k] + cells[3 + k] + cells[6 + k]);
    expect(columns).toEqual(said);
    expect(accuracy).toBeCloseTo(report.models[0].scores["accuracy"] ?? Number.NaN, 12);
    const bins = report.reliability?.bins ?? [];
    expect(bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(ROWS);
  });

  test("shows curves of gbdt alone, and contributions of the columns that matter", () => {
    const families = new Set(report.learningCurves?.map(({ family }) => family));
    expect([...families]).toEqual(["gbdt"]);
    const sizes = report.explanation?.columns.map(({ size }) => size) ?? [];
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(report.explanation?.columns[0].column).toBe(IMAGE);
  });

  test("shows how the probabilities of the classes change with the columns that matter", () => {
    const { dependence } = report;
    expect(dependence?.of).toEqual(report.run.classes);
    expect(dependence?.columns[0].column).toBe(IMAGE);
    for (const { points, levels, missing } of dependence?.columns ?? []) {
      const said = [...(points ?? levels ?? []), ...(missing ? [missing] : [])];
      expect(said.length).toBeGreaterThan(1);
      for (const { mean } of said) {
        expect(mean.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 3);
      }
      expect(said.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 3);
    }
  });

  test("leaves out what there is nothing of", () => {
    expect(report.gains).toBeUndefined();
    expect(report.thresholds).toBeUndefined();
    expect(report.residuals).toBeUndefined();
    expect(report.pareto).toBeUndefined();
    expect(report.distillation).toBeUndefined();
    // Three trials of a family are too few.
    expect(report.parameterImportance).toBeUndefined();
  });
});

describe("as a page", () => {
  test("is well-formed HTML in which nothing can run or load", () => {
    expectInert(page);
    expect(page.includes(IMAGE)).toBe(false);
  });

  test("allows its own style sheet and nothing else", () => {
    const elements = elementsOf(page);
    const styles = elements.filter(({ tagName }) => tagName === "style");
    expect(styles).toHaveLength(1);
    const [sheet] = styles[0].childNodes;
    const css = "value" in sheet ? sheet.value : "";
    const policy = elements
      .filter((element) => attribute(element, "http-equiv") === "Content-Security-Policy")
      .map((element) => attribute(element, "content"));
    const hash = createHash("sha256").update(css).digest("base64");
    expect(policy).toEqual([expect.stringContaining(`style-src 'sha256-${hash}'`)]);
    expect(policy[0]).toContain("default-src 'none'");
  });

  test("can be read without seeing it", () => {
    const elements = elementsOf(page);
    const html = elements.find(({ tagName }) => tagName === "html");
    expect(html && attribute(html, "lang")).toBe("en");
    expect(elements.filter(({ tagName }) => tagName === "h1")).toHaveLength(1);
    const ids = elements.flatMap((element) => attribute(element, "id") ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const element of elements) {
      const href = element.tagName === "a" ? attribute(element, "href") : undefined;
      if (href !== undefined) expect(ids).toContain(href.slice(1));
      if (element.tagName === "svg") expect(attribute(element, "aria-hidden")).toBe("true");
      if (element.tagName !== "figure") continue;
      expect(countInside(element, "figcaption")).toBe(1);
      expect(countInside(element, "h3")).toBe(1);
      expect(countInside(element, "p")).toBeGreaterThan(0);
    }
    for (const table of elements.filter(({ tagName }) => tagName === "table")) {
      expect(countInside(table, "caption")).toBe(1);
      expect(countInside(table, "th")).toBeGreaterThan(0);
    }
  });

  test("stays small, whatever was trained", async () => {
    expect(page.length).toBeLessThan(600_000);
    const [trial] = report.trials;
    const [column] = report.data.columns;
    const many: RunReport = {
      ...report,
      trials: Array.from({ length: 1200 }, (_, number) => ({ ...trial, number })),
      leaderboard: Array.from({ length: 1200 }, (_, number) => number),
      data: {
        ...report.data,
        columns: Array.from({ length: 500 }, (_, i) => ({ ...column, name: `${IMAGE} ${i}` })),
      },
    };
    expect(JSON.stringify(many).length).toBeLessThan(2_000_000);
    const large = await reportPage(many);
    expect(large.length).toBeLessThan(2_000_000);
    elementsOf(large);
  });
});

function countInside(element: Element, tag: string): number {
  return element.childNodes.reduce((count, node) => {
    if (!defaultTreeAdapter.isElementNode(node)) return count;
    return count + (node.tagName === tag ? 1 : 0) + countInside(node, tag);
  }, 0);
}
