/** Forecasts of series and of their sums over HTTP: that they sum up, and what is refused. */

import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const DAYS = 56;
const START = Date.UTC(2031, 0, 6);
const dayOf = (index: number): string =>
  new Date(START + index * 86_400_000).toISOString().slice(0, 10);
const REGIONS = { DE: ["north", "south"], FR: ["east", "west", "south"] };
const PAIRS = Object.entries(REGIONS).flatMap(([country, regions]) =>
  regions.map((region) => [country, region] as const),
);
const sold = (series: number, day: number): number =>
  40 + 15 * series + [0, 2, 5, 3, 1, -4, -6][day % 7] + ((day * 37 + series * 71) % 29) / 2;
const csv = [
  "country,region,day,sold",
  ...PAIRS.flatMap(([country, region], s) =>
    Array.from({ length: DAYS }, (_, day) => [country, region, dayOf(day), sold(s, day)].join()),
  ),
].join("\n");

const TASK = {
  task_kind: "forecasting",
  label_column: "sold",
  time_column: "day",
  series_columns: ["country", "region"],
  horizon: 7,
};
const LEVELS = [[], ["country"], ["region"]];
const METHODS = ["mint_shrink", "bottom_up"];
const FAST = { model_families: ["seasonal_naive", "theta"], n_trials: 1, n_cv_splits: 2 };

interface Forecast {
  readonly series: Readonly<Record<string, string>>;
  readonly time: string;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
}

interface Answer {
  readonly predictions: readonly Forecast[];
  readonly warnings: readonly string[];
}

let server: SharedServer;
let dataset: string;
const models = new Map<string, string>();
beforeAll(async () => {
  server = await SharedServer.join();
  dataset = await server.uploadCsv("sales", csv);
  for (const method of METHODS) models.set(method, await trained({ levels: LEVELS, method }));
});

async function trained(hierarchy: object): Promise<string> {
  const task = { ...TASK, hierarchy };
  const job = await awaitJob(
    server,
    await startRun(server, { dataset_id: dataset, task, ...FAST }),
  );
  expect(job.error_message).toBe("");
  return job.model_id;
}
const predict = (model: string, body: unknown): Promise<Answer> =>
  server.post<Answer>(`/v1/models/${model}/predict`, body);

/** Of each series, by its columns, the values step by step. */
function valuesOf({ predictions }: Answer): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { series, value } of predictions) {
    const name = JSON.stringify([series["country"] ?? null, series["region"] ?? null]);
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

function expectSums(answer: Answer, steps: number): void {
  const values = valuesOf(answer);
  // 5 series, 2 countries, 4 regions (there is a south twice), and the total.
  expect(values.size).toBe(12);
  for (const [name, sums] of values) {
    const [country, region] = JSON.parse(name) as (string | null)[];
    const parts = PAIRS.filter(
      (pair) => (country ?? pair[0]) === pair[0] && (region ?? pair[1]) === pair[1],
    ).map((pair) => values.get(JSON.stringify(pair)) ?? []);
    expect(sums).toHaveLength(steps);
    for (const [step, sum] of sums.entries()) {
      const total = parts.reduce((all, part) => all + part[step], 0);
      expect(Math.abs(sum - total)).toBeLessThanOrEqual(1e-9 * Math.abs(total));
    }
  }
}

describe.each(METHODS)("forecasts by %s", (method) => {
  let model = "";
  beforeAll(() => {
    model = models.get(method) ?? "";
  });

  it("sum up at every level, with intervals around each", async () => {
    const answer = await predict(model, {});
    expect(answer.warnings).toEqual([]);
    expectSums(answer, 7);
    for (const { value, interval } of answer.predictions) {
      expect(interval?.[0]).toBeLessThanOrEqual(value);
      expect(interval?.[1]).toBeGreaterThanOrEqual(value);
    }
    const { card } = await server.get<{ card: { notes: string[] } }>(`/v1/models/${model}`);
    expect(card.notes.join(" ")).toMatch(method);
  });

  it("are the same whichever are asked, and sum up after a history", async () => {
    const whole = await predict(model, {});
    const asked = await predict(model, { series: [{}, { country: "FR" }], horizon: 2 });
    expect(asked.predictions.map(({ series }) => series)).toEqual([
      ...[{}, {}],
      ...[{ country: "FR" }, { country: "FR" }],
    ]);
    const same = (name: string): void => {
      expect(valuesOf(asked).get(name)).toEqual(valuesOf(whole).get(name)?.slice(0, 2));
    };
    same("[null,null]");
    same('["FR",null]');
    const history = PAIRS.map(([country, region], s) => ({
      country,
      region,
      day: dayOf(DAYS),
      sold: 10 * sold(s, DAYS),
    }));
    const later = await predict(model, { history });
    expectSums(later, 7);
    expect(later.predictions[0].time).toMatch(dayOf(DAYS + 1));
    expect(later.predictions[0].value).not.toBe(whole.predictions[1].value);
  });
});

it("forecasts of sums have a say by mint_shrink alone", async () => {
  const [mint, up] = await Promise.all(
    METHODS.map(async (method) => valuesOf(await predict(models.get(method) ?? "", {}))),
  );
  const change = Math.max(
    ...[...mint].flatMap(([name, values]) =>
      values.map((value, step) => Math.abs(value - (up.get(name)?.[step] ?? Number.NaN))),
    ),
  );
  expect(change).toBeGreaterThan(1e-6);
});

it("a short backtest scales by structure, and says so; explanations are of what is not reconciled", async () => {
  const task = { ...TASK, horizon: 3, hierarchy: { levels: LEVELS } };
  const one = { ...FAST, model_families: ["lag_gbdt"], n_cv_splits: null };
  const job = await awaitJob(server, await startRun(server, { dataset_id: dataset, task, ...one }));
  expect(job.error_message).toBe("");
  const { card } = await server.get<{ card: { warnings: string[] } }>(`/v1/models/${job.model_id}`);
  expect(card.warnings.join(" ")).toMatch(/structural scaling/);
  expectSums(await predict(job.model_id, {}), 3);
  const explained = await server.post<{ explanations: unknown[]; warnings: string[] }>(
    `/v1/models/${job.model_id}/explain`,
    { series: [{}] },
  );
  expect(explained.explanations).toHaveLength(3);
  expect(explained.warnings.join(" ")).toMatch(/before they are made to sum up/);
});

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

it.each([
  [{ levels: [["town"]] }, {}, ["hierarchy"], /town.*not among `series_columns`/],
  [{ levels: [[], []] }, {}, ["hierarchy"], /same level/],
  [{ levels: [[]] }, { series_columns: null }, ["hierarchy"], /without `series_columns`/],
  [{ levels: [] }, {}, ["hierarchy", "levels"], /./],
  [{ levels: [[]], method: "top_down" }, {}, ["hierarchy", "method"], /mint_shrink/],
])("the hierarchy %j is refused at its place", async (hierarchy, more, loc, message) => {
  const response = await server.request("POST", "/v1/trainer/run", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ dataset_id: dataset, task: { ...TASK, hierarchy, ...more }, ...FAST }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(422);
  const [fault] = (JSON.parse(text) as { detail: Fault[] }).detail;
  expect(fault.loc).toEqual(["body", "task", ...loc]);
  expect(fault.msg).toMatch(message);
});
