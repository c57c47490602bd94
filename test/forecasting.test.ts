/** Forecasts over HTTP: asked for, trained, read, predicted, explained; and what is wrong with series. */

import { createClient } from "@distillery/client";
import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const DAY = 24 * 3600 * 1000;
const START = Date.UTC(2031, 0, 6);
const dayOf = (index: number): string => new Date(START + index * DAY).toISOString().slice(0, 10);
const WEEK = [0, 2, 5, 3, 1, -4, -6];
/** A week's pattern on a slow rise. */
const sold = (shop: number, day: number): number =>
  50 * (shop + 1) + 0.1 * day + WEEK[day % 7] + (((day * 37 + shop * 11) % 13) - 6) / 10;
const DAYS = 70;
const SHOPS = ["north", "south", "west"];

const series = (days = DAYS): string[] =>
  SHOPS.flatMap((name, shop) =>
    Array.from(
      { length: days },
      (_, day) => `${name},${dayOf(day)},${sold(shop, day)},${Number(day % 7 > 4)},${100 * shop}`,
    ),
  );
const csvOf = (lines: readonly string[]): string =>
  ["shop,day,sold,weekend,size", ...lines].join("\n");

const TASK = {
  task_kind: "forecasting",
  label_column: "sold",
  time_column: "day",
  series_columns: ["shop"],
  horizon: 7,
};
const FAST = { model_families: ["seasonal_naive", "theta"], n_trials: 1, n_cv_splits: 2 };

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

interface Forecast {
  readonly series: Readonly<Record<string, string>>;
  readonly time: string;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly quantiles: Readonly<Record<string, number>> | null;
}

interface Answer {
  readonly predictions: readonly Forecast[];
  readonly warnings: readonly string[];
}

let server: SharedServer;
let dataset: string;
let model: string;
beforeAll(async () => {
  server = await SharedServer.join();
  // The rows of a day beside each other, the last day first: their order is not told by the file.
  const lines = series().sort((a, b) => (a.split(",")[1] < b.split(",")[1] ? 1 : -1));
  dataset = await server.uploadCsv("sales", csvOf(lines));
  const job = await awaitJob(
    server,
    await startRun(server, { dataset_id: dataset, task: TASK, ...FAST }),
  );
  expect(job.error_message).toBe("");
  model = job.model_id;
});

const postJson = (path: string, body: unknown): Promise<Response> =>
  server.request("POST", path, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const predict = (body: unknown, id = model): Promise<Answer> =>
  server.post<Answer>(`/v1/models/${id}/predict`, body);

async function faultOf(response: Promise<Response>): Promise<Fault> {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(422);
  const [fault] = (JSON.parse(text) as { detail: Fault[] }).detail;
  return fault;
}
const faultOfPredict = (body: unknown, id = model): Promise<Fault> =>
  faultOf(postJson(`/v1/models/${id}/predict`, body));

async function datasetOf(lines: readonly string[]): Promise<string> {
  return server.uploadCsv("series", csvOf(lines));
}

async function faultOfRun(lines: readonly string[], more: object = {}): Promise<Fault> {
  const task = { ...TASK, ...more };
  return faultOf(
    postJson("/v1/trainer/run", { dataset_id: await datasetOf(lines), task, ...FAST }),
  );
}

describe("a run", () => {
  it("shows its windows, scores and columns", async () => {
    const shown = await server.get<{
      card: { metrics: string[]; scores: Record<string, number>; splitter: string };
    }>(`/v1/models/${model}`);
    expect(JSON.stringify(shown)).toMatch(/2 windows of 7 steps/);
    expect(shown.card.metrics).toEqual(["mase"]);
    const { training_jobs: jobs } = await server.get<{
      training_jobs: { id: string; result_uri: string; config: { task: object } }[];
    }>("/v1/training_jobs?limit=1");
    expect(jobs[0].config.task).toEqual(TASK);
    const { metrics } = await server.get<{ metrics: { scores: { mase: number } } }>(
      `/v1/jobs/${jobs[0].id}/metrics`,
    );
    expect(metrics.scores.mase).toBeLessThan(1.5);
    const report = await fetch(jobs[0].result_uri);
    expect(report.status).toBe(200);
    const files = await downloadModel(server, model);
    expect([...files.keys()]).toContain("model.json");
  });
});

interface SeriesReport {
  readonly forecasts: { readonly windows: readonly object[] };
  readonly seriesScores: {
    readonly series: readonly {
      readonly name: string;
      readonly count: number;
      readonly scores: Readonly<Record<string, number>>;
    }[];
  };
}

async function reportOf(uri: string): Promise<SeriesReport> {
  const answer = await fetch(uri, { headers: { accept: "application/json" } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as SeriesReport;
}

describe("scores of quantiles and intervals", () => {
  it("are optimised, told beside others, and told of each series", async () => {
    const metrics = ["wql", "msis", "coverage"];
    const job = await awaitJob(
      server,
      await startRun(server, { dataset_id: dataset, task: TASK, ...FAST, metrics, coverage: 0.8 }),
    );
    expect(job.error_message).toBe("");
    const { card } = await server.get<{
      card: { scores: Record<string, number>; uncertainty: { measured: number } };
    }>(`/v1/models/${job.model_id}`);
    expect(card.scores["wql"]).toBeLessThan(0.05);
    expect(card.scores["msis"]).toBeLessThan(5);
    // What the card measures of the intervals of 80 %, window by window.
    expect(Math.abs(card.scores["coverage"] - card.uncertainty.measured)).toBeLessThan(0.05);
    const { seriesScores } = await reportOf(job.result_uri);
    expect(seriesScores.series.map(({ name }) => name).sort()).toEqual(SHOPS);
    const msis = seriesScores.series.map(({ scores, count }) => [scores["msis"], count]);
    const mean = msis.reduce((sum, [score, count]) => sum + score * count, 0) / (3 * 2 * 7);
    expect(mean).toBeCloseTo(card.scores["msis"], 8);
  });

  it("weigh series by the weight column", async () => {
    const heavy = series().map((line) => `${line},${line.startsWith("west") ? 1 : 0.001}`);
    const id = await server.uploadCsv(
      "weighted",
      ["shop,day,sold,weekend,size,importance", ...heavy].join("\n"),
    );
    const task = { ...TASK, weight_column: "importance" };
    const job = await awaitJob(server, await startRun(server, { dataset_id: id, task, ...FAST }));
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { scores: { mase: number } } }>(
      `/v1/models/${job.model_id}`,
    );
    const { seriesScores } = await reportOf(job.result_uri);
    const west = seriesScores.series.find(({ name }) => name === "west");
    expect(Math.abs((west?.scores["mase"] ?? 0) / card.scores.mase - 1)).toBeLessThan(0.01);
  });

  it.each([
    [{ metrics: ["coverage"] }, ["metrics", 0], /coverage_error/],
    [{ metrics: ["mase", "coverage"], grid_size: 2 }, ["metrics", 1], /coverage_error/],
  ])("are refused where they cannot be optimised: %j", async (more, loc, message) => {
    const fault = await faultOf(
      postJson("/v1/trainer/run", { dataset_id: dataset, task: TASK, ...FAST, ...more }),
    );
    expect(fault.loc).toEqual(["body", ...loc]);
    expect(fault.msg).toMatch(message);
  });

  it("are had of several windows of a fit, of which each has one forecast", async () => {
    const one = series().filter((line) => line.startsWith("north"));
    const job = await awaitJob(
      server,
      await startRun(server, {
        dataset_id: await datasetOf(one),
        task: { ...TASK, horizon: 1 },
        ...FAST,
        metrics: ["mase", "wql"],
      }),
    );
    expect(job.error_message).toBe("");
    const { card } = await server.get<{
      card: { scores: { wql: number }; splitter: string; config: { nCvSplits: number } };
    }>(`/v1/models/${job.model_id}`);
    expect(card.splitter).toBe("16 windows of 1 step (1 day each), rolling origin, 2 fits");
    expect(card.scores.wql).toBeGreaterThan(0);
    const { forecasts } = await reportOf(job.result_uri);
    expect(forecasts.windows).toHaveLength(16);
  });

  it("are refused where a window has one forecast alone", async () => {
    const one = series().filter((line) => line.startsWith("north"));
    const fault = await faultOf(
      postJson("/v1/trainer/run", {
        dataset_id: await datasetOf(one),
        task: { ...TASK, horizon: 1, window_step: 1 },
        ...FAST,
        metrics: ["mase", "wql"],
      }),
    );
    expect(fault.loc).toEqual(["body", "metrics", 1]);
    expect(fault.msg).toMatch(/longer horizon/);
  });
});

describe("forecasts", () => {
  it("are of every series' next steps where nothing is said", async () => {
    const { predictions, warnings } = await predict({});
    expect(warnings).toEqual([]);
    expect(predictions).toHaveLength(3 * 7);
    for (const [i, { series, time, value, interval, quantiles }] of predictions.entries()) {
      const shop = SHOPS.indexOf(series["shop"]);
      const day = DAYS + (i % 7);
      expect(time).toBe(`${dayOf(day)}T00:00:00.000Z`);
      expect(Math.abs(value - sold(shop, day))).toBeLessThan(4);
      expect(interval?.[0]).toBeLessThanOrEqual(value);
      expect(interval?.[1]).toBeGreaterThanOrEqual(value);
      expect(Object.keys(quantiles ?? {}).length).toBeGreaterThan(0);
    }
  });

  it("are of some series and fewer steps where that is said, at the coverage that is asked", async () => {
    const { predictions } = await predict({ series: [{ shop: "west" }], horizon: 2 });
    expect(predictions.map(({ series, time }) => [series["shop"], time.slice(0, 10)])).toEqual([
      ["west", dayOf(DAYS)],
      ["west", dayOf(DAYS + 1)],
    ]);
    const narrow = await server.post<Answer>(`/v1/models/${model}/predict?coverage=0.5`, {
      series: [{ shop: "west" }],
    });
    const width = ({ interval }: Forecast): number =>
      interval === null ? Number.POSITIVE_INFINITY : interval[1] - interval[0];
    expect(width(narrow.predictions[0])).toBeLessThan(width(predictions[0]));
  });

  it("begin after the history that is sent, of a series that is new as well", async () => {
    const later = Array.from({ length: 3 }, (_, i) => ({
      shop: "north",
      day: dayOf(DAYS + i),
      sold: sold(0, DAYS + i),
    }));
    const fresh = Array.from({ length: 28 }, (_, i) => ({
      shop: "harbour",
      day: dayOf(i),
      sold: sold(4, i),
    }));
    // Backwards: rows are put in the order of time.
    const { predictions } = await predict({ history: [...later, ...fresh].reverse(), horizon: 1 });
    const byShop = new Map(predictions.map((each) => [each.series["shop"], each]));
    expect(byShop.size).toBe(2);
    expect(byShop.get("north")?.time).toMatch(dayOf(DAYS + 3));
    expect(byShop.get("harbour")?.time).toMatch(dayOf(28));
    expect(Math.abs((byShop.get("harbour")?.value ?? 0) - sold(4, 28))).toBeLessThan(6);
  });

  it("are of the steps that future names alone", async () => {
    const { predictions } = await predict({ future: [{ shop: "south", day: dayOf(DAYS + 4) }] });
    expect(predictions.map(({ series, time }) => [series["shop"], time.slice(0, 10)])).toEqual([
      ["south", dayOf(DAYS + 4)],
    ]);
    const whole = await predict({ series: [{ shop: "south" }] });
    expect(predictions[0]).toEqual(whole.predictions[4]);
  });

  it("come of instances too: rows with a value are history, and the others steps", async () => {
    const instances = [
      { shop: "south", day: dayOf(DAYS), sold: sold(1, DAYS) },
      { shop: "south", day: dayOf(DAYS + 2) },
    ];
    const { predictions } = await predict({ instances });
    const split = await predict({ history: [instances[0]], future: [instances[1]] });
    expect(predictions).toEqual(split.predictions);
  });

  it("are explained, by series and time", async () => {
    const body = { series: [{ shop: "north" }], horizon: 2 };
    const { explanations } = await server.post<{
      explanations: (Pick<Forecast, "series" | "time"> & {
        base_value: number;
        prediction: number;
        contributions: Record<string, number>;
      })[];
    }>(`/v1/models/${model}/explain`, body);
    const { predictions } = await predict(body);
    expect(explanations).toHaveLength(2);
    for (const [i, each] of explanations.entries()) {
      expect([each.series, each.time]).toEqual([predictions[i].series, predictions[i].time]);
      expect(each.prediction).toBeCloseTo(predictions[i].value, 6);
      const sum = Object.values(each.contributions).reduce((a, b) => a + b, each.base_value);
      expect(sum).toBeCloseTo(each.prediction, 6);
    }
  });

  it("are the same over tRPC, explained too, and a fault is at its place", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const asked = { series: [{ shop: "west" }], horizon: 2 };
    const given = { model_id: model, ...asked };
    const answer = await client.models.predict.mutate(given);
    expect(answer.predictions).toHaveLength(2);
    expect(answer).toEqual(await predict(asked));
    expect(await client.models.explain.mutate(given)).toEqual(
      await server.post(`/v1/models/${model}/explain`, asked),
    );
    const wrong = { ...given, horizon: 0 };
    await expect(client.models.predict.mutate(wrong)).rejects.toMatchObject({
      status: 422,
      faults: [{ loc: expect.arrayContaining(["horizon"]) }],
    });
  });

  it("are not explained over time, as sequences are", async () => {
    const fault = await faultOf(postJson(`/v1/models/${model}/explain?segments=4`, {}));
    expect(fault.loc).toEqual(["query", "segments"]);
  });

  it("say which columns that are known ahead were not sent", async () => {
    const task = { ...TASK, known_columns: ["weekend"] };
    const job = await awaitJob(
      server,
      await startRun(server, { dataset_id: dataset, task, ...FAST }),
    );
    expect(job.error_message).toBe("");
    const { warnings } = await predict(
      {
        future: [
          { shop: "north", day: dayOf(DAYS), weekend: 0 },
          { shop: "north", day: dayOf(DAYS + 1) },
        ],
      },
      job.model_id,
    );
    expect(warnings).toEqual([
      expect.stringMatching(/"weekend" is not given for 1 of the 2 steps.*"north"/),
    ]);
  });
});

describe("a request for forecasts", () => {
  const north = { shop: "north", day: dayOf(DAYS) };
  const cases: [string, unknown, readonly (string | number)[], RegExp][] = [
    ["too far", { horizon: 8 }, ["horizon"], /7 steps/],
    ["no steps", { horizon: 0 }, ["horizon"], /greater than or equal to 1/],
    ["another member", { horizn: 3 }, ["horizn"], /not permitted/],
    ["no list", { history: north }, ["history"], /list/],
    ["no record", { future: [north, 3] }, ["future", 1], /dictionary/],
    ["a cell that is a list", { future: [{ ...north, sold: [] }] }, ["future", 0, "sold"], /null/],
    [
      "a series that is not known",
      { series: [{ shop: "nord" }] },
      ["series", 0],
      /"nord" was not in the training data.*"north"/,
    ],
    ["another column of series", { series: [{ town: "x" }] }, ["series", 0, "town"], /"shop"/],
    ["no name of a series", { series: [{}] }, ["series", 0, "shop"], /lacks "shop"/],
    [
      "a new series without history",
      { history: [{ ...north, sold: 1 }], future: [{ shop: "moon", day: dayOf(3) }] },
      ["future", 0],
      /"moon" was not in the training data and the request has no history/,
    ],
    [
      "two rows of a step",
      { history: [{ ...north, sold: 1 }], future: [north] },
      ["future", 0, "day"],
      /"north" has two rows at .*history\[0\] and future\[0\]/,
    ],
    [
      "a step that is past",
      { future: [{ shop: "north", day: dayOf(DAYS - 3) }] },
      ["future", 0, "day"],
      /future\[0\].*"north".*not after its last known value/,
    ],
    [
      "a step too far",
      { future: [north, { shop: "north", day: dayOf(DAYS + 30) }] },
      ["future", 1, "day"],
      /future\[1\].*31 steps after/,
    ],
    [
      "a time between steps",
      { history: [{ shop: "north", day: `${dayOf(DAYS)}T05:00:00`, sold: 3 }] },
      ["history", 0, "day"],
      /history\[0\].*"north".*1 day/,
    ],
    ["no time", { history: [{ shop: "north", sold: 3 }] }, ["history", "day"], /lack "day"/],
    [
      "a missing time",
      {
        history: [
          { ...north, sold: 3 },
          { shop: "north", day: null, sold: 3 },
        ],
      },
      ["history", 1, "day"],
      /history\[1\].*"north" has no time/,
    ],
    [
      "a time that is none",
      { history: [], future: [{ shop: "north", day: "soon" }] },
      ["future", 0, "day"],
      /future\[0\]: column "day".*"soon"/,
    ],
    [
      "a value of what is to come",
      { future: [{ ...north, sold: 4 }] },
      ["future", 0, "sold"],
      /belongs to `history`/,
    ],
    [
      "a history of another age",
      {
        history: [
          { shop: "new", day: "1000-01-01", sold: 1 },
          { shop: "new", day: dayOf(0), sold: 1 },
        ],
      },
      ["history", 0, "day"],
      /"new" has 2 values in \d+ steps/,
    ],
  ];
  it.each(cases)("with %s is refused at its place", async (_, body, loc, message) => {
    const fault = await faultOfPredict(body);
    expect(fault.msg).toMatch(message);
    expect(fault.loc).toEqual(["body", ...loc]);
  });

  it("is refused by a model of rows", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `${i % 7},${i % 2}`);
    const id = await server.uploadCsv("rows", ["x,y", ...lines].join("\n"));
    const run = { dataset_id: id, task: { task_kind: "binclass", label_column: "y" } };
    const job = await awaitJob(
      server,
      await startRun(server, { ...run, model_families: ["linear"], n_trials: 1, n_cv_splits: 2 }),
    );
    expect(job.error_message).toBe("");
    const fault = await faultOfPredict({ horizon: 3 }, job.model_id);
    expect(fault.loc).toEqual(["body", "horizon"]);
    expect(fault.msg).toMatch(/forecasting.*instances/);
    expect((await faultOfPredict({}, job.model_id)).type).toBe("missing");
  });
});

describe("days by a local clock", () => {
  /** Midnights of Berlin from 1 December 2030 on; its clock is put forward on 30 March 2031. */
  const midnight = (day: number): string => {
    const date = new Date(Date.UTC(2030, 11, 1 + day)).toISOString().slice(0, 10);
    return `${date}T00:00:00${date > "2031-03-30" ? "+02:00" : "+01:00"}`;
  };
  const instant = (day: number): string => new Date(midnight(day)).toISOString();
  const trainedUntil = async (days: number): Promise<string> => {
    const lines = Array.from({ length: days }, (_, day) => `${midnight(day)},${sold(0, day)}`);
    const id = await server.uploadCsv(`berlin-${days}`, ["day,sold", ...lines].join("\n"));
    const task = { ...TASK, series_columns: null, horizon: 3 };
    const job = await awaitJob(server, await startRun(server, { dataset_id: id, task, ...FAST }));
    expect(job.error_message).toBe("");
    return job.model_id;
  };

  it("go on at the midnight of the clock that the data ended with, and its change is no gap", async () => {
    const id = await trainedUntil(150);
    const { card } = await server.get<{ card: { warnings: readonly string[] } }>(
      `/v1/models/${id}`,
    );
    expect(card.warnings.join()).not.toMatch(/have no row|moved to the nearest/);
    const { predictions } = await predict({}, id);
    expect(predictions.map(({ time }) => time)).toEqual([150, 151, 152].map(instant));
    expect(predictions[0].time.slice(11, 13)).toBe("22");
  });

  it("are asked for by the sender's own stamps, before and after the clock is changed", async () => {
    const id = await trainedUntil(119);
    const days = [119, 120, 121];
    expect(days.map((day) => midnight(day).slice(-6))).toEqual(["+01:00", "+02:00", "+02:00"]);
    const future = days.map((day) => ({ day: midnight(day) }));
    const { predictions, warnings } = await predict({ future }, id);
    expect(predictions.map(({ time }) => time)).toEqual(days.map(instant));
    expect(warnings.join()).toMatch(/2 rows lie an hour beside .* future\[1\]/);
    const history = days.map((day) => ({ day: midnight(day), sold: sold(0, day) }));
    const later = await predict({ history }, id);
    expect(later.predictions.map(({ time }) => time)).toEqual([122, 123, 124].map(instant));
  });
});

describe("few steps with columns that are known in advance", () => {
  const STEPS = 60;
  const isPromoted = (day: number): boolean => (day * day + 3 * day) % 11 < 3;
  const taken = (day: number): number => sold(0, day) + (isPromoted(day) ? 40 : 0);
  const row = (day: number): object => ({
    day: dayOf(day),
    promo: Number(isPromoted(day)),
    visits: (day * 37) % 17,
  });

  it("are read by a default run, which names those that nothing reads", async () => {
    const lines = Array.from({ length: STEPS }, (_, day) => {
      return `${Object.values(row(day)).join(",")},${taken(day)}`;
    });
    const id = await server.uploadCsv("promoted", ["day,promo,visits,sold", ...lines].join("\n"));
    const task = { ...TASK, series_columns: null, known_columns: ["promo"] };
    const run = { dataset_id: id, task, n_trials: 1, n_cv_splits: 3 };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    const { card } = await server.get<{
      card: { warnings: string[]; families: { family: string }[] };
    }>(`/v1/models/${job.model_id}`);
    expect(card.families.map(({ family }) => family)).toContain("dynamic_regression");
    expect(card.warnings.filter((each) => each.startsWith("None of the families"))).toEqual([
      expect.stringMatching(/reads "visits", .*lag_gbdt \(Fewer than 200 steps/),
    ]);
    const days = Array.from({ length: 7 }, (_, i) => STEPS + i);
    expect(new Set(days.map(isPromoted)).size).toBe(2);
    const future = days.map(row);
    const { predictions, warnings } = await predict({ future }, job.model_id);
    for (const [i, day] of days.entries()) {
      expect(Math.abs(predictions[i].value - taken(day))).toBeLessThan(10);
    }
    expect(warnings.join()).not.toContain('"promo"');
    // What training knew of its own steps is not sent again; of later ones it is asked for.
    const last = { ...row(STEPS - 1), sold: taken(STEPS - 1) };
    const again = await predict({ history: [last], future }, job.model_id);
    for (const [i, { value }] of again.predictions.entries()) {
      expect(value).toBeCloseTo(predictions[i].value, 6);
    }
    const later = { history: [{ day: dayOf(STEPS), sold: taken(STEPS) }], future: future.slice(1) };
    expect((await predict(later, job.model_id)).warnings.join()).toMatch(
      /"promo" has no value in 1 row of the history, first history\[0\]/,
    );
  });
});

describe("series that are odd", () => {
  it.each([
    ["series_columns", { series_columns: ["shp"] }, ["series_columns", 0]],
    ["known_columns", { known_columns: ["weekend", "wekend"] }, ["known_columns", 1]],
    ["time_column", { time_column: "date" }, ["time_column"]],
  ])("%s that are not there are refused at their place", async (_, more, loc) => {
    const fault = await faultOf(
      postJson("/v1/trainer/run", { dataset_id: dataset, task: { ...TASK, ...more }, ...FAST }),
    );
    expect(fault.loc).toEqual(["body", "task", ...loc]);
    expect(fault.msg).toMatch(/the dataset has no column/);
  });

  it("stamps that many rows share are refused with series and rows", async () => {
    const fault = await faultOfRun([...series(), ...series(5)]);
    expect(fault.msg).toMatch(/15 of 225 rows .* of "north" rows 1 and 211 are both at/);
    expect(fault.loc).toEqual(["body", "task", "time_column"]);
    expect((await faultOfRun(series(), { series_columns: null })).msg).toMatch(
      /in `series_columns`/,
    );
  });

  it("series of another frequency are refused by name", async () => {
    const monthly = Array.from(
      { length: 20 },
      (_, i) => `yard,${new Date(Date.UTC(2031, i, 6)).toISOString().slice(0, 10)},${i},0,5`,
    );
    const fault = await faultOfRun([...series(), ...monthly]);
    expect(fault.msg).toMatch(/The series "yard" has 20 rows in \d+ steps of 1 day/);
  });

  it("a horizon that no series is long enough for is refused at the horizon", async () => {
    const fault = await faultOfRun(series(), { horizon: 70 });
    expect(fault.loc).toEqual(["body", "task", "horizon"]);
    expect(fault.msg).toMatch(/70 steps.*at least 71/);
  });

  it("a window step below the horizon is refused at its place", async () => {
    const fault = await faultOfRun(series(), { window_step: 3 });
    expect(fault.loc).toEqual(["body", "task", "window_step"]);
  });

  it("a row without a series, and one without a time, are named", async () => {
    const noShop = await faultOfRun([...series(), `,${dayOf(3)},1,0,0`]);
    expect(noShop.msg).toMatch(/Row 211 has no value in "shop"/);
    expect(noShop.loc).toEqual(["body", "task", "series_columns", 0]);
    const noDay = await faultOfRun([...series(), "north,,1,0,0"]);
    expect(noDay.msg).toMatch(/Row 211 of the series "north" has no time/);
    expect(noDay.loc).toEqual(["body", "task", "time_column"]);
  });

  it("a label of texts, or of a series that has no value, is refused", async () => {
    const noValue = series().map((line) => line.replace(/^(west,[^,]*),[^,]*/, "$1,"));
    const fault = await faultOfRun(noValue);
    expect(fault.msg).toMatch(/1 of 3 series have no value in "sold", first "west"/);
    expect(fault.loc).toEqual(["body", "task", "label_column"]);
    const texts = await faultOfRun(series(), { label_column: "shop", series_columns: null });
    expect(texts.loc).toEqual(["body", "task", "label_column"]);
  });

  it("what forecasts cannot be asked is refused at its place", async () => {
    for (const [more, loc] of [
      [{ group_column: "shop" }, ["group_column"]],
      [{ class_weight: "balanced" }, ["class_weight"]],
      [{ monotone_constraints: { size: 1 } }, ["model_families", 0]],
      [{ teacher_model_id: model }, ["teacher_model_id"]],
      [{ model_families: ["linear"] }, ["model_families", 0]],
    ] as const) {
      const request = { dataset_id: dataset, task: TASK, ...FAST, ...more };
      const fault = await faultOf(postJson("/v1/trainer/run", request));
      expect(fault.loc.slice(0, loc.length + 1)).toEqual(["body", ...loc]);
    }
  });

  it("a sweep that begins with another run's trials ends with forecasts of each of its models", async () => {
    const { training_jobs: jobs } = await server.get<{
      training_jobs: { id: string; model_id: string }[];
    }>("/v1/training_jobs");
    const prior = jobs.find(({ model_id }) => model_id === model);
    const job = await awaitJob(
      server,
      await startRun(server, {
        dataset_id: dataset,
        task: TASK,
        ...FAST,
        metrics: ["mase", "smape"],
        grid_size: 2,
        strict_folds: true,
        warm_start_job_ids: [prior?.id],
      }),
    );
    expect(job.error_message).toBe("");
    const { predictions } = await predict({ series: [{ shop: "west" }] }, job.model_id);
    expect(predictions).toHaveLength(7);
  });

  it("stamps with a zone in some rows alone are of UTC in the others", async () => {
    const lines = series().map((line, i) =>
      i % 2 === 0 ? line.replace(/(\d{4}-\d\d-\d\d)/, "$1T02:00:00+02:00") : line,
    );
    const run = { dataset_id: await datasetOf(lines), task: TASK, ...FAST };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    const body = { series: [{ shop: "south" }] };
    expect((await predict(body, job.model_id)).predictions).toEqual(
      (await predict(body)).predictions,
    );
  });

  it("gaps, few doubles, a series of one step and zoned stamps are told of", async () => {
    const zoned = series().map((line) => line.replace(/(\d{4}-\d\d-\d\d)/, "$1T00:00:00+00:00"));
    const lines = [
      ...zoned.filter((_, i) => i !== 20),
      `north,${dayOf(40)},51,0,0`,
      `island,${dayOf(60)},3,0,0`,
    ];
    const task = { ...TASK, series_columns: ["shop"] };
    const run = { dataset_id: await datasetOf(lines), task, ...FAST };
    const jobId = await startRun(server, run);
    const job = await awaitJob(server, jobId);
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { warnings: string[] } }>(
      `/v1/models/${job.model_id}`,
    );
    const told = card.warnings.join("\n");
    expect(told).toMatch(/1 of 211 steps of 1 day have no row, first 2031-01-26.*"north"/);
    expect(told).toMatch(/1 row shares its step.*row 210 of the series "north"/);
    expect(told).toMatch(/1 of 4 series are too short/);
    const { predictions } = await predict({ series: [{ shop: "island" }] }, job.model_id);
    expect(predictions).toHaveLength(7);
    for (const { value } of predictions) expect(value).toBeCloseTo(3, 6);
  });
});

describe("what is known ahead", () => {
  /** A day on sale sells 30 more, whatever the season says. */
  const onSale = (shop: number, day: number): boolean => (day * 7 + shop * 3) % 11 < 3;
  const lines = SHOPS.flatMap((name, shop) =>
    Array.from({ length: 140 }, (_, day) => {
      const sale = onSale(shop, day);
      return `${name},${dayOf(day)},${sold(shop, day) + (sale ? 30 : 0)},${Number(sale)},9`;
    }),
  );
  const futureOf = (sales: readonly unknown[]) =>
    sales.map((sale, i) => ({ shop: "north", day: dayOf(140 + i), sale }));
  let known: string;
  beforeAll(async () => {
    const id = await server.uploadCsv("sales", ["shop,day,sold,sale,size", ...lines].join("\n"));
    const task = { ...TASK, known_columns: ["sale"] };
    const run = { dataset_id: id, task, model_families: ["lag_gbdt"], n_trials: 1, n_cv_splits: 2 };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    known = job.model_id;
  });

  it("moves the forecasts of boosted trees over lags: what if there is a sale", async () => {
    const { predictions: sale, warnings } = await predict(
      { future: futureOf([1, 1, 1, 1, 1, 1, 1]) },
      known,
    );
    expect(warnings).toEqual([]);
    const { predictions: none } = await predict({ future: futureOf([0, 0, 0, 0, 0, 0, 0]) }, known);
    const mixed = await predict({ future: futureOf([1, 0, 1, 0, 0, 0, 0]) }, known);
    for (const [i, { value }] of sale.entries()) {
      expect(value - none[i].value).toBeGreaterThan(18);
      expect(value - none[i].value).toBeLessThan(42);
      expect(mixed.predictions[i].value).toBe(i === 0 || i === 2 ? value : none[i].value);
    }
  });

  it("is refused where rows of steps to come lack it, or have it in another kind", async () => {
    const [{ sale: _, ...without }] = futureOf([1]);
    const lacking = await faultOfPredict({ future: [without] }, known);
    expect(lacking.loc).toEqual(["body", "future", 0, "sale"]);
    expect(lacking.msg).toMatch(
      /future\[0\] of the series "north", at 2031-05-26T00:00:00.000Z, lacks "sale"/,
    );
    const text = await faultOfPredict({ future: futureOf([1, "soon"]) }, known);
    expect(text.loc).toEqual(["body", "future", 1, "sale"]);
    expect(text.msg).toMatch(/"sale".*"soon"/);
  });

  it("is told of where it is not given, or given as null", async () => {
    const { warnings } = await predict({ series: [{ shop: "west" }] }, known);
    expect(warnings).toEqual([
      expect.stringMatching(/"sale" is not given for 7 of the 7 steps.*"west"/),
    ]);
    const some = await predict({ future: futureOf([1, null]) }, known);
    expect(some.warnings).toEqual([expect.stringMatching(/not given for 1 of the 2 steps/)]);
  });
});

describe("what is known of the past alone", () => {
  it("is read by lags, of training and of the history that is sent", async () => {
    /** An order of one day is 30 more sold on the next, and so is a fair. */
    const ordered = (shop: number, day: number): number => Number((day * 7 + shop * 3) % 11 < 3);
    const around = (shop: number, day: number): string =>
      (day * 5 + shop) % 13 < 4 ? "fair" : "nothing";
    const lines = SHOPS.flatMap((name, shop) =>
      Array.from({ length: 140 }, (_, day) => {
        const fair = Number(around(shop, day - 1) === "fair");
        const value = sold(shop, day) + 30 * (ordered(shop, day - 1) + fair);
        const told = [ordered(shop, day), around(shop, day), day % 4 === 1, dayOf(day - (day % 2))];
        return [name, dayOf(day), value, ...told].join(",");
      }),
    );
    const id = await server.uploadCsv(
      "orders",
      ["shop,day,sold,ordered,around,rained,checked", ...lines].join("\n"),
    );
    const task = { ...TASK, horizon: 1 };
    const run = { dataset_id: id, task, model_families: ["lag_gbdt"], n_trials: 1, n_cv_splits: 3 };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { warnings: string[] } }>(
      `/v1/models/${job.model_id}`,
    );
    const told = card.warnings.join("\n");
    expect(told).toMatch(
      /"ordered", "around", "rained" change with time.*known until the last value alone/,
    );
    expect(told).toMatch(/"checked" changes with time.*left out/);
    const forecastAfter = async (orders: object) => {
      const usual = { around: "nothing", rained: true };
      const day = { shop: "north", day: dayOf(140), sold: sold(0, 140), ...usual, ...orders };
      const { predictions, warnings } = await predict({ history: [day] }, job.model_id);
      return { value: predictions[0].value, warnings };
    };
    const [some, none] = [await forecastAfter({ ordered: 1 }), await forecastAfter({ ordered: 0 })];
    expect(some.warnings.join()).not.toMatch(/ordered/);
    expect(some.value - none.value).toBeGreaterThan(15);
    expect(some.value - none.value).toBeLessThan(45);
    const fair = await forecastAfter({ ordered: 0, around: "fair" });
    expect(fair.warnings.join()).not.toMatch(/around|rained/);
    expect(fair.value - none.value).toBeGreaterThan(15);
    expect(fair.value - none.value).toBeLessThan(45);
    expect((await forecastAfter({})).warnings.join()).toMatch(
      /"ordered" has no value in 1 row of the history, first history\[0\] of the series "north"/,
    );
    const ahead = { future: [{ shop: "north", day: dayOf(140), ordered: 1 }] };
    expect((await predict(ahead, job.model_id)).warnings.join()).toMatch(
      /"ordered" has a value in 1 row of steps to come, first future\[0\]: .* known in advance/,
    );
    const { explanations } = await server.post<{
      explanations: { prediction: number; base_value: number; contributions: object }[];
    }>(`/v1/models/${job.model_id}/explain`, { series: [{ shop: "north" }] });
    const [{ contributions, base_value, prediction }] = explanations;
    const sum = Object.values(contributions).reduce((a: number, b: number) => a + b, base_value);
    expect(sum).toBeCloseTo(prediction, 6);
  });
});

describe("values that are not there, or are none", () => {
  it("are told of in training, and lie on no step that is scored", async () => {
    const lines = series().map((line, i) => {
      const [shop, day, , ...rest] = line.split(",");
      if (i === 5 || i === 80) return [shop, day, "", ...rest].join(",");
      return i === 90 ? [shop, day, "-inf", ...rest].join(",") : line;
    });
    const run = { dataset_id: await datasetOf(lines), task: TASK, ...FAST };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { warnings: string[] } }>(
      `/v1/models/${job.model_id}`,
    );
    const told = card.warnings.join("\n");
    expect(told).toMatch(/2 rows have no value in "sold", first row 6 of the series "north"/);
    expect(told).toMatch(
      /1 row has an infinite value in "sold", first row 91 of the series "south"/,
    );
  });

  it("are refused or told of in a history", async () => {
    const at = (i: number, value: unknown) => ({
      shop: "north",
      day: dayOf(DAYS + i),
      sold: value,
      weekend: 0,
    });
    const fault = await faultOfPredict({ history: [at(0, 50), at(1, "-Infinity")] });
    expect(fault.loc).toEqual(["body", "history", 1, "sold"]);
    expect(fault.msg).toMatch(
      /history\[1\] of the series "north" has the value -Infinity of "sold", which is beyond 1e\+35/,
    );
    const { warnings } = await predict({ history: [at(0, 50), at(1, null)], horizon: 1 });
    expect(warnings).toEqual([
      expect.stringMatching(/history\[1\].*"north" has no value of "sold"/),
    ]);
  });

  it("that a history leaves out behind the training data are told of", async () => {
    const later = { shop: "north", day: dayOf(DAYS + 2), sold: 51, weekend: 0 };
    const { warnings } = await predict({ history: [later], horizon: 1 });
    expect(warnings).toEqual([
      expect.stringMatching(/"north" begins 2 steps after.*one value of the history alone/),
    ]);
  });

  it("negative values and zeros are served by every family", async () => {
    const lines = series().map((line, i) => {
      const [shop, day, value, ...rest] = line.split(",");
      const shown = shop === "south" ? Number(value) - 120 : shop === "west" ? i % 4 && 0 : value;
      return [shop, day, shown, ...rest].join(",");
    });
    const families = [
      ...["seasonal_naive", "theta", "dynamic_regression", "ets", "arima", "croston"],
      ...["dlinear", "lag_gbdt", "harmonic_regression"],
    ];
    const run = {
      dataset_id: await datasetOf(lines),
      task: TASK,
      ...FAST,
      model_families: families,
    };
    const job = await awaitJob(server, await startRun(server, run));
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { trials: object } }>(`/v1/models/${job.model_id}`);
    expect(card.trials).toMatchObject({ finished: families.length, failed: 0 });
    const { predictions } = await predict({}, job.model_id);
    expect(predictions).toHaveLength(3 * 7);
  });

  it("clocks set forward and back leave a gap and a double, which are told of", async () => {
    const HOUR = DAY / 24;
    const lines = [Date.UTC(2031, 2, 28), Date.UTC(2031, 9, 24)].flatMap((from, s) =>
      Array.from({ length: 24 * 5 }, (_, i) => {
        const at = from + i * HOUR;
        const isSummer = at >= Date.UTC(2031, 2, 30, 1) && at < Date.UTC(2031, 9, 26, 1);
        const local = new Date(at + (isSummer ? 2 : 1) * HOUR).toISOString().slice(0, 19);
        return `${["spring", "autumn"][s]},${local},${10 + (i % 24)},0,1`;
      }),
    );
    const job = await awaitJob(
      server,
      await startRun(server, { dataset_id: await datasetOf(lines), task: TASK, ...FAST }),
    );
    expect(job.error_message).toBe("");
    const { card } = await server.get<{ card: { warnings: string[] } }>(
      `/v1/models/${job.model_id}`,
    );
    const told = card.warnings.join("\n");
    expect(told).toMatch(/1 of 240 steps of 1 hour have no row, first 2031-03-30T02.*"spring"/);
    expect(told).toMatch(/1 row shares its step.*"autumn", at 2031-10-26T02/);
  });

  it("columns that tell rows apart and not series are refused before anything is fitted", async () => {
    const lines = Array.from({ length: 100_001 }, (_, i) => `n${i},${dayOf(i % 2)},${i % 10},0,1`);
    const fault = await faultOfRun(lines);
    expect(fault.loc).toEqual(["body", "task", "series_columns", 0]);
    expect(fault.msg).toMatch(/more than 100000 series in "shop"/);
  });
});
