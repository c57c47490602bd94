/** The report of a small run over sequences whose every name is hostile. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { type RunReport, reportSchema } from "./document.ts";
import { reportPage } from "./html/page.ts";
import type { SequencesSection } from "./sequence-document.ts";
import { elementsOf, expectInert, textOf } from "./testing/page-elements.ts";
import { REPORT_HTML, REPORT_JSON } from "./write-report.ts";

const LABEL = "<svg/onload=alert(1)>";
const ID = "</title><style>*{}</style>";
/** The first has a hump in its second half that tells the class; the other is noise. */
const CHANNELS = ['</script><img src=x onerror="alert(2)">', "datum.value"];
const CLASSES = ["<!--", "' onmouseover='alert(3)"];
const COUNT = 40;
const STEPS = 24;

function csv(): string {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const lines = Array.from({ length: COUNT }, (_, s) =>
    Array.from({ length: STEPS }, (_each, t) => {
      const noise = (((s * 7919 + t * 104_729) % 101) / 101 - 0.5) * 0.4;
      const hump = s % 2 === 1 && t >= 12 ? Math.sin(((t - 12) * Math.PI) / 3) : 0;
      const other = ((s * 31 + t * 17) % 13) / 13;
      return [`s${s}`, t, hump + noise, other, s % 4, quoted(CLASSES[s % 2])].join(",");
    }),
  ).flat();
  return [[ID, "t", ...CHANNELS, "place", LABEL].map(quoted).join(","), ...lines].join("\n");
}

let folder: string;
let report: RunReport;
let sequences: SequencesSection;
let page: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-sequence-report-"));
  const path = join(folder, "data.csv");
  await writeFile(path, csv());
  await train(
    { path, format: "csv" },
    {
      task: {
        taskKind: "sequence_binclass",
        labelColumn: LABEL,
        sequenceColumn: ID,
        orderColumn: "t",
      },
      hpoSpace: { models: [{ family: "minirocket", fixed: { features: 1000 } }] },
      nTrials: 1,
      nCvSplits: 2,
    },
    { folder: join(folder, "run"), pool: sharedPool(2) },
  );
  const read = (name: string): Promise<string> => readFile(join(folder, "run", name), "utf8");
  report = reportSchema.parse(JSON.parse(await read(REPORT_JSON)));
  page = await read(REPORT_HTML);
  if (!report.sequences) throw new Error("The report has no sequences.");
  sequences = report.sequences;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe("as data", () => {
  test("explains one sequence of each class, whose stretches add up to its prediction", () => {
    const { typical, space } = sequences;
    expect(space).toBe("probability");
    expect(typical.map(({ of }) => of).sort()).toEqual([...CLASSES].sort());
    for (const { row, of, base, prediction, segments, channels, steps, heldOut } of typical) {
      expect(CLASSES[row % 2]).toBe(of);
      expect(steps).toBe(STEPS);
      expect(base + sum(segments.map(({ contribution }) => contribution))).toBeCloseTo(
        prediction,
        9,
      );
      for (const probability of [base, prediction, heldOut]) {
        expect(probability).toBeGreaterThanOrEqual(0);
        expect(probability).toBeLessThanOrEqual(1);
      }
      expect(prediction).toBeGreaterThan(0.5);
      expect(channels[0].points.map(([step]) => step)).toEqual([...Array(STEPS).keys()]);
    }
  });

  test("finds the stretch of the channel that tells the classes apart", () => {
    const hump = sequences.typical.find(({ row }) => row % 2 === 1);
    expect(hump?.channels[0].column).toBe(CHANNELS[0]);
    const late =
      hump?.segments.filter(({ column, end }) => column === CHANNELS[0] && end > 12) ?? [];
    const rest = hump?.segments.filter((each) => !late.includes(each)) ?? [];
    const added = (of: typeof late): number => sum(of.map(({ contribution }) => contribution));
    expect(added(late)).toBeGreaterThan(2 * Math.abs(added(rest)));
    const most = sequences.sizes.reduce((a, b) => (b.size > a.size ? b : a));
    expect(most.column).toBe(CHANNELS[0]);
  });

  test("has all that classes of rows have, and the channels among the data", () => {
    expect(report.confusion?.labels).toHaveLength(2);
    expect(report.thresholdCurves).toHaveLength(1);
    expect(report.reliability?.bins.length).toBeGreaterThan(1);
    expect(report.uncertainty).toBeDefined();
    expect(report.forecasts).toBeUndefined();
    expect(report.predicting?.rows).toBe(COUNT);
    const channels = report.data.columns.filter(({ values }) => values === COUNT * STEPS);
    expect(channels.map(({ name }) => name)).toEqual(CHANNELS);
    expect(channels[0].numbers?.max).toBeGreaterThan(0.9);
    expect(report.models[0].refitted).toBe(true);
  });
});

describe("as a page", () => {
  test("runs nothing that a channel or a class is called", () => {
    expectInert(page);
    expect(page.includes(CHANNELS[0])).toBe(false);
  });

  test("draws the sequences in words of sequences", () => {
    const words = elementsOf(page).map(textOf).join(" ");
    expect(words).toContain("A typical sequence of class <!--");
    expect(words).toContain("When it is decided");
    expect(words).toContain(`${COUNT} sequences`);
    expect(words).not.toMatch(/Every row/);
  });

  test.each([
    [true, "Weights of the trials, each fitted once more on all of the data, in the average"],
    [false, "Weights of the trials&#39; fold models in the average that predicts."],
  ])("says of a blend whether its members are fitted once more: %s", async (refitted, words) => {
    const [model] = report.models;
    const [member] = model.members;
    const blend = { ...model, refitted, members: [member, { ...member, trial: 1 }] };
    expect(await reportPage({ ...report, models: [blend] })).toContain(words);
  });

  test("is drawn of values, of one step, and of channels without any value", async () => {
    const [first] = sequences.typical;
    const drawn = await reportPage({
      ...report,
      sequences: {
        ...sequences,
        space: "identity",
        typical: [
          {
            ...first,
            of: null,
            actual: 3,
            steps: 1,
            exact: true,
            channels: [{ column: "x", points: [[0, null]] }],
            segments: [{ column: "x", start: 0, end: 1, contribution: 0, error: 0 }],
          },
        ],
      },
    });
    expectInert(drawn);
    expect(drawn).toContain("No stretch changes it.");
  });
});
