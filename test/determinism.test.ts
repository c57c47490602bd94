/** The result is a function of data, configuration and random state: not of workers or of deaths. */

import { FAMILIES } from "@distillery/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, type LogEvent, readLog, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { fixture, removeHomes, TestServer } from "./support/server.ts";

/** What a run is asked for, on which data, and the fits that its search makes. */
interface Configuration {
  readonly data: () => string | Promise<string>;
  readonly asked: object;
  readonly fits: number;
}

/** Two of five cars (they are in the order of their attributes): what is asked takes long enough. */
async function cars(): Promise<string> {
  const lines = (await fixture("car_evaluation/data.csv")).split("\n");
  return lines.filter((_, index) => index === 0 || index % 5 < 2).join("\n");
}

/** Sequences of 12 … 16 steps and two channels, with a label of every kind; their steps are mixed. */
function waves(): string {
  const lines = Array.from({ length: 36 }, (_, s) =>
    Array.from({ length: 12 + (s % 5) }, (_step, t) => {
      const x =
        Math.sin((2 * Math.PI * t * (1 + (s % 3))) / 12 + s) + ((s * 31 + t * 17) % 11) / 40;
      return `w${s},${t},${x.toFixed(4)},${((s * 7 + t * 3) % 10) / 10},${s % 4},k${s % 2},c${s % 3},${s % 3}`;
    }),
  ).flat();
  const mixed = lines.map((_, i) => lines[(i * 29) % lines.length]);
  return ["run,at,x,z,machine,two,three,value", ...mixed].join("\n");
}

/** A trend with a season, one that is mostly zero, and a short one. */
function sales(): string {
  const lines = ["a", "rare", "short"].flatMap((shop, s) =>
    Array.from({ length: s === 2 ? 30 : 48 }, (_, t) => {
      const value = s === 1 ? (t % 5 === 0 ? 3 : 0) : t + 8 * Math.sin((t * Math.PI) / 3) + s;
      return `${shop},${t},${(value + ((t * 13) % 7) / 10).toFixed(3)}`;
    }),
  );
  return ["shop,month,sold", ...lines].join("\n");
}

const ofCars = (more: object): Configuration => ({
  data: cars,
  asked: {
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
    ...more,
  },
  fits: 3 * 3 * 3,
});

const OF_SEQUENCES = [
  { family: "minirocket", fixed: { features: 1000 } },
  { family: "multirocket", fixed: { kernels: 500 } },
  { family: "hydra", fixed: { groups: 8 } },
  { family: "multirocket_hydra", fixed: { kernels: 500, groups: 8 } },
  { family: "shapelets", fixed: { shapelets: 300 } },
  { family: "interval_gbdt", fixed: { rounds: 10 } },
  { family: "quant", fixed: { trees: 20 } },
  { family: "dtw_knn" },
];

/** All families learn classes; values and two classes, every other one. */
const ofWaves = (
  kind: string,
  label: string,
  models: readonly object[],
  more: object = {},
): Configuration => ({
  data: waves,
  asked: {
    task: {
      task_kind: kind,
      label_column: label,
      sequence_column: "run",
      order_column: "at",
      ignore_columns: ["two", "three", "value"].filter((name) => name !== label),
    },
    hpo_space: { models },
    n_trials: 1,
    n_cv_splits: 2,
    ...more,
  },
  fits: models.length * 2,
});

const CONFIGURATIONS = {
  stacked: ofCars({ ensemble: true, stacking: true }),
  refitted: ofCars({ ensemble: false }),
  sequence_regression: ofWaves(
    "sequence_regression",
    "value",
    OF_SEQUENCES.filter((_, place) => place % 2 === 0),
  ),
  sequence_binclass: ofWaves(
    "sequence_binclass",
    "two",
    OF_SEQUENCES.filter((_, place) => place % 2 === 1),
    { ensemble: false, strict_folds: true },
  ),
  sequence_multiclass: ofWaves("sequence_multiclass", "three", OF_SEQUENCES, { stacking: true }),
  forecasting: {
    data: sales,
    asked: {
      task: {
        task_kind: "forecasting",
        label_column: "sold",
        time_column: "month",
        series_columns: ["shop"],
        horizon: 4,
        season_length: 6,
      },
      hpo_space: {
        models: [
          { family: "seasonal_naive" },
          { family: "theta" },
          { family: "dynamic_regression", fixed: { rest: "ets" } },
          { family: "ets" },
          { family: "harmonic_regression" },
          { family: "arima" },
          { family: "croston" },
          { family: "dlinear" },
          { family: "lag_gbdt", fixed: { rounds: 10 } },
        ],
      },
      n_trials: 1,
      n_cv_splits: 2,
    },
    fits: 9 * 2,
  },
} satisfies Record<string, Configuration>;
type Name = keyof typeof CONFIGURATIONS;
const ALL_NAMES: readonly Name[] = Object.keys(CONFIGURATIONS).filter(
  (name): name is Name => name in CONFIGURATIONS,
);
/** One of series, unless all were asked for: tables are killed in other tests, too. */
const NAMES: readonly Name[] = IS_LONG ? ALL_NAMES : ["forecasting"];

type Files = Map<string, Buffer>;

/** Uploads the data of a configuration once a server. */
class Datasets {
  readonly #server: TestServer;
  readonly #known: Map<Configuration["data"], string>;

  constructor(server: TestServer, known = new Map<Configuration["data"], string>()) {
    this.#server = server;
    this.#known = known;
  }

  /** The same ones, of the server on that home. */
  on(server: TestServer): Datasets {
    return new Datasets(server, this.#known);
  }

  async requestOf(name: Name): Promise<object> {
    const { data, asked }: Configuration = CONFIGURATIONS[name];
    const known = this.#known.get(data);
    const dataset_id = known ?? (await this.#server.uploadCsv(data.name, await data()));
    this.#known.set(data, dataset_id);
    return { dataset_id, random_state: 11, ...asked };
  }
}

/** Of undisturbed runs with one worker, one after another. */
const reference = new Map<Name, Files>();
beforeAll(async () => {
  const server = await TestServer.start({ workers: 1 });
  try {
    const datasets = new Datasets(server);
    for (const name of NAMES) {
      const job = await awaitJob(server, await startRun(server, await datasets.requestOf(name)));
      expect(job.error_message).toBe("");
      reference.set(name, await downloadModel(server, job.model_id));
    }
  } finally {
    await server.stop();
  }
});
afterAll(removeHomes);

it("every family of sequences and of series is among the runs", () => {
  const asked = JSON.stringify(CONFIGURATIONS);
  const framed = FAMILIES.filter(({ reads }) => reads === "sequences" || reads === "series");
  for (const { id } of framed) expect(asked).toContain(`"${id}"`);
});

const finished = (events: readonly LogEvent[], type: string): number =>
  events.filter(({ event }) => event.type === type).length;

/** One of each configuration, and each moment of a run. */
const deaths: [string, Name, (events: readonly LogEvent[]) => boolean][] = [
  ["planned", "sequence_regression", (events) => finished(events, "planned") > 0],
  ["mid-step", "stacked", (events) => finished(events, "fold_finished") >= 5],
  ["fitting", "refitted", (events) => finished(events, "selected") > 0],
  ["mid-step", "sequence_binclass", (events) => finished(events, "fold_finished") >= 3],
  ["selecting", "sequence_multiclass", (events) => finished(events, "trial_finished") >= 5],
  ["fitting", "forecasting", (events) => finished(events, "selected") > 0],
];

it("every configuration is killed once", () => {
  expect(deaths.map(([, name]) => name).sort()).toEqual([...ALL_NAMES].sort());
});

// With two workers: that the bytes are those of one is told for each configuration, too.
describe("a server with two workers killed by SIGKILL finishes the job when it is started again", () => {
  let server: TestServer;
  let datasets: Datasets;
  beforeAll(async () => {
    server = await TestServer.start({ workers: 2 });
    datasets = new Datasets(server);
  });
  afterAll(() => server.stop());

  it.each(deaths.filter(([, name]) => NAMES.includes(name)))("%s, %s", async (_, name, until) => {
    const jobId = await startRun(server, await datasets.requestOf(name));
    const before = await readLog(server, jobId, until);
    await server.kill();
    server = await TestServer.start({ home: server.home, workers: 2 });
    datasets = datasets.on(server);

    const job = await awaitJob(server, jobId);
    expect(job.error_message).toBe("");
    const log = await readLog(server, jobId);
    expect(log.slice(0, before.length)).toEqual(before);
    const folds = log
      .filter(({ event }) => event.type === "fold_finished")
      .map(({ event }) => `${event.trial}/${event.fold}`);
    expect(folds.length).toBe(CONFIGURATIONS[name].fits);
    expect(new Set(folds).size).toBe(folds.length);
    expect(finished(log, "planned")).toBe(1);
    const files = await downloadModel(server, job.model_id);
    expect([...files.keys()]).toContain("model.json");
    expect(files).toEqual(reference.get(name));
  });
});
