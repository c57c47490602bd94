/** Months with years of two digits, over HTTP: what an upload says of them, their forecasts, and requests that are written so. */

import { beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const MONTHS = 60;
const NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const monthAt = (i: number): string => `${NAMES[i % 12]}-${15 + Math.floor(i / 12)}`;

interface Model {
  readonly card: { readonly warnings: readonly string[] };
}
interface Answer {
  readonly predictions: readonly { readonly time: string }[];
}

let server: SharedServer;
let model = "";
beforeAll(async () => {
  server = await SharedServer.join();
  const rows = Array.from({ length: MONTHS }, (_, i) => `${monthAt(i)},${100 + i + (i % 12)}`);
  const dataset = await server.uploadCsv("months", ["month,value", ...rows].join("\n"));
  const task = {
    ...{ task_kind: "forecasting", label_column: "value", time_column: "month" },
    horizon: 3,
  };
  const job = await startRun(server, {
    ...{ dataset_id: dataset, task, n_trials: 1 },
    model_families: ["seasonal_naive"],
  });
  const ended = await awaitJob(server, job);
  expect(ended.error_message).toBe("");
  model = ended.model_id;
});

it("are read as months, and told of", async () => {
  const { card }: Model = await (await server.request("GET", `/v1/models/${model}`)).json();
  expect(card.warnings).toContainEqual(
    expect.stringMatching(
      /"month" has years of two digits, such as "Jan-15", which is read as 2015-01-01/,
    ),
  );
});

it("may be written so in requests, and otherwise in no other way that one cell does not tell", async () => {
  const predict = (month: string): Promise<Response> =>
    server.request("POST", `/v1/models/${model}/predict`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ history: [{ month, value: 170 }], horizon: 2 }),
    });
  const { predictions }: Answer = await (await predict(monthAt(MONTHS))).json();
  expect(predictions.map(({ time }) => time.slice(0, 10))).toEqual(["2020-02-01", "2020-03-01"]);
  const refused = await predict("20-Jan");
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("20-Jan");
});
