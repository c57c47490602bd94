/**
 * The whole path on a real dataset, through the REST API of a server started for it: upload,
 * search with folds and an ensemble, leaderboard, test score, importance, prediction, explanation.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Api, connect } from "./demo/api.ts";
import { IGNORED, LABEL, readBikeSharing, type Split } from "./demo/bike-sharing.ts";
import { startServer } from "./demo/server.ts";
import { bar, duration, StatusLine, table } from "./demo/text.ts";

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    port: { type: "string", default: process.env["PORT"] ?? "8080" },
    trials: { type: "string", default: "20" },
    folds: { type: "string", default: "5" },
    exit: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(`pnpm demo [--port 8080] [--trials 20] [--folds 5] [--exit]

Starts a server on an empty home, trains on real data through its REST API and shows the result.
The server is left running until Ctrl-C, unless --exit is given.`);
  process.exit(0);
}

interface JobMetrics {
  readonly metrics: {
    readonly status: string;
    readonly error_message: string;
    readonly progress: {
      readonly phase: string;
      readonly trials_planned: number;
      readonly trials_done: number;
      readonly folds_planned: number;
      readonly folds_done: number;
      readonly seconds: number;
      readonly estimate: number | null;
      readonly best: { readonly metric: string; readonly score: number } | null;
    };
    readonly trials: readonly {
      readonly number: number;
      readonly state: string;
      readonly family: string;
      readonly values: Readonly<Record<string, number>> | null;
      readonly fold_values: readonly (Readonly<Record<string, number>> | null)[];
    }[];
    readonly scores: Readonly<Record<string, number>> | null;
  };
}

interface ModelRecord {
  readonly members: readonly {
    readonly family: string;
    readonly trial: number;
    readonly weight: number;
  }[];
  readonly card: {
    readonly importance: {
      readonly permutation: readonly { readonly column: string; readonly importance: number }[];
    };
  };
}

interface Explanations {
  readonly explanations: readonly {
    readonly base_value: number;
    readonly prediction: number;
    readonly contributions: Readonly<Record<string, number>>;
  }[];
}

const key = `demo_${randomBytes(18).toString("base64url")}`;
const home = join(
  ".distillery",
  `demo-${new Date()
    .toISOString()
    .replaceAll(/[^0-9]/g, "")
    .slice(0, 14)}`,
);
const server = await startServer({ port: options.port, key, home });
try {
  await demonstrate(connect(server.baseUrl, key), readBikeSharing());
} catch (error) {
  await server.stop();
  if (error instanceof Error && server.stopping) process.exit(130);
  throw error;
}

console.log(`\nThe server is still running, with its data in ${home}:

  API       ${server.baseUrl}/v1
  Docs      ${server.baseUrl}/docs
  API key   ${key}
`);
if (options.exit) await server.stop();
else {
  console.log("Ctrl-C stops it.");
  await server.exited;
}

async function demonstrate(api: Api, data: Split): Promise<void> {
  console.log(
    `\nUCI bike sharing: ${data.trainRows} hours to learn from, ${data.test.length} kept back as a test.`,
  );
  const dataset = await api.upload<{ dataset_id: string; rows: number }>(
    "/v1/datasets?name=bike-sharing",
    "text/csv",
    data.trainCsv,
  );
  console.log(`Registered as dataset ${dataset.dataset_id} with ${dataset.rows} rows.`);
  const { job_id } = await api.post<{ job_id: string }>("/v1/trainer/run", {
    name: "bikes by the hour",
    dataset_id: dataset.dataset_id,
    task: { task_kind: "regression", label_column: LABEL, ignore_columns: IGNORED },
    model_families: ["gbdt", "extra_trees", "linear"],
    // Fewer and larger steps than the default space searches: a demo should not take an hour.
    hpo_space: {
      models: [
        {
          family: "gbdt",
          search: { learning_rate: { type: "float", low: 0.03, high: 0.2, log: true } },
          fixed: { n_estimators: 500 },
        },
      ],
    },
    metrics: ["rmse", "r2"],
    n_trials: Number(options.trials),
    n_cv_splits: Number(options.folds),
    ensemble: true,
    random_state: 7,
  });
  console.log(
    `Training job ${job_id}: 3 families × ${options.trials} trials × ${options.folds} folds.\n`,
  );
  const metrics = await watch(api, job_id);
  showLeaderboard(metrics);
  const job = await api.get<{ model_id: string }>(`/v1/training_jobs/${job_id}`);
  await showModel(api, job.model_id, metrics);
  await showTest(api, job.model_id, data);
}

const PHASES: Readonly<Record<string, string>> = {
  new: "reading and binning the data",
  searching: "searching",
  selecting: "selecting the ensemble",
  fitting: "fitting",
  saving: "weighing the columns and saving the model",
  done: "done",
};

async function watch(api: Api, jobId: string): Promise<JobMetrics["metrics"]> {
  const line = new StatusLine();
  for (;;) {
    const { metrics } = await api.get<JobMetrics>(`/v1/jobs/${jobId}/metrics`);
    const { progress } = metrics;
    if (metrics.status === "completed") {
      line.end();
      console.log(`Trained in ${duration(progress.seconds)}.`);
      return metrics;
    }
    if (metrics.status === "failed") throw new Error(`The job failed: ${metrics.error_message}`);
    const share = progress.folds_planned > 0 ? progress.folds_done / progress.folds_planned : 0;
    line.update(
      [
        `${bar(share, 24)} trial ${progress.trials_done}/${progress.trials_planned}`,
        progress.best ? `best ${progress.best.metric} ${progress.best.score.toFixed(2)}` : "",
        progress.estimate === null
          ? PHASES[progress.phase]
          : `about ${duration(progress.estimate)} of search left`,
      ]
        .filter((part) => part !== "")
        .join("   "),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function showLeaderboard(metrics: JobMetrics["metrics"]): void {
  const finished = metrics.trials
    .flatMap(({ values, ...trial }) => (values ? [{ ...trial, values }] : []))
    .sort((a, b) => a.values["rmse"] - b.values["rmse"]);
  console.log("\nLeaderboard (mean over folds)");
  const rows = finished.slice(0, 10).map((trial, index) => {
    const folds = trial.fold_values.flatMap((fold) => (fold ? [fold["rmse"]] : []));
    const mean = trial.values["rmse"];
    const spread = Math.sqrt(
      folds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, folds.length - 1),
    );
    return [
      String(index + 1),
      trial.family,
      String(trial.number),
      mean.toFixed(2),
      `± ${spread.toFixed(2)}`,
      trial.values["r2"].toFixed(4),
    ];
  });
  console.log(table([["", "family", "trial", "rmse", "", "r2"], ...rows], [0, 2, 3, 4, 5]));
}

async function showModel(api: Api, modelId: string, metrics: JobMetrics["metrics"]): Promise<void> {
  const model = await api.get<ModelRecord>(`/v1/models/${modelId}`);
  const weights = new Map<string, number>();
  for (const { family, trial, weight } of model.members) {
    const name = `${family} (trial ${trial})`;
    weights.set(name, (weights.get(name) ?? 0) + weight);
  }
  console.log("\nThe ensemble");
  const members = [...weights].sort((a, b) => b[1] - a[1]);
  console.log(
    table(
      members.map(([name, weight]) => [name, `${(100 * weight).toFixed(1)} %`]),
      [1],
    ),
  );
  if (metrics.scores) {
    console.log(
      `out-of-fold rmse ${metrics.scores["rmse"].toFixed(2)}, r2 ${metrics.scores["r2"].toFixed(4)}`,
    );
  }
  console.log("\nWhat it relies on (rise of rmse when the column is shuffled)");
  const importance = [...model.card.importance.permutation]
    .sort((a, b) => b.importance - a.importance)
    .slice(0, 6);
  const top = importance[0]?.importance ?? 1;
  console.log(
    table(
      importance.map(({ column, importance: rise }) => [
        column,
        rise.toFixed(2),
        bar(rise / top, 24),
      ]),
      [1],
    ),
  );
}

async function showTest(api: Api, modelId: string, data: Split): Promise<void> {
  const { predictions } = await api.post<{ predictions: { value: number }[] }>(
    `/v1/models/${modelId}/predict`,
    { instances: data.test },
  );
  const mean = data.testTarget.reduce((sum, value) => sum + value, 0) / data.testTarget.length;
  let squared = 0;
  let total = 0;
  for (const [row, target] of data.testTarget.entries()) {
    squared += (predictions[row].value - target) ** 2;
    total += (target - mean) ** 2;
  }
  const rmse = Math.sqrt(squared / data.testTarget.length);
  console.log(
    `\nTest score on the ${data.test.length} rows kept back: rmse ${rmse.toFixed(2)}, r2 ${(1 - squared / total).toFixed(4)}`,
  );
  const { explanations } = await api.post<Explanations>(`/v1/models/${modelId}/explain`, {
    instances: [data.test[0]],
  });
  const [explanation] = explanations;
  console.log(`\nOne of them: ${JSON.stringify(data.test[0])}`);
  console.log(
    `predicted ${predictions[0].value.toFixed(1)} bikes, counted ${data.testTarget[0]}; starting from the average ${explanation.base_value.toFixed(1)}:`,
  );
  const contributions = Object.entries(explanation.contributions)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .slice(0, 6);
  console.log(
    table(
      contributions.map(([column, value]) => [
        `  ${column} = ${data.test[0][column]}`,
        `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(1)}`,
      ]),
      [1],
    ),
  );
}
