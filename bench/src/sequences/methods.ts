/** The ways to predict from sequences that are compared. */

import { Arena } from "../../../engine/src/compute/arena.ts";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { fitDtwNeighbours } from "../../../engine/src/sequences/dtw/dtw-neighbours.ts";
import type { SequenceTransform } from "../../../engine/src/sequences/feature-matrix.ts";
import { fitHydra } from "../../../engine/src/sequences/hydra/fit-hydra.ts";
import { fitIntervalFeatures } from "../../../engine/src/sequences/intervals/interval-features.ts";
import type { ScalerKind } from "../../../engine/src/sequences/ridge/feature-scaler.ts";
import { classTargets, fitRidge } from "../../../engine/src/sequences/ridge/fit-ridge.ts";
import { MiniRocket } from "../../../engine/src/sequences/rocket/minirocket.ts";
import { MultiRocket } from "../../../engine/src/sequences/rocket/multirocket.ts";
import type { SequenceSet } from "../../../engine/src/sequences/sequence-set.ts";
import type { SequenceData } from "./sequence-data.ts";

export interface Method {
  readonly name: string;
  /** Of the test sequences: values, or numbers of classes. */
  predict(data: SequenceData, seed: number): Float64Array;
}

interface Part {
  readonly scaler: ScalerKind;
  fit(set: SequenceSet, seed: number): SequenceTransform;
}

const miniRocket: Part = {
  scaler: "standard",
  fit: (set, seed) => MiniRocket.fit(set, null, deriveKey(seed, "bench")),
};

const multiRocket: Part = {
  scaler: "standard",
  fit: (set, seed) => MultiRocket.fit(set, null, deriveKey(seed, "bench")),
};

const hydra: Part = {
  scaler: "sparse",
  fit: (set, seed) => fitHydra(set, null, deriveKey(seed, "bench")),
};

const intervals: Part = {
  scaler: "standard",
  fit: (set) => fitIntervalFeatures(set, null),
};

const dtw: Method = {
  name: "dtw 1-nn",
  predict: (data) => {
    const shares = nearestShares(data);
    return data.classes === 0 ? shares : decided(marginsOf(shares, data.classes), data.classes);
  },
};

/** Of a margin: what the nearest neighbour's class adds to it, or takes from it. */
const VOTE = 0.2;

/** The nearest neighbour decides where the margins of a ridge regression hardly do. */
const rocketsWithNeighbour: Method = {
  name: "minirocket+hydra, dtw",
  predict: (data, seed) => {
    const margins = ridgeOn(data, seed, [miniRocket, hydra]);
    if (data.classes === 0) return margins;
    const votes = marginsOf(nearestShares(data), data.classes);
    return decided(
      margins.map((margin, i) => margin + VOTE * votes[i]),
      data.classes,
    );
  },
};

export const METHODS: readonly Method[] = [
  withRidge("minirocket", miniRocket),
  withRidge("multirocket", multiRocket),
  withRidge("hydra", hydra),
  withRidge("multirocket+hydra", multiRocket, hydra),
  withRidge("intervals", intervals),
  dtw,
  rocketsWithNeighbour,
];

function withRidge(name: string, ...parts: readonly Part[]): Method {
  return {
    name,
    predict: (data, seed) => decided(ridgeOn(data, seed, parts), data.classes),
  };
}

/** Transforms side by side, and a ridge regression on their features: margins, or values. */
function ridgeOn(
  { train, test, classes }: SequenceData,
  seed: number,
  parts: readonly Part[],
): Float64Array {
  const arena = Arena.create().handle();
  const outputs = classes <= 2 ? 1 : classes;
  const fitted = parts.map((part) => part.fit(train.set, seed));
  const blocks = fitted.map((transform, i) => ({
    matrix: transform.transform(train.set, null, arena),
    scaler: parts[i].scaler,
  }));
  const { head } = fitRidge({
    blocks,
    rows: Uint32Array.from(train.target.keys()),
    targets: classes === 0 ? train.target : classTargets(train.target, outputs),
    outputs,
    arena,
  });
  const asked = fitted.map((transform) => transform.transform(test.set, null, arena));
  return head.predict(asked, null);
}

/** By the nearest neighbour under time warping. */
function nearestShares({ train, test, classes }: SequenceData): Float64Array {
  const arena = Arena.create().handle();
  const target = { values: train.target, classes };
  return fitDtwNeighbours(train.set, null, target, { arena }).predict(test.set, null, arena);
}

/** Shares of classes as a ridge regression's margins: one of two classes, -1 to 1. */
function marginsOf(shares: Float64Array, classes: number): Float64Array {
  const own = classes === 2 ? shares.filter((_, i) => i % 2 === 1) : shares;
  return own.map((share) => 2 * share - 1);
}

/** The class of the largest margin; of one margin, of its sign. */
function decided(margins: Float64Array, classes: number): Float64Array {
  if (classes === 0) return margins;
  if (classes === 2) return margins.map((margin) => (margin > 0 ? 1 : 0));
  return Float64Array.from({ length: margins.length / classes }, (_, i) => {
    const row = margins.subarray(i * classes, (i + 1) * classes);
    return row.indexOf(Math.max(...row));
  });
}
