/** The report of a small run over series whose every name is hostile. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPool } from "../testing/shared-pools.ts";
import { train } from "../train.ts";
import { type RunReport, reportSchema } from "./document.ts";
import type { ForecastsSection } from "./forecast-document.ts";
import { reportPage } from "./html/page.ts";
import { elementsOf, expectInert, textOf } from "./testing/page-elements.ts";
import { REPORT_HTML, REPORT_JSON } from "./write-report.ts";

const DAY = 86_400_000;
const START = Date.UTC(2031, 0, 6);
const DAYS = 70;
const HORIZON = 7;
const LABEL = "<svg/onload=alert(1)>";
const SHOP = "</title><style>*{}</style>";
/** The first is noise, and so the hardest; the last has none. */
const SHOPS = [
  '</script><img src=x onerror="alert(2)">',
  "datum.value",
  "<!--",
  "=1+1|{{x}}",
  "ok & well",
  "' onmouseover='alert(3)",
];
/** Monday first, which 6 January 2031 is. */
const WEEK = [0, 2, 5, 3, 1, -4, -6];

const dayOf = (day: number): string => new Date(START + day * DAY).toISOString().slice(0, 10);

function soldOn(shop: number, day: number): number {
  const noise = ((day * 7919 + shop * 104_729) % 101) / 101 - 0.5;
  return 50 + 0.1 * day + WEEK[day % 7] + (shop === 0 ? 60 : 1.5 - 0.3 * shop) * noise;
}

function csv(shops: readonly string[]): string {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const lines = shops.flatMap((name, shop) =>
    Array.from({ length: DAYS }, (_, day) =>
      [quoted(name), dayOf(day), soldOn(shop, day), Number(day % 7 > 4)].join(","),
    ),
  );
  return [[SHOP, "day", LABEL, "weekend"].map(quoted).join(","), ...lines].join("\n");
}

let folder: string;
let report: RunReport;
let forecasts: ForecastsSection;
let page: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-forecast-report-"));
  const path = join(folder, "data.csv");
  await writeFile(path, csv(SHOPS));
  await train(
    { path, format: "csv" },
    {
      task: {
        taskKind: "forecasting",
        labelColumn: LABEL,
        timeColumn: "day",
        seriesColumns: [SHOP],
        knownColumns: ["weekend"],
        horizon: HORIZON,
      },
      modelFamilies: ["seasonal_naive", "theta"],
      nTrials: 1,
    },
    { folder: join(folder, "run"), pool: sharedPool(2) },
  );
  const read = (name: string): Promise<string> => readFile(join(folder, "run", name), "utf8");
  report = reportSchema.parse(JSON.parse(await read(REPORT_JSON)));
  page = await read(REPORT_HTML);
  if (!report.forecasts) throw new Error("The report has no forecasts.");
  forecasts = report.forecasts;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe("as data", () => {
  test("draws the hardest series, one in the middle and the easiest, each with what comes next", () => {
    const { shown } = forecasts;
    expect(shown.map(({ rank }) => rank)).toEqual(["hardest", "median", "easiest"]);
    expect(shown[0].name).toBe(SHOPS[0]);
    expect(shown[0].mae).toBeGreaterThan(shown[2].mae);
    const sizes = shown.map(({ mase }) => mase);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    for (const { name, history, backtest, forecast } of shown) {
      const shop = SHOPS.indexOf(name);
      expect(history.at(-1)).toEqual([
        `${dayOf(DAYS - 1)}T00:00:00.000Z`,
        expect.closeTo(soldOn(shop, DAYS - 1), 9),
      ]);
      expect(backtest.map((points) => points.length)).toEqual([HORIZON, HORIZON, HORIZON]);
      const times = forecast.map(({ time }) => String(time).slice(0, 10));
      expect(times).toEqual(Array.from({ length: HORIZON }, (_, h) => dayOf(DAYS + h)));
      for (const { value, ranges } of forecast) {
        expect(ranges.map(({ coverage }) => coverage)).toEqual([0.5, 0.8, 0.95]);
        let [low, high] = [value, value];
        for (const range of ranges) {
          expect(range.low).toBeLessThanOrEqual(low);
          expect(range.high).toBeGreaterThanOrEqual(high);
          ({ low, high } = range);
        }
      }
    }
    expect(forecasts.knownAhead).toEqual(["weekend"]);
  });

  test("says what each window learned from and forecast", () => {
    const { windows, endsDiffer } = forecasts;
    const days = windows.map(({ learned, tested }) =>
      [learned.from, learned.to, tested.from, tested.to].map((time) => String(time).slice(0, 10)),
    );
    expect(days).toEqual(
      [3, 2, 1].map((back) => {
        const origin = DAYS - back * HORIZON;
        return [0, origin - 1, origin, origin + HORIZON - 1].map(dayOf);
      }),
    );
    expect(windows.map(({ series }) => series)).toEqual([6, 6, 6]);
    expect(endsDiffer).toBe(false);
  });

  test("tells errors by step and by series, which are the same errors", () => {
    const { bySteps, bySeries, windows } = forecasts;
    expect(bySteps.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: HORIZON }, (_, h) => [h + 1, h + 1]),
    );
    const total = 3 * HORIZON * SHOPS.length;
    const pooled = (parts: readonly { mae: number; count: number }[]): number =>
      sum(parts.map(({ mae, count }) => mae * count)) / total;
    for (const parts of [bySteps, windows, bySeries?.hardest ?? []]) {
      expect(sum(parts.map(({ count }) => count))).toBe(total);
      expect(pooled(parts)).toBeCloseTo(pooled(bySteps), 9);
    }
    expect(report.models[0].scores["mase"]).toBeCloseTo(
      sum(bySteps.map(({ mase }) => mase)) / HORIZON,
      9,
    );
    expect(bySeries?.hardest[0].name).toBe(SHOPS[0]);
    expect(sum(bySeries?.counts ?? []) + (bySeries?.beyond ?? 0)).toBe(SHOPS.length);
    expect(forecasts.autocorrelation?.count).toBe(total);
  });

  test("knows the week by its days", () => {
    const [week] = forecasts.seasons;
    expect(week).toMatchObject({ length: 7, relative: true });
    const names = week.places.map(({ name }) => name);
    expect(names).toEqual(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
    const means = week.places.map(({ mean }) => mean);
    expect(names[means.indexOf(Math.max(...means))]).toBe("Wed");
    expect(names[means.indexOf(Math.min(...means))]).toBe("Sun");
  });

  test("has neither classes nor rows of a table", () => {
    expect(report.confusion).toBeUndefined();
    expect(report.explanation).toBeUndefined();
    expect(report.residuals).toBeDefined();
    expect(report.models[0].refitted).toBe(true);
  });
});

describe("as a page", () => {
  test("runs nothing that a series is called", () => {
    expectInert(page);
    expect(page.includes(SHOPS[0])).toBe(false);
  });

  test("has a chart and its numbers for each of them, in words of series", () => {
    const section = elementsOf(page).find(({ attrs }) =>
      attrs.some(({ name, value }) => name === "id" && value === "forecasts"),
    );
    const figures = elementsOf(page).filter(({ tagName }) => tagName === "figure");
    const titles = figures.map((figure) =>
      textOf(figure.childNodes[0]).replaceAll(/\s+/g, " ").slice(0, 60),
    );
    for (const title of [
      "The hardest series: </script>",
      "A series in the middle",
      "The easiest series",
      "The season of 7 steps",
      "How the forecasts were tested",
      "Errors by how far ahead",
      "Errors by series",
      "What errors have left",
      "The best trials, window by window",
    ]) {
      expect(
        titles.some((each) => each.startsWith(title)),
        title,
      ).toBe(true);
    }
    expect(section && textOf(section)).toContain("7 steps of 1 day ahead, of 6 series.");
    const words = elementsOf(page).map(textOf).join(" ");
    expect(words).toContain("each fitted once more on all of the data");
    expect(words).not.toMatch(/fold models/);
    expect(words).toContain("420 steps of 6 series");
  });

  test("is drawn of a single series, of numbered steps and without ranges too", async () => {
    const [first] = forecasts.shown;
    const bare: RunReport = {
      ...report,
      forecasts: {
        ...forecasts,
        isTime: false,
        series: 1,
        shown: [
          {
            ...first,
            name: "",
            rank: "only",
            history: first.history.map(([, value], i) => [i, i === 3 ? null : value]),
            backtest: [],
            forecast: first.forecast.map(({ value }, i) => ({ time: 70 + i, value, ranges: [] })),
          },
        ],
        windows: forecasts.windows.map((window, i) => ({
          ...window,
          learned: { from: 0, to: 40 + i },
          tested: { from: 41 + i, to: 48 + i },
        })),
        seasons: [],
      },
    };
    delete bare.forecasts?.bySeries;
    delete bare.forecasts?.autocorrelation;
    const drawn = await reportPage(bare);
    expectInert(drawn);
    expect(drawn).toContain("The forecast</h3>");
  });
});
