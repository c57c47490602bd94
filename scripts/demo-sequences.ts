/**
 * Sequences through the REST API of a server started for it: days of 24 hours, told apart by their shape,
 * and one of them explained hour by hour.
 */

import process from "node:process";
import type { Api } from "./demo/api.ts";
import { type Days, readDays } from "./demo/days-by-the-hour.ts";
import { onServer } from "./demo/on-server.ts";
import { showReport } from "./demo/report.ts";
import { bar, table } from "./demo/text.ts";
import { watch } from "./demo/train.ts";
import { wholeOption } from "./demo/whole-option.ts";
import { optionsOf } from "./options.ts";

const options = optionsOf({
  help: { type: "boolean", default: false },
  port: { type: "string", default: process.env["PORT"] ?? "8080" },
  trials: { type: "string", default: "1" },
  days: { type: "string", default: "240" },
  exit: { type: "boolean", default: false },
});

if (options.help) {
  console.log(`pnpm demo:sequences [--port 8080] [--trials 1] [--days 240] [--exit]

Starts a server on an empty home, learns working days from free ones by their hours, and shows which hours
decide. The server is left running until Ctrl-C, unless --exit is given.`);
  process.exit(0);
}

interface OverTime {
  readonly base_value: number;
  readonly prediction: number;
  readonly segments: readonly {
    readonly start: number;
    readonly end: number;
    readonly contribution: number;
  }[];
}

const { port, exit } = options;
const trialsAsked = wholeOption("trials", options.trials);
const daysAsked = wholeOption("days", options.days);
await onServer({ name: "demo-sequences", port, exit }, async (api) => {
  const days = readDays(daysAsked);
  const { modelId, reportUri } = await train(api, days);
  await showTest(api, modelId, days);
  await showHours(api, modelId, days);
  await showReport(reportUri, "demo-sequences", exit);
  const asked = [
    '-H "Content-Type: application/json"',
    `-d '{"instances": ${JSON.stringify(days.test[0].hours)}}'`,
  ];
  return [
    {
      does: "ask about a day: its hours as rows, one answer",
      request: [`/v1/models/${modelId}/predict`, ...asked],
    },
    {
      does: "explain it, each channel in 12 stretches of time",
      request: [`/v1/models/${modelId}/explain?segments=12`, ...asked],
    },
  ];
});

async function train(
  api: Api,
  { csv, count, test }: Days,
): Promise<{ modelId: string; reportUri: string }> {
  console.log(
    `\nUCI bike sharing: ${count} days of 24 hours to learn from, ${test.length} kept back as a test.`,
  );
  const { dataset_id } = await api.upload<{ dataset_id: string }>(
    "/v1/datasets?name=days",
    "text/csv",
    csv,
  );
  const { job_id } = await api.post<{ job_id: string }>("/v1/trainer/run", {
    name: "working days and free ones",
    dataset_id,
    task: {
      task_kind: "sequence_binclass",
      label_column: "kind",
      sequence_column: "day",
      order_column: "hour",
    },
    model_families: ["minirocket", "interval_gbdt"],
    n_trials: trialsAsked,
    n_cv_splits: 3,
    random_state: 7,
  });
  console.log(
    `Training job ${job_id}: 2 families × ${options.trials} ${options.trials === "1" ? "trial" : "trials"} × 3 folds.\n`,
  );
  const { scores } = await watch(api, job_id);
  if (scores) console.log(`\nlog-loss out of fold: ${scores["log_loss"].toFixed(3)}`);
  const job = await api.get<{ model_id: string; result_uri: string }>(
    `/v1/training_jobs/${job_id}`,
  );
  return { modelId: job.model_id, reportUri: job.result_uri };
}

async function showTest(api: Api, modelId: string, { test }: Days): Promise<void> {
  const { predictions } = await api.post<{ predictions: { label: string }[] }>(
    `/v1/models/${modelId}/predict`,
    { instances: test.flatMap(({ hours }) => hours) },
  );
  const right = predictions.filter(({ label }, i) => label === test[i].kind).length;
  console.log(`Of the ${test.length} days kept back, ${right} are told right.`);
}

function twoDigits(hour: number): string {
  return String(hour).padStart(2, "0");
}

/** What each three hours of a working day say for its being one. */
async function showHours(api: Api, modelId: string, { test }: Days): Promise<void> {
  const day = test.find(({ kind, hours }) => kind === "working" && hours.length === 24) ?? test[0];
  const { explanations } = await api.post<{ explanations: { over_time: OverTime }[] }>(
    `/v1/models/${modelId}/explain?segments=8`,
    { instances: day.hours },
  );
  const { base_value, prediction, segments } = explanations[0].over_time;
  const most = Math.max(...segments.map(({ contribution }) => Math.abs(contribution)));
  console.log(
    `\n${day.hours[0].day}, a ${day.kind} day: probability of a working day ${prediction.toFixed(3)}; ${base_value.toFixed(3)} if nothing were known of its hours. What they add:`,
  );
  console.log(
    table(
      segments.map(({ start, end, contribution }) => [
        `${twoDigits(day.hours[start].hour)}:00 to ${twoDigits(day.hours[end - 1].hour)}:59`,
        `${contribution < 0 ? "−" : "+"}${Math.abs(contribution).toFixed(3)}`,
        bar(Math.abs(contribution) / most, 24),
      ]),
      [0, 1],
    ),
  );
}
