/**
 * The parts of `pnpm bench`, in the order in which they run. Each is loaded when it is run: all together take a second
 * and a half to load.
 */

import { dirname, join } from "node:path";
import { type DataRequest, inMilliseconds, onData, type Part, some } from "./part.ts";
import type { SearchPeer } from "./peer-process.ts";

export const PARTS: Readonly<Record<string, Part>> = {
  kernels: inMilliseconds(
    "binning, gradients, trees, prediction, TreeSHAP, the linear solver",
    async (quick) => (await import("./kernels.bench.ts")).benchKernels(quick),
  ),
  scaling: {
    about: "time and memory of a fit against rows, columns and threads, with drawings",
    run: async (request) => (await import("./scaling/scaling.bench.ts")).benchScaling(request),
  },
  fits: {
    about:
      "one fit of gbdt, binning included, on one thread and two, beside every way of LightGBM, XGBoost, CatBoost, scikit-learn; long",
    run: async (request) => {
      const { benchFits } = await import("./fits/fits.bench.ts");
      await benchFits({ ...request, peers: await request.peers() });
    },
  },
  threads: {
    about: "one fit of boosting shared by threads, beside the same fit alone: time and equal bytes",
    run: async (request) => (await import("./scaling/threads.bench.ts")).benchThreads(request),
  },
  gpu: {
    about:
      "the GPU's work on trees beside the CPU's, on SwiftShader where there is none: equal bytes, time",
    run: async (request) => (await import("./gpu/gpu.bench.ts")).benchGpu(request),
  },
  networks: {
    about:
      "a step and a fit of networks beside TensorFlow.js and PyTorch, single families beside RealMLP, TabM, CatBoost; long",
    run: async (request) => {
      const { benchNetworks } = await import("./networks/networks.bench.ts");
      await benchNetworks(request, await request.peers());
    },
  },
  sampler: inMilliseconds(
    "one suggestion of each search strategy at 1,000 past trials of 10 parameters",
    async () => (await import("./sampler.bench.ts")).benchSamplers(),
  ),
  search: onData(
    "best validation loss so far on real models, beside Optuna's default sampler; long",
    async (request) => {
      const { STRATEGIES, benchSearch } = await import("./search/search.bench.ts");
      const strategies = request.quick ? STRATEGIES : STRATEGIES.slice(0, 2);
      await benchSearch({ ...request, strategies });
    },
  ),
  ensemble: inMilliseconds("greedy selection over out-of-fold predictions", async () =>
    (await import("./ensemble.bench.ts")).benchEnsemble(),
  ),
  pareto: {
    about: "a sweep of 66 weights of 3 metrics over 100 finished trials",
    run: async ({ quick, print }) => (await import("./pareto.bench.ts")).benchPareto(quick, print),
  },
  "whole-run": {
    about: "gbdt beside other libraries: time and score at equal settings, one thread",
    run: async (request) =>
      (await import("./whole-run.ts")).benchWholeRuns({ ...request, peers: await request.peers() }),
  },
  memory: {
    about: "peak memory of training on 1M × 28",
    run: async ({ quick, findings, print }) =>
      (await import("./memory.ts")).benchMemory(quick ? 200_000 : 1_000_000, findings, print),
  },
  large: {
    about: "gbdt from Parquet of 1M and 10M rows by `train`: time of a row, peak memory; long",
    run: async (request) => (await import("./large/large.bench.ts")).benchLarge(request),
  },
  dataset: {
    about:
      "from an upload to the first fit: time and memory, compared with the version of --checkout",
    run: async ({ quick, checkout = null, findings, print }) => {
      const { benchDatasetPath } = await import("./dataset-path.ts");
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
    run: async (request) => (await import("./console/console.bench.ts")).benchConsole(request),
  },
  http: {
    about: "requests a second beside node:http and Fastify, without and with a query",
    run: async (request) => (await import("./http/http.bench.ts")).benchHttp(request),
  },
  loop: {
    about: "how long /healthz waits while heavy and hostile requests of every kind arrive",
    run: async ({ quick, datasets, print }) =>
      (await import("./loop/loop.bench.ts")).benchLoop(quick, datasets, print),
  },
  predict: {
    about: "predictions, TreeSHAP and loading in the engine, beside LightGBM's and shap's",
    run: async (request) => (await import("./predict/predict.bench.ts")).benchPredict(request),
  },
  serving: {
    about: "predictions over REST: latency at a fixed rate, cold, beside a training; long",
    run: async (request) => (await import("./serving/serving.bench.ts")).benchServing(request),
  },
  batch: {
    about: "batch predictions of a dataset into Parquet, beside the version of --checkout",
    run: async (request) => {
      const { checkout } = request;
      const cli = checkout === undefined ? null : join(checkout, "server/src/cli.ts");
      await (await import("./batch/batch.bench.ts")).benchBatch({ ...request, cli });
    },
  },
  sql: {
    about: "queries beside DuckDB alone, datasets of tables, pages of a large schema",
    run: async (request) => (await import("./sql/sql.bench.ts")).benchSql(request),
  },
  conformal: onData(
    "whether intervals and prediction sets reach their coverage, on the data sets of --data",
    async (request) =>
      (await import("./conformal/conformal.bench.ts")).benchConformal({
        ...request,
        folder: request.data,
        only: request.datasets,
      }),
  ),
  ensembles: onData(
    "calibration, stacking and thresholds on held-out rows of the data sets of --data",
    async (request) =>
      (await import("./ensembles/ensembles.bench.ts")).benchEnsembles({
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
    async (request) =>
      (await import("./ensembles/ablation.bench.ts")).benchAblation({
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
    async (request) =>
      (await import("./distillation/distillation.bench.ts")).benchDistillation({
        ...request,
        folder: request.data,
        only: request.datasets,
      }),
  ),
  onnx: onData(
    "models exported as ONNX on the tabular sets of --data: whether ONNX Runtime says the same",
    async (request) =>
      (await import("./onnx/onnx.bench.ts")).benchOnnx({
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
    async (request) =>
      (await import("./documents/documents.bench.ts")).benchDocuments({
        ...request,
        folder: request.data,
        only: request.datasets,
      }),
  ),
  forecasting: onData(
    "models of one series on the sets of --data, beside statsforecast: MASE, sMAPE, time",
    async (request) =>
      (await import("./forecasting/forecasting.bench.ts")).benchForecasting({
        ...request,
        folder: request.data,
        only: request.datasets,
      }),
  ),
  "forecast-runs": onData(
    "whole runs of --seconds on the sets of --data, beside statsforecast's automatic models and AutoGluon; long",
    async (request) =>
      (await import("./forecasting/forecast-runs.bench.ts")).benchForecastRuns({
        ...request,
        folder: request.data,
        only: request.datasets,
        kept: join(dirname(request.results), "forecasts.jsonl"),
      }),
  ),
  categories: {
    about: "what columns of many levels cost where they are noise, and bring where they are not",
    run: async (request) =>
      (await import("./categories/categories.bench.ts")).benchCategories({
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
      (await import("./accuracy.ts")).benchAccuracy({
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
      const { SHAPES_DATASETS, benchShapes } = await import("./shapes/shapes.bench.ts");
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
    async (request) =>
      (await import("./sequences/sequences.bench.ts")).benchSequences({
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
    async (request) =>
      (await import("./sequences/sequence-runs.bench.ts")).benchSequenceRuns({
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
    async (request) =>
      (await import("./pruning/pruning.bench.ts")).benchPruning({
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
    run: async (request) =>
      (await import("./budget/budget.bench.ts")).benchBudget({
        ...request,
        folder: request.data,
        only: request.datasets,
      }),
  },
  trials: {
    about:
      "50 trials × 5 folds of boosting over 50,000 × 30 on two cores, beside LightGBM under Optuna in one search space; long",
    run: async (request) => (await import("./trials/trials.bench.ts")).benchTrials(request),
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
  const { benchTuned } = await import("./tuned/tuned.bench.ts");
  await benchTuned({
    ...{ beside, folder: data, only, peers: others, findings, print },
    seconds: quick ? Math.min(10, seconds) : seconds,
    seeds: quick ? 1 : seeds,
    mostRows: quick ? 3000 : 60_000,
  });
}
