/** `ml-random-forest` and `ml-cart` beside this engine's families, on as many rows as they bear. */

import mlCart from "ml-cart";
import mlForest from "ml-random-forest";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { freeEncoded } from "../../engine/src/data/encode.ts";
import { featureColumns } from "../../engine/src/data/feature-columns.ts";
import type { Family } from "../../engine/src/families/family.ts";
import { FAMILIES } from "../../engine/src/families/index.ts";
import type { Parameters } from "../../engine/src/search/space.ts";
import { type BenchData, encodeBenchData } from "./bench-data.ts";
import { type Contender, medianOf, runContest } from "./contest.ts";
import type { Findings } from "./findings/findings.ts";
import { median, shortNumber, textTable } from "./text-table.ts";

const TREES = 50;
const LEAF_ROWS = 3;

export async function javascriptPeers(
  whole: BenchData,
  rows: number,
  findings: Findings,
  print: (text: string) => void,
): Promise<void> {
  const stride = Math.floor(whole.train.length / rows);
  const data = { ...whole, train: whole.train.filter((_, i) => i % stride === 0).slice(0, rows) };
  const results = await runContest(data, contenders(data), 1);
  const ours = medianOf(results[0], (fit) => fit.trainSeconds);
  print(
    `\n${data.name}, JavaScript libraries: ${data.train.length} training rows; forests of ${TREES} trees, leaves of at least ${LEAF_ROWS} rows\n`,
  );
  for (const result of results) {
    if (result.failure !== null || result.name.startsWith("distillery")) continue;
    findings.compare({
      what: `${data.name}, ${data.train.length} rows, a forest of ${TREES} trees`,
      ...{ unit: "s, train", better: "smaller", ours, against: result.name },
      theirs: medianOf(result, (fit) => fit.trainSeconds),
    });
  }
  print(
    `${textTable(
      ["", "train s", "ratio", "predict s", "test rmse"],
      results.map((result) => {
        if (result.failure !== null) return [result.name, `failed: ${result.failure}`];
        const train = medianOf(result, (fit) => fit.trainSeconds);
        return [
          result.name,
          shortNumber(train),
          shortNumber(train / ours, 3),
          shortNumber(medianOf(result, (fit) => fit.predictSeconds)),
          shortNumber(median(result.scores)),
        ];
      }),
    )}\n`,
  );
}

function contenders(data: BenchData): Contender[] {
  const forest = { n_estimators: TREES, max_features: 0.33, min_samples_leaf: LEAF_ROWS };
  const boosting = { n_estimators: 100, early_stopping_rounds: 0 };
  const chosen: Record<string, Parameters> = { random_forest: forest, gbdt: boosting };
  const ours = Object.entries(chosen).flatMap(([id, parameters]) => {
    const family = FAMILIES.find((each) => each.id === id);
    return family ? [ownFamily(family, data, parameters)] : [];
  });
  return [
    ...ours,
    library("ml-random-forest", data, () => {
      return new mlForest.RandomForestRegression({
        seed: 1,
        nEstimators: TREES,
        maxFeatures: 0.33,
        replacement: false,
        useSampleBagging: true,
        noOOB: true,
        treeOptions: { minNumSamples: LEAF_ROWS },
      });
    }),
    library("ml-cart, one tree", data, () => {
      return new mlCart.DecisionTreeRegression({ minNumSamples: LEAF_ROWS });
    }),
  ];
}

/** The parameters given over the family's defaults. */
function ownFamily(family: Family, data: BenchData, parameters: Parameters): Contender {
  return {
    name: `distillery ${family.id}`,
    async fit(seed) {
      const start = performance.now();
      const encoded = encodeBenchData(data, family.reads === "values");
      const binSeconds = (performance.now() - start) / 1000;
      const { task, target, train } = data;
      const shape = { rows: train.length, task, features: encoded.features };
      const trainStart = performance.now();
      const model = family.fit(
        {
          task,
          data: encoded,
          target,
          softTarget: null,
          weights: null,
          trainRows: train,
          validRows: null,
          key: deriveKey(seed, "bench"),
          monotone: {},
        },
        { ...family.defaults(shape), ...parameters },
      );
      const trainSeconds = (performance.now() - trainStart) / 1000;
      const predictStart = performance.now();
      const predictions = model.predict(encoded, data.test);
      const predictSeconds = (performance.now() - predictStart) / 1000;
      freeEncoded(encoded);
      return { binSeconds, trainSeconds, predictSeconds, predictions };
    },
  };
}

interface Trainable {
  train(rows: number[][], target: number[]): void;
  predict(rows: number[][]): Iterable<number>;
}

function library(name: string, data: BenchData, make: () => Trainable): Contender {
  const [train, test] = [denseRows(data, data.train), denseRows(data, data.test)];
  const target = Array.from(data.train, (row) => data.target[row]);
  return {
    name,
    async fit() {
      const model = make();
      const start = performance.now();
      model.train(train, target);
      const trained = performance.now();
      const predictions = Float64Array.from(model.predict(test));
      return {
        binSeconds: 0,
        trainSeconds: (trained - start) / 1000,
        predictSeconds: (performance.now() - trained) / 1000,
        predictions,
      };
    },
  };
}

/** Rows of numbers; these libraries know no missing values, which become 0. */
function denseRows(data: BenchData, rows: Uint32Array): number[][] {
  const out = Array.from(rows, (): number[] => []);
  for (const column of featureColumns(data.schema, data.table, rows).columns()) {
    for (let i = 0; i < out.length; i++) out[i].push(Number.isNaN(column[i]) ? 0 : column[i]);
  }
  return out;
}
