/** Models of forecasts and of sequences, and their views. Their runs are asked for as a program does. */

import { awaitJob, type Job, startRun } from "../support/jobs.ts";
import type { Story } from "./story.ts";

const DAY_MS = 24 * 3600 * 1000;
const DAYS = 70;
const START = Date.UTC(2031, 0, 6);
const STEPS = 16;
const RUNS = 24;

/** Two shops with a week's pattern. */
const SALES = ["north", "south"].flatMap((shop, place) =>
  Array.from({ length: DAYS }, (_, day) => {
    const date = new Date(START + day * DAY_MS).toISOString().slice(0, 10);
    return `${shop},${date},${50 * (place + 1) + (day % 7) * 3 + ((day * 37) % 13) / 10}`;
  }),
);
/** Slow waves and fast ones. */
const WAVES = Array.from({ length: RUNS }, (_, run) =>
  Array.from({ length: STEPS }, (_, at) => {
    const cycles = run % 2 === 0 ? 1 : 4;
    const x = Math.sin((2 * Math.PI * cycles * at) / STEPS + run) + ((run * 31 + at) % 11) / 40;
    return `r${run},${at},${x},${run % 2 === 0 ? "slow" : "fast"}`;
  }),
).flat();

const FORECAST = {
  task_kind: "forecasting",
  label_column: "sold",
  ...{ time_column: "day", series_columns: ["shop"], horizon: 7 },
};
const SEQUENCES = {
  task_kind: "sequence_binclass",
  label_column: "pace",
  ...{ sequence_column: "run", order_column: "at" },
};

interface Run {
  readonly dataset_id: string;
  readonly config: { readonly task: { readonly task_kind: string } };
}

/** Begins their runs, which end while other things are looked at. */
export async function beginSeriesRuns({ server }: Story): Promise<readonly string[]> {
  const sales = await server.uploadCsv("sales", ["shop,day,sold", ...SALES].join("\n"));
  const waves = await server.uploadCsv("waves", ["run,at,x,pace", ...WAVES].join("\n"));
  const small = { n_trials: 1, n_cv_splits: 2 };
  return [
    await startRun(server, {
      ...{ dataset_id: sales, task: FORECAST, model_families: ["theta"], ...small },
    }),
    await startRun(server, {
      ...{ dataset_id: waves, task: SEQUENCES, model_families: ["minirocket"], ...small },
    }),
  ];
}

export async function lookAtSeries(story: Story, jobs: readonly string[]): Promise<void> {
  const { page, server } = story;
  const [forecast, sequences] = await Promise.all(jobs.map((job) => completed(story, job)));
  await story.visit(`/models/${forecast?.model_id}?tab=forecasts`);
  await page.getByRole("heading", { name: /^What comes next/ }).waitFor();
  await page.getByLabel("Series", { exact: true }).selectOption("south");
  // For whoever the address is sent to.
  await page.waitForURL(/series=south/);
  await page.getByRole("slider").press("ArrowLeft");
  await page.getByText("The next 6 steps").first().waitFor();
  await story.look("model-forecasts");
  await story.lookAtTabs("forecast", ["Overview", "Explain", "Report"]);

  await story.visit(`/models/${sequences?.model_id}?tab=sequences`);
  await story.look("model-sequences");
  await story.lookAtTabs("sequence", ["Overview", "Explain", "Report"]);
  await story.visit(`/train/runs/${jobs[0]}`);
  await story.lookAround("train-run-forecast");
  for (const run of [forecast, sequences]) {
    const { dataset_id, config } = await server.get<Run>(`/v1/training_jobs/${run?.id}`);
    const kind = config.task.task_kind;
    await story.visit(`/train/new?dataset=${dataset_id}&task=${kind}`);
    await story.lookAround(`train-form-${kind}`);
  }
}

async function completed({ server }: Story, jobId: string): Promise<Job> {
  const job = await awaitJob(server, jobId);
  if (job.status !== "completed") throw new Error(`job ${jobId}: ${job.error_message}`);
  return job;
}
