/** The models that are served, trained over the service's own API on made data, and rows to ask them about. */

import { setTimeout as sleep } from "node:timers/promises";
import { AUTHORIZATION, type ServerProcess, send } from "../service.ts";

export interface ServedModel {
  readonly id: string;
  readonly members: number;
  readonly columns: readonly string[];
  /** Rows in the order of the columns. */
  readonly rows: readonly (readonly (string | number)[])[];
}

interface Made {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly labels: readonly (string | number)[];
}

/** 30 columns of numbers: 500 trees of 63 leaves, and nothing beside them. */
export async function manyTrees(server: ServerProcess, quick: boolean): Promise<ServedModel> {
  const made = ofNumbers(quick ? 4000 : 20_000);
  return trained(server, made, {
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: {
      models: [{ family: "gbdt", fixed: { n_estimators: 500, num_leaves: 63 } }],
    },
    n_trials: 1,
    n_cv_splits: null,
    ensemble: false,
  });
}

/** What a run makes whose request says nothing but the label, four classes of it. */
export async function defaultEnsemble(server: ServerProcess, quick: boolean): Promise<ServedModel> {
  return trained(server, mixed(quick ? 400 : 1500), {
    task: { task_kind: "multiclass", label_column: "y" },
    ensemble: true,
    n_trials: quick ? 4 : 12,
  });
}

/** Begins a run that keeps all cores busy until the service is stopped. */
export async function beginTraining(server: ServerProcess): Promise<void> {
  const { columns, rows, labels } = ofNumbers(40_000);
  const dataset_id = await register(server, { columns, rows, labels });
  await send(server, "POST", "/v1/trainer/run", {
    dataset_id,
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 2000, num_leaves: 63 } }] },
    n_trials: 100,
  });
}

async function register(server: ServerProcess, { columns, rows, labels }: Made): Promise<string> {
  const lines = rows.map((row, index) => [...row, labels[index]].join(","));
  const response = await fetch(`${server.url}/v1/datasets?name=bench`, {
    method: "POST",
    headers: { ...AUTHORIZATION, "content-type": "text/csv" },
    body: [[...columns, "y"].join(","), ...lines].join("\n"),
  });
  if (!response.ok) throw new Error(await response.text());
  const { dataset_id }: { dataset_id: string } = JSON.parse(await response.text());
  return dataset_id;
}

async function trained(server: ServerProcess, made: Made, asked: object): Promise<ServedModel> {
  const dataset_id = await register(server, made);
  const { job_id } = await send<{ job_id: string }>(server, "POST", "/v1/trainer/run", {
    dataset_id,
    ...asked,
  });
  for (;;) {
    const job = await send<{ status: string; model_id: string; error_message: string }>(
      server,
      "GET",
      `/v1/training_jobs/${job_id}`,
    );
    if (job.status === "failed") throw new Error(job.error_message);
    if (job.status === "completed") {
      const model = await send<{ members: readonly unknown[] }>(
        server,
        "GET",
        `/v1/models/${job.model_id}`,
      );
      const { columns, rows } = made;
      return { id: job.model_id, members: model.members.length, columns, rows };
    }
    await sleep(200);
  }
}

/** A generator of the bench's own: the same rows at each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function ofNumbers(count: number): Made {
  const next = numbers(7);
  const columns = Array.from({ length: 30 }, (_, index) => `x${index}`);
  const rows = Array.from({ length: count }, () => columns.map(() => Number(next().toFixed(6))));
  const labels = rows.map((row) =>
    Number(
      (
        10 * Math.sin(6 * row[0] * row[1]) +
        20 * (row[2] - 0.5) ** 2 +
        row[3] * row[4] +
        next()
      ).toFixed(5),
    ),
  );
  return { columns, rows, labels };
}

const SHOPS = ["north", "south", "east", "west", "centre"];

function mixed(count: number): Made {
  const next = numbers(11);
  const columns = [...Array.from({ length: 10 }, (_, index) => `x${index}`), "shop", "plan"];
  const rows = Array.from({ length: count }, () => [
    ...Array.from({ length: 10 }, () => Number(next().toFixed(4))),
    SHOPS[Math.floor(next() * SHOPS.length)],
    next() < 0.4 ? "monthly" : "yearly",
  ]);
  const labels = rows.map(([a, b, c, ...rest]) => {
    const score = 2 * Number(a) + Number(b) * Number(c) + (rest.at(-1) === "yearly" ? 0.7 : 0);
    return `class${Math.min(3, Math.floor(score + next() * 0.8))}`;
  });
  return { columns, rows, labels };
}
