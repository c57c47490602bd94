/**
 * Forecasting through the REST API of a server started for it: a series of hours, a search over families
 * checked by rolling origin, and the next two days with their intervals beside what came.
 */

import process from "node:process";
import type { Api } from "./demo/api.ts";
import { HORIZON, type Hours, readHours } from "./demo/bikes-by-the-hour.ts";
import { onServer } from "./demo/on-server.ts";
import { showReport } from "./demo/report.ts";
import { bar, table } from "./demo/text.ts";
import { type Metrics, watch } from "./demo/train.ts";
import { wholeOption } from "./demo/whole-option.ts";
import { optionsOf } from "./options.ts";

const options = optionsOf({
  help: { type: "boolean", default: false },
  port: { type: "string", default: process.env["PORT"] ?? "8080" },
  trials: { type: "string", default: "3" },
  days: { type: "string", default: "180" },
  exit: { type: "boolean", default: false },
});

if (options.help) {
  console.log(`pnpm demo:forecast [--port 8080] [--trials 3] [--days 180] [--exit]

Starts a server on an empty home, learns from days of hourly bike rentals (2012, until September), and forecasts the two
days after them. The server is left running until Ctrl-C, unless --exit is given.`);
  process.exit(0);
}

interface Forecast {
  readonly time: string;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
}

const { port, exit } = options;
const trialsAsked = wholeOption("trials", options.trials);
const daysAsked = wholeOption("days", options.days);
await onServer({ name: "demo-forecast", port, exit }, async (api) => {
  const hours = readHours(daysAsked);
  const { modelId, reportUri, metrics } = await train(api, hours);
  await showFamilies(api, modelId, metrics);
  await showForecast(api, modelId, hours);
  await showReport(reportUri, "demo-forecast", exit);
  return [
    {
      does: "forecast the next six hours; `future` brings what is known ahead, `history` what came since",
      request: [
        `/v1/models/${modelId}/predict`,
        '-H "Content-Type: application/json"',
        `-d '{"horizon": 6}'`,
      ],
    },
  ];
});

async function train(
  api: Api,
  { csv, rows }: Hours,
): Promise<{ modelId: string; reportUri: string; metrics: Metrics }> {
  console.log(
    `\nUCI bike sharing: ${rows} hours to learn from, the ${HORIZON} after them kept back as a test.`,
  );
  const { dataset_id } = await api.upload<{ dataset_id: string }>(
    "/v1/datasets?name=bikes-by-the-hour",
    "text/csv",
    csv,
  );
  const { job_id } = await api.post<{ job_id: string }>("/v1/trainer/run", {
    name: "bikes, two days ahead",
    dataset_id,
    task: {
      task_kind: "forecasting",
      label_column: "count",
      time_column: "time",
      horizon: HORIZON,
      known_columns: ["workingday"],
    },
    model_families: ["seasonal_naive", "theta", "ets", "lag_gbdt"],
    n_trials: trialsAsked,
    random_state: 7,
  });
  console.log(`Training job ${job_id}: 4 families × ${trialsAsked} trials.\n`);
  const metrics = await watch(api, job_id);
  const job = await api.get<{ model_id: string; result_uri: string }>(
    `/v1/training_jobs/${job_id}`,
  );
  return { modelId: job.model_id, reportUri: job.result_uri, metrics };
}

/** The best trial of each family and the blend, all by the mean over the windows of the backtest. */
async function showFamilies(api: Api, modelId: string, { trials, pareto }: Metrics): Promise<void> {
  const { card } = await api.get<{
    card: { splitter: string; notes?: string[]; warnings: string[] };
  }>(`/v1/models/${modelId}`);
  const best = new Map<string, number>();
  for (const { family, values } of trials) {
    if (values)
      best.set(family, Math.min(best.get(family) ?? Number.POSITIVE_INFINITY, values["mase"]));
  }
  console.log(
    `\nThe best of each family by mase (1 = as the same hour of the day before),\nthe mean over ${card.splitter}:`,
  );
  const rows = [...best].sort((a, b) => a[1] - b[1]);
  console.log(
    table(
      rows.map(([family, mase]) => [family, mase.toFixed(3)]),
      [1],
    ),
  );
  const blend = pareto[0]?.estimates.fold_mean;
  if (blend)
    console.log(`the blend ${blend["mase"].toFixed(3)}, by weights chosen without the window`);
  const luck = card.notes?.find((note) => note.startsWith("The best trial"));
  if (luck) console.log(luck);
  const plain = card.warnings.find((warning) => warning.startsWith("The model is no better"));
  if (plain) console.log(plain);
}

async function showForecast(api: Api, modelId: string, { test }: Hours): Promise<void> {
  const { predictions } = await api.post<{ predictions: Forecast[] }>(
    `/v1/models/${modelId}/predict`,
    { future: test.map(({ time, workingday }) => ({ time, workingday })) },
  );
  const most = Math.max(
    ...test.map(({ count }) => count),
    ...predictions.map(({ value }) => value),
  );
  console.log("\nThe next two days: forecast, 90 % interval, what came");
  const shown = predictions.map(({ time, value, interval }, hour) => [
    time.slice(5, 16).replace("T", " "),
    value.toFixed(0),
    interval ? `${interval[0].toFixed(0)} … ${interval[1].toFixed(0)}` : "",
    String(test[hour].count),
    bar(Math.max(0, value) / most, 24),
  ]);
  console.log(
    table(
      shown.filter((_, hour) => hour % 3 === 0),
      [1, 2, 3],
    ),
  );
  const errors = predictions.map(({ value }, hour) => Math.abs(value - test[hour].count));
  const held = predictions.filter(
    ({ interval }, hour) =>
      interval && test[hour].count >= interval[0] && test[hour].count <= interval[1],
  );
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  console.log(
    `\nMean absolute error ${mean.toFixed(1)} rentals; the intervals hold ${held.length} of ${test.length} hours.`,
  );
}
