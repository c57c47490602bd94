/** `pnpm bench`: what things cost here, and beside other libraries. */

import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Bench } from "tinybench";
import { benchAccuracy } from "./accuracy.ts";
import { benchBatch } from "./batch/batch.bench.ts";
import { benchBudget } from "./budget/budget.bench.ts";
import { benchConformal } from "./conformal/conformal.bench.ts";
import { benchDatasetPath } from "./dataset-path.ts";
import { benchDistillation } from "./distillation/distillation.bench.ts";
import { benchDocuments } from "./documents/documents.bench.ts";
import { benchEnsemble } from "./ensemble.bench.ts";
import { benchAblation } from "./ensembles/ablation.bench.ts";
import { benchEnsembles } from "./ensembles/ensembles.bench.ts";
import { benchForecastRuns } from "./forecasting/forecast-runs.bench.ts";
import { benchForecasting } from "./forecasting/forecasting.bench.ts";
import { benchHttp } from "./http/http.bench.ts";
import { benchKernels } from "./kernels.bench.ts";
import { benchLoop } from "./loop/loop.bench.ts";
import { benchMemory } from "./memory.ts";
import { benchOnnx } from "./onnx/onnx.bench.ts";
import { benchPareto } from "./pareto.bench.ts";
import { PeerProcess } from "./peer-process.ts";
import { benchPredict } from "./predict/predict.bench.ts";
import { benchPruning } from "./pruning/pruning.bench.ts";
import { benchSamplers } from "./sampler.bench.ts";
import { benchSearch, STRATEGIES } from "./search/search.bench.ts";
import { benchSequenceRuns } from "./sequences/sequence-runs.bench.ts";
import { benchSequences } from "./sequences/sequences.bench.ts";
import { benchServing } from "./serving/serving.bench.ts";
import { benchSql } from "./sql/sql.bench.ts";
import { shortNumber, textTable } from "./text-table.ts";
import { benchTuned } from "./tuned/tuned.bench.ts";
import { benchWholeRuns } from "./whole-run.ts";

const print = (text: string): void => {
  process.stdout.write(text);
};

interface Options {
  readonly quick: boolean;
  readonly data: string | undefined;
  readonly checkout: string | undefined;
  readonly datasets: readonly string[];
  readonly seeds: number;
  readonly seconds: number;
  readonly families: readonly string[];
  readonly results: string;
  readonly peers: () => Promise<PeerProcess | null>;
}

interface Section {
  readonly about: string;
  run(options: Options): Promise<void>;
}

const SECTIONS: Readonly<Record<string, Section>> = {
  kernels: {
    about: "binning, gradients, trees, prediction, TreeSHAP, the linear solver",
    run: async ({ quick }) => printBench(await benchKernels(quick)),
  },
  sampler: {
    about: "one suggestion of each search strategy at 1,000 past trials of 10 parameters",
    run: async () => printBench(await benchSamplers()),
  },
  search: {
    about: "best validation loss so far on real models, beside Optuna's default sampler; long",
    run: async ({ quick, data, datasets, families, seeds, results }) => {
      if (data === undefined) {
        print("\nsearch: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchSearch({
        quick,
        data,
        datasets,
        families,
        seeds,
        results,
        strategies: quick ? STRATEGIES : STRATEGIES.slice(0, 2),
        python: process.env["PYTHON"] ?? "python3",
        print,
      });
    },
  },
  ensemble: {
    about: "greedy selection over out-of-fold predictions",
    run: async () => printBench(await benchEnsemble()),
  },
  pareto: {
    about: "a sweep of 66 weights of 3 metrics over 100 finished trials",
    run: async ({ quick }) => benchPareto(quick, print),
  },
  "whole-run": {
    about: "gbdt beside other libraries: time and score at equal settings, one thread",
    run: async ({ quick, peers }) => benchWholeRuns({ quick, peers: await peers(), print }),
  },
  memory: {
    about: "peak memory of training on 1M × 28",
    run: async ({ quick }) => benchMemory(quick ? 200_000 : 1_000_000, print),
  },
  dataset: {
    about:
      "from an upload to the first fit: time and memory, compared with the version of --checkout",
    run: async ({ quick, checkout }) => {
      const shared = { checkout: checkout ?? null, print };
      await benchDatasetPath({
        ...shared,
        ...{ rows: quick ? 100_000 : 1_000_000, formats: ["parquet", "csv"], repeats: 2 },
      });
      if (quick) return;
      await benchDatasetPath({ ...shared, rows: 5_000_000, formats: ["parquet"], repeats: 1 });
    },
  },
  http: {
    about: "requests a second beside node:http and Fastify, without and with a query",
    run: async ({ quick }) => benchHttp(quick, print),
  },
  loop: {
    about: "how long /healthz waits while heavy and hostile requests of every kind arrive",
    run: async ({ quick, datasets }) => benchLoop(quick, datasets, print),
  },
  predict: {
    about: "predictions, TreeSHAP and loading in the engine, beside LightGBM's and shap's",
    run: async ({ quick }) =>
      benchPredict({ quick, python: process.env["PYTHON"] ?? "python3", print }),
  },
  serving: {
    about: "predictions over REST: latency at a fixed rate, cold, beside a training; long",
    run: async ({ quick }) =>
      benchServing({ quick, python: process.env["PYTHON"] ?? "python3", print }),
  },
  batch: {
    about: "batch predictions of a dataset into Parquet, beside the version of --checkout",
    run: async ({ quick, checkout }) => {
      const cli = checkout === undefined ? null : join(checkout, "server/src/cli.ts");
      await benchBatch({ quick, cli, print });
    },
  },
  sql: {
    about: "queries beside DuckDB alone, datasets of tables, pages of a large schema",
    run: async ({ quick }) => benchSql(quick, print),
  },
  conformal: {
    about: "whether intervals and prediction sets reach their coverage, on the data sets of --data",
    run: async ({ quick, data, datasets, seeds }) => {
      if (data === undefined) {
        print("\nconformal: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchConformal({ folder: data, only: datasets, seeds, quick, print });
    },
  },
  ensembles: {
    about: "calibration, stacking and thresholds on held-out rows of the data sets of --data",
    run: async ({ quick, data, datasets, seeds }) => {
      if (data === undefined) {
        print("\nensembles: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchEnsembles({
        folder: data,
        only: quick && datasets.length === 0 ? ["titanic", "glass"] : datasets,
        seeds: quick ? 1 : seeds,
        rows: quick ? 400 : 2000,
        trials: quick ? 2 : 6,
        print,
      });
    },
  },
  ablation: {
    about: "what each family brings to blends, on held-out rows of the data sets of --data",
    run: async ({ quick, data, datasets, seeds }) => {
      if (data === undefined) {
        print("\nablation: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchAblation({
        folder: data,
        only: quick && datasets.length === 0 ? ["airfoil_noise", "titanic"] : datasets,
        families: ["gbdt", "random_forest", "extra_trees", "linear", "mlp"],
        seeds: quick ? 1 : seeds,
        rows: quick ? 600 : 5000,
        trials: quick ? 1 : 3,
        print,
      });
    },
  },
  distillation: {
    about: "students beside their teachers on the data sets of --data: lift kept, time, size",
    run: async ({ quick, data, datasets }) => {
      if (data === undefined) {
        print("\ndistillation: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchDistillation({ quick, folder: data, only: datasets, print });
    },
  },
  onnx: {
    about:
      "models exported as ONNX on the tabular sets of --data: whether ONNX Runtime says the same",
    run: async ({ quick, data, datasets }) => {
      if (data === undefined) {
        print("\nonnx: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchOnnx({
        folder: data,
        only: quick && datasets.length === 0 ? ["glass", "insurance_charges", "titanic"] : datasets,
        rows: quick ? 300 : 2000,
        trials: quick ? 4 : 8,
        python: process.env["PYTHON"] ?? "python3",
        print,
      });
    },
  },
  documents: {
    about: "schemas of the sets of documents in --data: fields found, answers right, time, memory",
    run: async ({ quick, data, datasets }) => {
      if (data === undefined) {
        print("\ndocuments: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchDocuments({ quick, folder: data, only: datasets, print });
    },
  },
  forecasting: {
    about: "models of one series on the sets of --data, beside statsforecast: MASE, sMAPE, time",
    run: async ({ quick, data, datasets }) => {
      if (data === undefined) {
        print("\nforecasting: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchForecasting({
        quick,
        folder: data,
        only: datasets,
        python: process.env["PYTHON"] ?? "python3",
        print,
      });
    },
  },
  "forecast-runs": {
    about:
      "whole runs of --seconds on the sets of --data, beside statsforecast's automatic models; long",
    run: async ({ quick, data, datasets, seconds, results }) => {
      if (data === undefined) {
        print("\nforecast-runs: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchForecastRuns({
        quick,
        folder: data,
        only: datasets,
        seconds,
        python: process.env["PYTHON"] ?? "python3",
        kept: join(dirname(results), "forecasts.jsonl"),
        print,
      });
    },
  },
  accuracy: {
    about: "default settings on the data sets of --data, beside other libraries' defaults",
    run: async ({ quick, data, datasets, seeds, peers }) => {
      if (data === undefined) {
        print("\naccuracy: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchAccuracy({
        folder: data,
        only: datasets,
        seeds: quick ? 1 : seeds,
        mostRows: quick ? 5000 : 60_000,
        peers: await peers(),
        print,
      });
    },
  },
  sequences: {
    about: "classes and values from the sequences of --data, and transforms beside aeon's",
    run: async ({ quick, data, datasets, seeds }) => {
      if (data === undefined) {
        print("\nsequences: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchSequences({
        folder: data,
        only: quick && datasets.length === 0 ? ["italy_power_demand"] : datasets,
        seeds: quick ? 1 : seeds,
        python: process.env["PYTHON"] ?? "python3",
        print,
      });
    },
  },
  "sequence-runs": {
    about:
      "whole runs of --seconds on the sequences of --data over --seeds, beside published figures",
    run: async ({ quick, data, datasets, seeds, seconds }) => {
      if (data === undefined) {
        print("\nsequence-runs: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchSequenceRuns({
        folder: data,
        only: quick && datasets.length === 0 ? ["italy_power_demand"] : datasets,
        seeds: quick ? 1 : seeds,
        seconds,
        print,
      });
    },
  },
  pruning: {
    about: "the standard search on samples of --data with and without pruning: compute and score",
    run: async ({ quick, data, datasets, seeds }) => {
      if (data === undefined) {
        print("\npruning: left out, since --data names no folder of data sets\n");
        return;
      }
      await benchPruning({
        folder: data,
        only: quick && datasets.length === 0 ? ["glass", "insurance_charges"] : datasets,
        seeds: quick ? 1 : seeds,
        rows: quick ? 300 : 500,
        trials: quick ? 10 : 20,
        print,
      });
    },
  },
  budget: {
    about: "wall time beside time budgets, on data sets of --data and on awkward made ones; long",
    run: async ({ quick, data, datasets }) =>
      benchBudget({ folder: data, only: datasets, quick, print }),
  },
  tuned: {
    about: "the whole search on the data sets of --data, beside LightGBM under Optuna, equal time",
    run: async ({ quick, data, datasets, seconds, peers }) => {
      const others = await peers();
      if (data === undefined || others === null) {
        const absent = data === undefined ? "--data names no folder of data sets" : "no peers";
        print(`\ntuned: left out: ${absent}\n`);
        return;
      }
      await benchTuned({
        folder: data,
        only: datasets,
        seconds: quick ? Math.min(10, seconds) : seconds,
        mostRows: quick ? 3000 : 60_000,
        seed: 0,
        peers: others,
        print,
      });
    },
  },
};

const HELP = `Usage: pnpm bench [--only <name>]… [--quick] [--data <folder>] [--datasets <a,b>] [--seeds <n>]
                  [--seconds <s>] [--families <a,b>] [--results <file>]

${Object.entries(SECTIONS)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join("\n")}

  --only <name>      run this part alone; may be repeated
  --quick            small sizes and few repeats: a look at whether it works
  --checkout <folder> another version with its packages, for "dataset"
  --data <folder>    data sets for "accuracy", "budget", "documents", "forecasting",
                     "forecast-runs", "onnx", "pruning", "search", "sequences", "sequence-runs" and "tuned":
                     INDEX.csv, and a folder each with meta.json and data.csv(.gz), train and test
                     files, or docs/ and what is known of them
  --datasets <a,b>   only these of them; of "loop", the traffic whose names contain one of these
  --families <a,b>   families that "search" searches, one by one (default gbdt)
  --results <file>   where "search" keeps what it has run, so that it goes on after a stop
                     (default .distillery/bench/search.jsonl); "forecast-runs" keeps what other
                     libraries forecast beside it, in forecasts.jsonl
  --seeds <n>        seeds per library and data set, to show the noise (default 3)
  --seconds <s>      of wall time for each search of "tuned" and run of "forecast-runs" and
                     "sequence-runs" (default 60)

Other libraries are those of $PYTHON, or else python3: LightGBM, XGBoost, CatBoost, scikit-learn,
statsforecast.
What is not there is named and left out.
`;

function printBench(bench: Bench): void {
  print(`\n${bench.name ?? ""}\n`);
  const rows = bench.tasks.map(({ name, result }) => {
    if (!("latency" in result)) {
      return [name, "error" in result ? `failed: ${String(result.error)}` : result.state];
    }
    const { p50, min } = result.latency;
    return [name, shortNumber(p50), shortNumber(min), String(result.latency.samplesCount)];
  });
  print(`${textTable(["", "median ms", "least ms", "runs"], rows)}\n`);
}

/** Python is asked once, when a part first wants it. */
function lazyPeers(): { get: () => Promise<PeerProcess | null>; close: () => Promise<void> } {
  let started: Promise<PeerProcess | null> | undefined;
  const start = async (): Promise<PeerProcess | null> => {
    const python = process.env["PYTHON"] ?? "python3";
    const peers = await PeerProcess.start(python);
    if (peers === null) {
      print(`\nNo other libraries: ${python} could not be started.\n`);
      return null;
    }
    for (const missing of peers.missing) print(`\nNot compared: ${missing}\n`);
    return peers;
  };
  return {
    get: () => {
      started ??= start();
      return started;
    },
    close: async () => (await started)?.close(),
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h", default: false },
      only: { type: "string", multiple: true, default: [] },
      quick: { type: "boolean", default: false },
      data: { type: "string" },
      checkout: { type: "string" },
      datasets: { type: "string", default: "" },
      seeds: { type: "string", default: "3" },
      seconds: { type: "string", default: "60" },
      families: { type: "string", default: "gbdt" },
      results: { type: "string", default: ".distillery/bench/search.jsonl" },
    },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const unknown = values.only.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no part "${unknown}"; there are ${Object.keys(SECTIONS).join(", ")}.\n`,
    );
    return 1;
  }
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) {
    process.stderr.write(`--seeds must be a whole number of at least 1, not "${values.seeds}".\n`);
    return 1;
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) {
    process.stderr.write(`--seconds must be a number above 0, not "${values.seconds}".\n`);
    return 1;
  }
  const peers = lazyPeers();
  try {
    for (const [name, section] of Object.entries(SECTIONS)) {
      if (values.only.length > 0 && !values.only.includes(name)) continue;
      await section.run({
        quick: values.quick,
        data: values.data,
        checkout: values.checkout,
        datasets: values.datasets.split(",").filter((each) => each !== ""),
        seeds,
        seconds,
        families: values.families.split(","),
        results: values.results,
        peers: peers.get,
      });
    }
  } finally {
    await peers.close();
  }
  return 0;
}

process.exitCode = await main();
