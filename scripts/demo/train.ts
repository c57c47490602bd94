/** Uploads, trains, and shows how far it is. */

import type { Api } from "./api.ts";
import { IGNORED, LABEL, type Split } from "./bike-sharing.ts";
import { JobEnded } from "./job-ended.ts";
import { bar, duration, StatusLine } from "./text.ts";

export interface JobMetrics {
  readonly metrics: {
    readonly status: string;
    readonly error_message: string;
    readonly progress: {
      readonly phase: string;
      readonly trials_planned: number;
      readonly trials_done: number;
      readonly trials_failed: number;
      readonly trials_pruned: number;
      readonly trials_refused: number;
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
      /** Why it ended without a score, if it did. */
      readonly reason: string | null;
      readonly values: Readonly<Record<string, number>> | null;
      readonly fold_values: readonly (Readonly<Record<string, number>> | null)[];
    }[];
    readonly scores: Readonly<Record<string, number>> | null;
    readonly pareto: readonly {
      readonly estimates: { readonly fold_mean: Readonly<Record<string, number>> | null };
    }[];
  };
}

export type Metrics = JobMetrics["metrics"];

const PHASES: Readonly<Record<string, string>> = {
  new: "reading and binning the data",
  searching: "searching",
  selecting: "selecting the ensemble",
  fitting: "fitting",
  saving: "weighing the columns and saving the model",
  done: "writing the report",
};

export async function train(
  api: Api,
  data: Split,
  size: { readonly trials: number; readonly folds: number; readonly seconds: number },
): Promise<{ modelId: string; reportUri: string; metrics: Metrics }> {
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
    n_trials: size.trials,
    n_cv_splits: size.folds,
    // On a slow machine, too, it is worth waiting for.
    time_budget_s: size.seconds,
    ensemble: true,
    random_state: 7,
  });
  console.log(
    `Training job ${job_id}: 3 families × ${size.trials} trials × ${size.folds} folds, within ${duration(size.seconds)}.\n`,
  );
  const metrics = await watch(api, job_id);
  const job = await api.get<{ model_id: string; result_uri: string }>(
    `/v1/training_jobs/${job_id}`,
  );
  return { modelId: job.model_id, reportUri: job.result_uri, metrics };
}

/** With less time left, what is done says more than how long it takes. */
const NEARLY_DONE_S = 1;

/** Shows the progress until the job is done. */
export async function watch(api: Api, jobId: string): Promise<Metrics> {
  const line = new StatusLine();
  for (;;) {
    const { metrics } = await api.get<JobMetrics>(`/v1/jobs/${jobId}/metrics`);
    const { progress } = metrics;
    if (metrics.status === "completed") {
      line.end();
      console.log(
        `Trained in ${duration(progress.seconds)}: ${progress.trials_done} of ${progress.trials_planned} trials run to their end${endedEarly(progress)}.`,
      );
      for (const { number, family, reason } of metrics.trials.filter(isFailed)) {
        console.log(
          `Trial ${number} (${family}) failed: ${reason ?? "for no reason that it told"}`,
        );
      }
      return metrics;
    }
    if (metrics.status === "failed") throw new JobEnded(metrics.error_message);
    // By time, since pruned trials leave folds undone.
    const { seconds, estimate } = progress;
    const share = estimate === null ? 0 : seconds / (seconds + estimate || 1);
    line.update(
      [
        `${bar(share, 24)} trial ${progress.trials_done}/${progress.trials_planned}${endedEarly(progress)}`,
        progress.best ? `best ${progress.best.metric} ${progress.best.score.toFixed(2)}` : "",
        estimate === null || estimate < NEARLY_DONE_S
          ? PHASES[progress.phase]
          : `about ${duration(estimate)} left`,
      ]
        .filter((part) => part !== "")
        .join("   "),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const isFailed = ({ state }: Metrics["trials"][number]): boolean => state === "failed";

/** Trials without all their folds, such as `, 12 pruned, 1 failed`. */
function endedEarly(progress: Metrics["progress"]): string {
  const counts = {
    pruned: progress.trials_pruned,
    refused: progress.trials_refused,
    failed: progress.trials_failed,
  };
  return Object.entries(counts)
    .map(([how, count]) => (count > 0 ? `, ${count} ${how}` : ""))
    .join("");
}
