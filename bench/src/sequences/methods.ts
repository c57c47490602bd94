/** The ways to predict from sequences that are compared. */

import { Arena } from "../../../engine/src/compute/arena.ts";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { DtwNeighbours } from "../../../engine/src/sequences/dtw/dtw-neighbours.ts";
import type { SequenceTransform } from "../../../engine/src/sequences/feature-matrix.ts";
import { Hydra } from "../../../engine/src/sequences/hydra/hydra.ts";
import { IntervalFeatures } from "../../../engine/src/sequences/intervals/interval-features.ts";
import type { ScalerKind } from "../../../engine/src/sequences/ridge/feature-scaler.ts";
import { classTargets, RidgeHead } from "../../../engine/src/sequences/ridge/ridge-head.ts";
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
  fit: (set, seed) => Hydra.fit(set, null, deriveKey(seed, "bench")),
};

const intervals: Part = {
  scaler: "standard",
  fit: (set) => IntervalFeatures.fit(set, null),
};

const dtw: Method = {
  name: "dtw 1-nn",
  predict: ({ train, test, classes }) => {
    const arena = Arena.create().handle();
    const target = { values: train.target, classes };
    const fitted = DtwNeighbours.fit(train.set, null, target, { arena });
    const shares = fitted.predict(test.set, null, arena);
    return decided(
      classes === 2 ? shares.filter((_, i) => i % 2).map((s) => s - 0.5) : shares,
      classes,
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
];

/** Transforms side by side, and a ridge regression on their features. */
function withRidge(name: string, ...parts: readonly Part[]): Method {
  return {
    name,
    predict: ({ train, test, classes }, seed) => {
      const arena = Arena.create().handle();
      const fitted = parts.map((part) => part.fit(train.set, seed));
      const blocks = fitted.map((transform, i) => ({
        matrix: transform.transform(train.set, null, arena),
        scaler: parts[i].scaler,
      }));
      const { head } = RidgeHead.fit({
        blocks,
        rows: Uint32Array.from(train.target.keys()),
        targets: classes === 0 ? train.target : classTargets(train.target, classes),
        outputs: classes <= 2 ? 1 : classes,
        arena,
      });
      const asked = fitted.map((transform) => transform.transform(test.set, null, arena));
      return decided(head.predict(asked, null), classes);
    },
  };
}

/** The class of the largest margin; of one margin, of its sign. */
export function decided(margins: Float64Array, classes: number): Float64Array {
  if (classes === 0) return margins;
  if (classes === 2) return margins.map((margin) => (margin > 0 ? 1 : 0));
  return Float64Array.from({ length: margins.length / classes }, (_, i) => {
    const row = margins.subarray(i * classes, (i + 1) * classes);
    return row.indexOf(Math.max(...row));
  });
}
