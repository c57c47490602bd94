/** The result is a function of data, configuration and random state: not of workers or of deaths. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, type LogEvent, readLog, startRun } from "./support/jobs.ts";
import { fixture, removeHomes, TestServer } from "./support/server.ts";

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

type Files = Map<string, Buffer>;

/** What the runs are asked for beside `request`, and the files of each. */
const CONFIGURATIONS = {
  stacked: { ensemble: true, stacking: true },
  refitted: { ensemble: false },
};
type Configuration = keyof typeof CONFIGURATIONS;

/** Every configuration on one server, one run after another. */
async function trainOn(workers: number): Promise<Record<Configuration, Files>> {
  const server = await TestServer.start({ workers });
  try {
    const dataset = await server.uploadCsv("cars", await cars());
    const filesOf = async (configuration: Configuration): Promise<Files> => {
      const asked = request(dataset, CONFIGURATIONS[configuration]);
      const job = await awaitJob(server, await startRun(server, asked));
      expect(job.error_message).toBe("");
      return await downloadModel(server, job.model_id);
    };
    return { stacked: await filesOf("stacked"), refitted: await filesOf("refitted") };
  } finally {
    await server.stop();
  }
}

/** Of undisturbed runs with one worker. */
let reference: Record<Configuration, Files>;
beforeAll(async () => {
  reference = await trainOn(1);
});
afterAll(removeHomes);

it("with 1 and with 2 workers the bytes are equal: a stacked ensemble, a refitted winner", async () => {
  const files = await trainOn(2);
  for (const configuration of ["stacked", "refitted"] as const) {
    expect([...files[configuration].keys()]).toContain("model.json");
    expect(files[configuration]).toEqual(reference[configuration]);
  }
});

const finished = (events: readonly LogEvent[], type: string): number =>
  events.filter(({ event }) => event.type === type).length;

const deaths: [string, Configuration, (events: readonly LogEvent[]) => boolean][] = [
  ["planned", "stacked", (events) => finished(events, "planned") > 0],
  ["mid-step", "stacked", (events) => finished(events, "fold_finished") >= 5],
  ["selecting", "stacked", (events) => finished(events, "trial_finished") >= 9],
  ["fitting", "refitted", (events) => finished(events, "selected") > 0],
];

describe("a server killed by SIGKILL finishes the job when it is started again", () => {
  let server: TestServer;
  let dataset: string;
  beforeAll(async () => {
    server = await TestServer.start();
    dataset = await server.uploadCsv("cars", await cars());
  });
  afterAll(() => server.stop());

  it.each(deaths)("%s", async (_, configuration, until) => {
    const jobId = await startRun(server, request(dataset, CONFIGURATIONS[configuration]));
    const before = await readLog(server, jobId, until);
    await server.kill();
    server = await TestServer.start({ home: server.home });

    const job = await awaitJob(server, jobId);
    expect(job.error_message).toBe("");
    const log = await readLog(server, jobId);
    expect(log.slice(0, before.length)).toEqual(before);
    const folds = log
      .filter(({ event }) => event.type === "fold_finished")
      .map(({ event }) => `${event.trial}/${event.fold}`);
    expect(folds.length).toBe(3 * 3 * 3);
    expect(new Set(folds).size).toBe(folds.length);
    expect(finished(log, "planned")).toBe(1);
    expect(await downloadModel(server, job.model_id)).toEqual(reference[configuration]);
  });
});
