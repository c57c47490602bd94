/** Forecasts of what cannot be negative over HTTP: wherever they are told, and within their intervals. */

import { createClient } from "@distillery/client";
import { loadModel } from "@distillery/engine";
import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const DAYS = 63;
const HORIZON = 14;
const WEEK = [8, 2, 5, 3, 1, -9, -10];
const dayOf = (index: number): string =>
  new Date(Date.UTC(2031, 0, 6 + index)).toISOString().slice(0, 10);
/** A shop that closes, one that does not, and what a third one takes back again. */
const sold = (shop: number, day: number): number =>
  [
    Math.max(0, Math.round(60 - 0.95 * day + WEEK[day % 7] + ((day * 37) % 9))),
    40 + WEEK[day % 7] + ((day * 53) % 7),
    3 - 0.1 * day + WEEK[day % 7] / 2,
  ][shop];
const SHOPS = ["closing", "open", "returns"];
const csvOf = (shops: readonly number[]): string =>
  [
    "shop,day,sold",
    ...shops.flatMap((shop) =>
      Array.from({ length: DAYS }, (_, day) => [SHOPS[shop], dayOf(day), sold(shop, day)].join()),
    ),
  ].join("\n");
const TASK = {
  task_kind: "forecasting",
  label_column: "sold",
  time_column: "day",
  series_columns: ["shop"],
  horizon: HORIZON,
};
const FAST = { model_families: ["theta", "dlinear"], n_trials: 1, n_cv_splits: 2 };

interface Forecast {
  readonly series: Readonly<Record<string, string>>;
  readonly time: string;
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly quantiles: Readonly<Record<string, number>>;
}

interface Answer {
  readonly predictions: readonly Forecast[];
}

let server: SharedServer;
let model: string;
let answer: Answer;

async function trained(shops: readonly number[], more: object = {}) {
  const dataset_id = await server.uploadCsv("sales", csvOf(shops));
  const task = { ...TASK, ...more };
  const job = await awaitJob(server, await startRun(server, { dataset_id, task, ...FAST }));
  expect(job.error_message).toBe("");
  return job;
}

const predict = (body: object, id = model, query = ""): Promise<Answer> =>
  server.post<Answer>(`/v1/models/${id}/predict${query}`, body);
const of = ({ predictions }: Answer, shop: string): readonly Forecast[] =>
  predictions.filter(({ series }) => series["shop"] === shop);

beforeAll(async () => {
  server = await SharedServer.join();
  ({ model_id: model } = await trained([0, 1, 2]));
  answer = await predict({});
});

describe("what is never negative", () => {
  it("is not forecast below 0, and what was negative is", () => {
    const closing = of(answer, "closing").map(({ value }) => value);
    expect(closing).toHaveLength(HORIZON);
    expect(Math.min(...closing)).toBe(0);
    expect(Math.min(...of(answer, "returns").map(({ value }) => value))).toBeLessThan(0);
  });

  it.each([0.5, 0.8, 0.99])(
    "lies in its intervals of %s, which lie there too",
    async (coverage) => {
      const { predictions } = await predict({}, model, `?coverage=${coverage}`);
      for (const { series, value, interval, quantiles } of predictions) {
        const [low, high] = interval;
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
        if (series["shop"] === "returns") continue;
        for (const each of [low, ...Object.values(quantiles)]) {
          expect(each).toBeGreaterThanOrEqual(0);
        }
      }
    },
  );

  it("has the same bits over tRPC, in explanations, in batches, and of the model's files", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    expect(await client.models.predict.mutate({ model_id: model })).toEqual(answer);
    const { explanations } = await server.post<{
      explanations: { prediction: number; base_value: number; contributions: object }[];
    }>(`/v1/models/${model}/explain`, {});
    const values = answer.predictions.map(({ value }) => value);
    expect(explanations.map(({ prediction }) => prediction)).toEqual(
      values.map((value) => expect.closeTo(value, 9)),
    );
    for (const { prediction, base_value, contributions } of explanations) {
      const sum = Object.values(contributions).reduce((a, b) => a + b, base_value);
      expect(sum).toBeCloseTo(prediction, 6);
    }
    const files = await downloadModel(server, model);
    const loaded = await loadModel((path) => Promise.resolve(files.get(path) ?? new Uint8Array()));
    expect([...loaded.predict({ rows: 0, columns: [] }).values]).toEqual(values);
    const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", {
      model_id: model,
      output: { format: "csv" },
    });
    expect(await batchValues(job_id)).toEqual(values);
  });

  it("goes by the history that is sent", async () => {
    const history = (least: number) =>
      Array.from({ length: 28 }, (_, day) => ({
        shop: "closing",
        day: dayOf(DAYS + day),
        sold: Math.max(least, 40 - 2 * day),
      }));
    const lowest = async (least: number): Promise<number> =>
      Math.min(...(await predict({ history: history(least) })).predictions.map((p) => p.value));
    expect(await lowest(0)).toBe(0);
    expect(await lowest(-20)).toBeLessThan(0);
  });
});

describe("bounds that a request gives", () => {
  it("take what values tell away, or hold beyond it", async () => {
    const { model_id: free } = await trained([0, 1], { lower_bound: "none" });
    const lowest = Math.min(...of(await predict({}, free), "closing").map(({ value }) => value));
    expect(lowest).toBeLessThan(0);
    const { model_id: held } = await trained([0, 1, 2], { lower_bound: -10.5, upper_bound: 90 });
    const { predictions } = await predict({}, held, "?coverage=0.99");
    const ends = predictions.flatMap(({ value, interval, quantiles }) => [
      ...[value, ...interval],
      ...Object.values(quantiles),
    ]);
    expect(Math.min(...ends)).toBe(-10.5);
    expect(Math.max(...ends)).toBeLessThanOrEqual(90);
  });

  it.each([
    [{ lower_bound: 1 }, "lower_bound", /the value 0 in "sold", below its `lower_bound` 1/],
    [{ upper_bound: 40 }, "upper_bound", /above its `upper_bound` 40/],
    [{ lower_bound: 5, upper_bound: 4 }, "upper_bound", /is below the `lower_bound` 5/],
    [{ lower_bound: "zero" }, "lower_bound", /none/],
  ])("are refused where they cannot be: %o", async (bounds, member, said) => {
    const dataset_id = await server.uploadCsv("sales", csvOf([0, 1]));
    const answer = await server.request("POST", "/v1/trainer/run", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ dataset_id, task: { ...TASK, ...bounds }, ...FAST }),
    });
    expect(answer.status).toBe(422);
    const { detail }: { detail: { loc: unknown; msg: string }[] } = JSON.parse(await answer.text());
    expect(detail[0].loc).toEqual(["body", "task", member]);
    expect(detail[0].msg).toMatch(said);
  });
});

it("sums of what is never negative are none either, and still sum up", async () => {
  const { model_id } = await trained([0, 1], { hierarchy: { levels: [[]] } });
  const { predictions } = await predict({}, model_id);
  const times = new Map<string, Forecast[]>();
  for (const each of predictions) times.set(each.time, [...(times.get(each.time) ?? []), each]);
  expect(times.size).toBe(HORIZON);
  for (const all of times.values()) {
    const [total] = all.filter(({ series }) => Object.keys(series).length === 0);
    const own = all.filter((each) => each !== total).map(({ value }) => value);
    expect(total.value).toBe(own[0] + own[1]);
    for (const { value, interval } of all) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(interval[0]).toBeLessThanOrEqual(value);
      expect(interval[1]).toBeGreaterThanOrEqual(value);
    }
  }
});

async function batchValues(id: string): Promise<number[]> {
  for (;;) {
    const batch = await server.get<{
      status: string;
      error_message: string;
      result?: { url: string };
    }>(`/v1/batch_predictions/${id}`);
    if (batch.status === "failed") throw new Error(batch.error_message);
    if (batch.result) {
      const [header, ...lines] = (await (await fetch(batch.result.url)).text())
        .trim()
        .split(/\r?\n/);
      const at = header.split(",").indexOf("prediction");
      return lines.map((line) => Number(line.split(",")[at]));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
