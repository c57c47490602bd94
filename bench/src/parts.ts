/** The parts of `pnpm bench`, in the order in which they run. */

import { dirname, join } from "node:path";
import type { Bench } from "tinybench";
import type { Findings } from "./findings/findings.ts";
import type { PeerProcess, SearchPeer } from "./peer-process.ts";
import { shortNumber, textTable } from "./text-table.ts";

/** Loaded when it is run: all parts together take a second and a half to load. */
function lazy<Given extends readonly unknown[], Result>(
  load: () => Promise<(...given: Given) => Result | Promise<Result>>,
): (...given: Given) => Promise<Result> {
  return async (...given): Promise<Result> => (await load())(...given);
}

const benchAccuracy = lazy(async () => (await import("./accuracy.ts")).benchAccuracy);
const benchBatch = lazy(async () => (await import("./batch/batch.bench.ts")).benchBatch);
const benchBudget = lazy(async () => (await import("./budget/budget.bench.ts")).benchBudget);
const benchCategories = lazy(
  async () => (await import("./categories/categories.bench.ts")).benchCategories,
);
const benchConformal = lazy(
  async () => (await import("./conformal/conformal.bench.ts")).benchConformal,
);
const benchConsole = lazy(async () => (await import("./console/console.bench.ts")).benchConsole);
const benchDatasetPath = lazy(async () => (await import("./dataset-path.ts")).benchDatasetPath);
const benchDistillation = lazy(
  async () => (await import("./distillation/distillation.bench.ts")).benchDistillation,
);
const benchDocuments = lazy(
  async () => (await import("./documents/documents.bench.ts")).benchDocuments,
);
const benchEnsemble = lazy(async () => (await import("./ensemble.bench.ts")).benchEnsemble);
const benchAblation = lazy(
  async () => (await import("./ensembles/ablation.bench.ts")).benchAblation,
);
const benchEnsembles = lazy(
  async () => (await import("./ensembles/ensembles.bench.ts")).benchEnsembles,
);
const benchForecastRuns = lazy(
  async () => (await import("./forecasting/forecast-runs.bench.ts")).benchForecastRuns,
);
const benchForecasting = lazy(
  async () => (await import("./forecasting/forecasting.bench.ts")).benchForecasting,
);
const benchGpu = lazy(async () => (await import("./gpu/gpu.bench.ts")).benchGpu);
const benchHttp = lazy(async () => (await import("./http/http.bench.ts")).benchHttp);
const benchKernels = lazy(async () => (await import("./kernels.bench.ts")).benchKernels);
const benchLoop = lazy(async () => (await import("./loop/loop.bench.ts")).benchLoop);
const benchMemory = lazy(async () => (await import("./memory.ts")).benchMemory);
const benchOnnx = lazy(async () => (await import("./onnx/onnx.bench.ts")).benchOnnx);
const benchPareto = lazy(async () => (await import("./pareto.bench.ts")).benchPareto);
const benchPredict = lazy(async () => (await import("./predict/predict.bench.ts")).benchPredict);
const benchPruning = lazy(async () => (await import("./pruning/pruning.bench.ts")).benchPruning);
const benchSamplers = lazy(async () => (await import("./sampler.bench.ts")).benchSamplers);
const benchScaling = lazy(async () => (await import("./scaling/scaling.bench.ts")).benchScaling);
const benchThreads = lazy(async () => (await import("./scaling/threads.bench.ts")).benchThreads);
const benchSearch = lazy(async () => (await import("./search/search.bench.ts")).benchSearch);
const benchSequenceRuns = lazy(
  async () => (await import("./sequences/sequence-runs.bench.ts")).benchSequenceRuns,
);
const benchSequences = lazy(
  async () => (await import("./sequences/sequences.bench.ts")).benchSequences,
);
const benchServing = lazy(async () => (await import("./serving/serving.bench.ts")).benchServing);
const benchShapes = lazy(async () => (await import("./shapes/shapes.bench.ts")).benchShapes);
const benchSql = lazy(async () => (await import("./sql/sql.bench.ts")).benchSql);
const benchTuned = lazy(async () => (await import("./tuned/tuned.bench.ts")).benchTuned);
const benchWholeRuns = lazy(async () => (await import("./whole-run.ts")).benchWholeRuns);

export interface BenchRequest {
  /** Of the part. */
  readonly name: string;
  readonly quick: boolean;
  readonly data: string | undefined;
  readonly checkout: string | undefined;
  readonly datasets: readonly string[];
  readonly seeds: number;
  readonly seconds: number;
  readonly families: readonly string[];
  readonly results: string;
  /** Into which drawings are written. */
  readonly plots: string;
  readonly python: string;
  readonly peers: () => Promise<PeerProcess | null>;
  readonly findings: Findings;
  readonly print: (text: string) => void;
  /** Adds members to the file of `--json`. */
  readonly report: (members: Readonly<Record<string, unknown>>) => void;
}

export interface Part {
  readonly about: string;
  run(request: BenchRequest): Promise<void>;
}

type DataRequest = BenchRequest & { readonly data: string };

/** A part that reads the data sets of `--data`. */
function onData(about: string, run: (request: DataRequest) => Promise<void>): Part {
  return {
    about,
    async run(request) {
      const { name, data, print } = request;
      if (data === undefined) {
        print(`\n${name}: left out, since --data names no folder of data sets\n`);
        return;
      }
      await run({ ...request, data });
    },
  };
}

/** The data sets that were asked for; where none were, a few of them for a quick look, else `usual`; empty: all. */
function some(
  { quick, datasets }: BenchRequest,
  few: readonly string[],
  usual: readonly string[] = [],
): readonly string[] {
  if (datasets.length > 0) return datasets;
  return quick ? few : usual;
}

/** Times of ours alone. */
function inMilliseconds(about: string, make: (quick: boolean) => Promise<Bench>): Part {
  return {
    about,
    async run({ quick, findings, print }) {
      const bench = await make(quick);
      print(`\n${bench.name ?? ""}\n`);
      const rows = bench.tasks.map(({ name, result }) => {
        if (!("latency" in result)) {
          return [name, "error" in result ? `failed: ${String(result.error)}` : result.state];
        }
        const { p50, min } = result.latency;
        findings.note(name, "ms", p50);
        return [name, shortNumber(p50), shortNumber(min), String(result.latency.samplesCount)];
      });
      print(`${textTable(["", "median ms", "least ms", "runs"], rows)}\n`);
    },
  };
}

export const PARTS: Readonly<Record<string, Part>> = {
  kernels: inMilliseconds(
    "binning, gradients, trees, prediction, TreeSHAP, the linear solver",
    benchKernels,
  ),
  scaling: {
    about: "time and memory of a fit against rows, columns and threads, with drawings",
    run: benchScaling,
  },
  threads: {
    about: "one fit of boosting shared by threads, beside the same fit alone: time and equal bytes",
    run: benchThreads,
  },
  gpu: {
    about:
      "the GPU's work on trees beside the CPU's, on SwiftShader where there is none: equal bytes, time",
    run: benchGpu,
  },
  sampler: inMilliseconds(
    "one suggestion of each search strategy at 1,000 past trials of 10 parameters",
    benchSamplers,
  ),
  search: onData(
    "best validation loss so far on real models, beside Optuna's default sampler; long",
    async (request) => {
      const { STRATEGIES } = await import("./search/search.bench.ts");
      const strategies = request.quick ? STRATEGIES : STRATEGIES.slice(0, 2);
      await benchSearch({ ...request, strategies });
    },
  ),
  ensemble: inMilliseconds("greedy selection over out-of-fold predictions", benchEnsemble),
  pareto: {
    about: "a sweep of 66 weights of 3 metrics over 100 finished trials",
    run: async ({ quick, print }) => benchPareto(quick, print),
  },
  "whole-run": {
    about: "gbdt beside other libraries: time and score at equal settings, one thread",
    run: async (request) => benchWholeRuns({ ...request, peers: await request.peers() }),
  },
  memory: {
    about: "peak memory of training on 1M × 28",
    run: async ({ quick, findings, print }) =>
      benchMemory(quick ? 200_000 : 1_000_000, findings, print),
  },
  dataset: {
    about:
      "from an upload to the first fit: time and memory, compared with the version of --checkout",
    run: async ({ quick, checkout = null, findings, print }) => {
      const shared = { checkout, findings, print };
      await benchDatasetPath({
        ...shared,
        ...{ rows: quick ? 100_000 : 1_000_000, formats: ["parquet", "csv"], repeats: 2 },
      });
      if (quick) return;
      await benchDatasetPath({ ...shared, rows: 5_000_000, formats: ["parquet"], repeats: 1 });
    },
  },
  console: {
    about: "the console in Chromium: its first load, and a run's page while 10,000 trials come",
    run: benchConsole,
  },
  http: {
    about: "requests a second beside node:http and Fastify, without and with a query",
    run: benchHttp,
  },
  loop: {
    about: "how long /healthz waits while heavy and hostile requests of every kind arrive",
    run: async ({ quick, datasets, print }) => benchLoop(quick, datasets, print),
  },
  predict: {
    about: "predictions, TreeSHAP and loading in the engine, beside LightGBM's and shap's",
    run: benchPredict,
  },
  serving: {
    about: "predictions over REST: latency at a fixed rate, cold, beside a training; long",
    run: benchServing,
  },
  batch: {
    about: "batch predictions of a dataset into Parquet, beside the version of --checkout",
    run: async (request) => {
      const { checkout } = request;
      const cli = checkout === undefined ? null : join(checkout, "server/src/cli.ts");
      await benchBatch({ ...request, cli });
    },
  },
  sql: {
    about: "queries beside DuckDB alone, datasets of tables, pages of a large schema",
    run: benchSql,
  },
  conformal: onData(
    "whether intervals and prediction sets reach their coverage, on the data sets of --data",
    (request) => benchConformal({ ...request, folder: request.data, only: request.datasets }),
  ),
  ensembles: onData(
    "calibration, stacking and thresholds on held-out rows of the data sets of --data",
    (request) =>
      benchEnsembles({
        folder: request.data,
        only: some(request, ["titanic", "glass"]),
        seeds: request.quick ? 1 : request.seeds,
        rows: request.quick ? 400 : 2000,
        trials: request.quick ? 2 : 6,
        print: request.print,
      }),
  ),
  ablation: onData(
    "what each family brings to blends, on held-out rows of the data sets of --data",
    (request) =>
      benchAblation({
        folder: request.data,
        only: some(request, ["airfoil_noise", "titanic"]),
        families: [
          "gbdt",
          "oblivious",
          "random_forest",
          "extra_trees",
          "linear",
          "gam",
          "gaussian_process",
          "mlp",
        ],
        seeds: request.quick ? 1 : request.seeds,
        rows: request.quick ? 600 : 5000,
        trials: request.quick ? 1 : 3,
        findings: request.findings,
        print: request.print,
      }),
  ),
  distillation: onData(
    "students beside their teachers on the data sets of --data: lift kept, time, size",
    (request) => benchDistillation({ ...request, folder: request.data, only: request.datasets }),
  ),
  onnx: onData(
    "models exported as ONNX on the tabular sets of --data: whether ONNX Runtime says the same",
    (request) =>
      benchOnnx({
        folder: request.data,
        only: some(request, ["glass", "insurance_charges", "titanic"]),
        rows: request.quick ? 300 : 2000,
        trials: request.quick ? 4 : 8,
        python: request.python,
        print: request.print,
      }),
  ),
  documents: onData(
    "schemas of the sets of documents in --data: fields found, answers right, time, memory",
    (request) => benchDocuments({ ...request, folder: request.data, only: request.datasets }),
  ),
  forecasting: onData(
    "models of one series on the sets of --data, beside statsforecast: MASE, sMAPE, time",
    (request) => benchForecasting({ ...request, folder: request.data, only: request.datasets }),
  ),
  "forecast-runs": onData(
    "whole runs of --seconds on the sets of --data, beside statsforecast's automatic models; long",
    (request) =>
      benchForecastRuns({
        ...request,
        folder: request.data,
        only: request.datasets,
        kept: join(dirname(request.results), "forecasts.jsonl"),
      }),
  ),
  categories: {
    about: "what columns of many levels cost where they are noise, and bring where they are not",
    run: async (request) =>
      benchCategories({
        families: ["gbdt", "random_forest", "extra_trees", "linear", "mlp"],
        rows: request.quick ? [500] : [500, 2000, 20_000],
        levels: request.quick ? [20, 400] : [2, 5, 20, 100, 400, 2000, 10_000],
        seeds: request.quick ? 1 : request.seeds,
        folder: request.data ?? null,
        datasets: request.datasets,
        mostRows: request.quick ? 2000 : 20_000,
        peers: await request.peers(),
        findings: request.findings,
        print: request.print,
      }),
  },
  accuracy: onData(
    "default settings on the data sets of --data, beside other libraries' defaults",
    async (request) =>
      benchAccuracy({
        folder: request.data,
        only: request.datasets,
        seeds: request.quick ? 1 : request.seeds,
        mostRows: request.quick ? 5000 : 60_000,
        peers: await request.peers(),
        findings: request.findings,
        print: request.print,
      }),
  ),
  shapes: onData(
    "sums of shape functions on the data sets of --data, beside InterpretML's, by defaults; long",
    async (request) => {
      const { SHAPES_DATASETS } = await import("./shapes/shapes.bench.ts");
      await benchShapes({
        folder: request.data,
        only: some(request, ["auto_mpg", "titanic"], SHAPES_DATASETS),
        seeds: request.quick ? 1 : request.seeds,
        mostRows: request.quick ? 2000 : 10_000,
        peers: await request.peers(),
        findings: request.findings,
        print: request.print,
      });
    },
  ),
  sequences: onData(
    "classes and values from the sequences of --data, and transforms beside aeon's",
    (request) =>
      benchSequences({
        folder: request.data,
        only: some(request, ["italy_power_demand"]),
        seeds: request.quick ? 1 : request.seeds,
        python: request.python,
        findings: request.findings,
        print: request.print,
      }),
  ),
  "sequence-runs": onData(
    "whole runs of --seconds on the sequences of --data over --seeds, beside published figures",
    (request) =>
      benchSequenceRuns({
        folder: request.data,
        only: some(request, ["italy_power_demand"]),
        seeds: request.quick ? 1 : request.seeds,
        seconds: request.seconds,
        findings: request.findings,
        print: request.print,
      }),
  ),
  pruning: onData(
    "the standard search on samples of --data with and without pruning: compute and score",
    (request) =>
      benchPruning({
        folder: request.data,
        only: some(request, ["glass", "insurance_charges"]),
        seeds: request.quick ? 1 : request.seeds,
        rows: request.quick ? 300 : 500,
        trials: request.quick ? 10 : 20,
        findings: request.findings,
        print: request.print,
      }),
  ),
  budget: {
    about: "wall time beside time budgets, on data sets of --data and on awkward made ones; long",
    run: (request) => benchBudget({ ...request, folder: request.data, only: request.datasets }),
  },
  tuned: onData(
    "the whole search on the data sets of --data, beside LightGBM under Optuna, equal time",
    (request) => besideSearch("LightGBM under Optuna", request.datasets, request),
  ),
  automl: onData(
    "the whole search on the data sets of --data, beside AutoGluon's `best`, equal time; long",
    async (request) => {
      const { VARIED_DATASETS } = await import("./bench-data.ts");
      await besideSearch("AutoGluon", some(request, ["glass"], VARIED_DATASETS), request);
    },
  ),
};

async function besideSearch(
  beside: SearchPeer,
  only: readonly string[],
  { name, data, quick, seconds, seeds, peers, findings, print }: DataRequest,
): Promise<void> {
  const others = await peers();
  if (others === null) {
    print(`\n${name}: left out, since there are no peers\n`);
    return;
  }
  await benchTuned({
    ...{ beside, folder: data, only, peers: others, findings, print },
    seconds: quick ? Math.min(10, seconds) : seconds,
    seeds: quick ? 1 : seeds,
    mostRows: quick ? 3000 : 60_000,
  });
}
