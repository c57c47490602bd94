/** Several libraries on the same rows: fits alternate within one run, and the medians count. */

import type { CrewDesk } from "../../engine/src/compute/crew-desk.ts";
import { deriveKey } from "../../engine/src/compute/random.ts";
import { freeEncoded } from "../../engine/src/data/encode.ts";
import type { Family, FittedModel } from "../../engine/src/families/family.ts";
import { gbdt } from "../../engine/src/families/gbdt/family.ts";
import { metricByName } from "../../engine/src/tasks/fitting-metrics.ts";
import { outputCount } from "../../engine/src/tasks/index.ts";
import { type BenchData, encodeBenchData, encodeHelped } from "./bench-data.ts";
import { type Helpers, helpedFit } from "./helped-fit.ts";
import type { EqualSettings, PeerProcess, TimedFit } from "./peer-process.ts";
import { median } from "./text-table.ts";

export interface Contender {
  readonly name: string;
  fit(seed: number): Promise<TimedFit>;
}

export interface Result {
  readonly name: string;
  readonly fits: readonly TimedFit[];
  /** On the test rows, one a fit. */
  readonly scores: readonly number[];
  /** Why it has no fits. */
  readonly failure: string | null;
}

export function metricOf(data: BenchData): string {
  return data.task.kind === "regression" ? "rmse" : "log_loss";
}

/** Lower is better, whatever the task. */
export function scoreOf(data: BenchData, predictions: Float64Array): number {
  return metricByName(metricOf(data)).score({
    target: Float64Array.from(data.test, (row) => data.target[row]),
    predictions,
    outputs: outputCount(data.task),
    weights: null,
  });
}

/** Every contender once, then every one again, `repeats` times. */
export async function runContest(
  data: BenchData,
  contenders: readonly Contender[],
  repeats: number,
): Promise<Result[]> {
  const results = contenders.map(({ name }) => ({
    name,
    fits: [] as TimedFit[],
    scores: [] as number[],
    failure: null as string | null,
  }));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const [c, contender] of contenders.entries()) {
      const result = results[c];
      if (result.failure !== null) continue;
      try {
        const fit = await contender.fit(repeat);
        result.fits.push(fit);
        result.scores.push(scoreOf(data, fit.predictions));
      } catch (error) {
        result.failure = error instanceof Error ? error.message : String(error);
      }
    }
  }
  return results;
}

const seconds = (since: number): number => (performance.now() - since) / 1000;

/** gbdt with the settings that peers get, binning included in what is timed. */
export function ourEqual(
  data: BenchData,
  settings: EqualSettings,
  helpers: Helpers | null = null,
): Contender {
  return {
    name: "distillery gbdt",
    async fit(seed) {
      const start = performance.now();
      const encoded = helpers === null ? encodeBenchData(data) : await encodeHelped(data, helpers);
      const binSeconds = seconds(start);
      const train = (crew: CrewDesk | null): readonly [FittedModel, number] => {
        const trainStart = performance.now();
        const model = gbdt.fit(
          {
            ...(crew === null ? {} : { crew }),
            task: data.task,
            data: encoded,
            target: data.target,
            softTarget: null,
            weights: null,
            trainRows: data.train,
            validRows: null,
            key: deriveKey(seed, "bench"),
            monotone: {},
          },
          {
            n_estimators: settings.rounds,
            early_stopping_rounds: 0,
            learning_rate: settings.learning_rate,
            num_leaves: settings.leaves,
            min_data_in_leaf: settings.min_data,
            lambda_l1: 0,
            lambda_l2: settings.l2,
            feature_fraction: 1,
            bagging_fraction: 1,
          },
        );
        return [model, seconds(trainStart)];
      };
      const [model, trainSeconds] =
        helpers === null ? train(null) : await helpedFit(helpers, encoded.arena, train);
      const predictStart = performance.now();
      const predictions = model.predict(encoded, data.test);
      const predictSeconds = seconds(predictStart);
      freeEncoded(encoded);
      return { binSeconds, trainSeconds, predictSeconds, predictions };
    },
  };
}

/**
 * A family as the trainer uses it with its defaults: a fifth of the training rows stops the boosting,
 * then all of them are learnt from for as many rounds.
 *
 * @param family one that reads bins
 * @param folds fifths that stop it one after the other, 1 … 5; the rounds are their mean
 */
export function ourDefaults(data: BenchData, family: Family = gbdt, folds = 1): Contender {
  return {
    name: `distillery ${family.id}`,
    async fit(seed) {
      const start = performance.now();
      const encoded = encodeBenchData(data);
      const binSeconds = seconds(start);
      const trainStart = performance.now();
      const key = deriveKey(seed, "bench");
      const shape = { rows: data.train.length, task: data.task, features: encoded.features };
      const parameters = family.defaults(shape);
      const context = {
        task: data.task,
        data: encoded,
        target: data.target,
        softTarget: null,
        weights: null,
        monotone: {},
        key,
      };
      const stopped = Array.from({ length: folds }, (_, fold) => {
        const held = (_row: number, i: number): boolean => (i + seed + fold) % 5 === 0;
        const trainRows = data.train.filter((row, i) => !held(row, i));
        return family.fit({ ...context, trainRows, validRows: data.train.filter(held) }, parameters)
          .facts;
      });
      const model = family.fit(
        { ...context, trainRows: data.train, validRows: null },
        family.refitParameters(parameters, stopped),
      );
      const trainSeconds = seconds(trainStart);
      const predictStart = performance.now();
      const predictions = model.predict(encoded, data.test);
      const predictSeconds = seconds(predictStart);
      freeEncoded(encoded);
      return { binSeconds, trainSeconds, predictSeconds, predictions };
    },
  };
}

/** One library of the peers, by its own defaults; the data must have been loaded. */
export function peerContender(peers: PeerProcess, library: string): Contender {
  return { name: library, fit: (seed) => peers.fit(library, null, seed) };
}

/** One contender a library that Python has; the data must have been loaded. */
export function peerContenders(peers: PeerProcess, settings: EqualSettings | null): Contender[] {
  return [...peers.libraries].map(([library, version]) => ({
    name: `${library} ${version}`,
    fit: (seed) => peers.fit(library, settings, seed),
  }));
}

export function medianOf(result: Result, what: (fit: TimedFit) => number): number {
  return result.fits.length === 0 ? Number.NaN : median(result.fits.map(what));
}
