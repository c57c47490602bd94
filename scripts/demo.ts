/**
 * The whole path on a real dataset, through the REST API of a server started for it: upload,
 * search with folds and an ensemble, leaderboard, test score, importance, prediction, explanation.
 */

import process from "node:process";
import { readBikeSharing } from "./demo/bike-sharing.ts";
import { onServer } from "./demo/on-server.ts";
import { showLeaderboard, showModel, showReport, showTest } from "./demo/report.ts";
import { train } from "./demo/train.ts";
import { wholeOption } from "./demo/whole-option.ts";
import { optionsOf } from "./options.ts";

const options = optionsOf({
  help: { type: "boolean", default: false },
  port: { type: "string", default: process.env["PORT"] ?? "8080" },
  trials: { type: "string", default: "20" },
  folds: { type: "string", default: "5" },
  seconds: { type: "string", default: "60" },
  hours: { type: "string", default: "17379" },
  exit: { type: "boolean", default: false },
});

if (options.help) {
  console.log(`pnpm demo [--port 8080] [--trials 20] [--folds 5] [--seconds 60] [--hours 17379] [--exit]

Starts a server on an empty home, trains on real data (the last of the hours of two years) through its
REST API and shows the result. The search has so many trials of each family, or as many of them as there is time for.
The server is left running until Ctrl-C, unless --exit is given.`);
  process.exit(0);
}

const { port, exit } = options;
const trialsAsked = wholeOption("trials", options.trials);
const foldsAsked = wholeOption("folds", options.folds);
const secondsAsked = wholeOption("seconds", options.seconds);
const hoursAsked = wholeOption("hours", options.hours);
await onServer({ name: "demo", port, exit }, async (api) => {
  const data = readBikeSharing(hoursAsked);
  const { modelId, reportUri, metrics } = await train(api, data, {
    trials: trialsAsked,
    folds: foldsAsked,
    seconds: secondsAsked,
  });
  showLeaderboard(metrics);
  await showModel(api, modelId, metrics);
  await showTest(api, modelId, data);
  await showReport(reportUri, "demo", exit);
  return [
    {
      does: "ask the model for an hour that you describe; what you leave out is missing to it",
      request: [
        `/v1/models/${modelId}/predict`,
        '-H "Content-Type: application/json"',
        `-d '{"instances": [{"hr": 17, "workingday": 1, "temp": 0.7, "hum": 0.4, "yr": 1, "weathersit": 1}]}'`,
      ],
    },
    {
      does: "bring a table of your own (CSV, Parquet, Arrow or NDJSON), then train on the id that it answers",
      request: ["/v1/datasets?name=mine", '-H "Content-Type: text/csv"', "--data-binary @FILE.csv"],
    },
    {
      does: "train; task_kind is regression, quantile_regression, binclass or multiclass (forecasting: demo:forecast; sequence_regression, sequence_binclass and sequence_multiclass: demo:sequences)",
      request: [
        "/v1/trainer/run",
        '-H "Content-Type: application/json"',
        `-d '{"dataset_id": "DATASET_ID", "time_budget_s": 60, "task": {"task_kind": "regression", "label_column": "COLUMN"}}'`,
      ],
    },
  ];
});
