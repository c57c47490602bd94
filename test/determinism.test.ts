/** The result is a function of data, configuration and random state: not of workers or of deaths. */

import { afterAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, type LogEvent, readLog, startRun } from "./support/jobs.ts";
import { fixture, newHome, removeHomes, TestServer } from "./support/server.ts";

const request = (datasetId: string, more: object = {}) => ({
  dataset_id: datasetId,
  task: { task_kind: "multiclass", label_column: "class" },
  hpo_space: {
    models: [
      { family: "gbdt", fixed: { n_estimators: 20 } },
      { family: "extra_trees", fixed: { n_estimators: 40 } },
      { family: "linear" },
    ],
  },
  metrics: ["log_loss", "accuracy"],
  n_trials: 3,
  n_trials_per_step: 2,
  n_cv_splits: 3,
  random_state: 11,
  ...more,
});

/** Two of five cars (they are in the order of their attributes): what is asked takes long enough. */
async function cars(): Promise<string> {
  const lines = (await fixture("car_evaluation/data.csv")).split("\n");
  return lines.filter((_, index) => index === 0 || index % 5 < 2).join("\n");
}

async function trainOn(workers: number, more: object): Promise<Map<string, Buffer>> {
  const server = await TestServer.start({ workers });
  try {
    const dataset = await server.uploadCsv("cars", await cars());
    const job = await awaitJob(server, await startRun(server, request(dataset, more)));
    expect(job.error_message).toBe("");
    return await downloadModel(server, job.model_id);
  } finally {
    await server.stop();
  }
}

afterAll(removeHomes);

const reference = new Map<string, Promise<Map<string, Buffer>>>();

/** The files of an undisturbed run with one worker; made once for each configuration. */
function undisturbed(more: object): Promise<Map<string, Buffer>> {
  const key = JSON.stringify(more);
  const files = reference.get(key) ?? trainOn(1, more);
  reference.set(key, files);
  return files;
}

describe("equal bytes", () => {
  it.each([
    ["an ensemble that may be stacked", { ensemble: true, stacking: true }],
    ["a refitted winner", { ensemble: false }],
  ])("with 1 and with 2 workers: %s", async (_, more) => {
    const files = await trainOn(2, more);
    expect([...files.keys()]).toContain("model.json");
    expect(files).toEqual(await undisturbed(more));
  });
});

const finished = (events: readonly LogEvent[], type: string): number =>
  events.filter(({ event }) => event.type === type).length;

const deaths: [string, object, (events: readonly LogEvent[]) => boolean][] = [
  ["planned", { ensemble: true }, (events) => finished(events, "planned") > 0],
  ["mid-step", { ensemble: true }, (events) => finished(events, "fold_finished") >= 5],
  ["selecting", { ensemble: true }, (events) => finished(events, "trial_finished") >= 9],
  ["fitting", { ensemble: false }, (events) => finished(events, "selected") > 0],
];

describe("a server killed by SIGKILL finishes the job when it is started again", () => {
  it.each(deaths)("%s", async (_, more, until) => {
    const home = await newHome();
    const first = await TestServer.start({ home });
    const dataset = await first.uploadCsv("cars", await cars());
    const jobId = await startRun(first, request(dataset, more));
    const before = await readLog(first, jobId, until);
    await first.kill();

    const second = await TestServer.start({ home });
    try {
      const job = await awaitJob(second, jobId);
      expect(job.error_message).toBe("");
      const log = await readLog(second, jobId);
      expect(log.slice(0, before.length)).toEqual(before);
      const folds = log
        .filter(({ event }) => event.type === "fold_finished")
        .map(({ event }) => `${event.trial}/${event.fold}`);
      expect(folds.length).toBe(3 * 3 * 3);
      expect(new Set(folds).size).toBe(folds.length);
      expect(finished(log, "planned")).toBe(1);
      expect(await downloadModel(second, job.model_id)).toEqual(await undisturbed(more));
    } finally {
      await second.stop();
    }
  });
});
