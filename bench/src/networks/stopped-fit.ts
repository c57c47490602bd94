/** A family's fit that a fifth of the training rows stops, as networks of others are fitted by default. */

import { deriveKey } from "../../../engine/src/compute/random.ts";
import { freeEncoded } from "../../../engine/src/data/encode.ts";
import type { Family } from "../../../engine/src/families/family.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import { type BenchData, encodeBenchData } from "../bench-data.ts";
import type { Contender } from "../contest.ts";
import { type Helpers, helpedFit } from "../helped-fit.ts";

export interface StoppedFitOptions {
  /** In place of the family's defaults. */
  readonly parameters?: Parameters;
  readonly helpers?: Helpers | null;
}

/** @param family one that stops by validation rows */
export function stoppedFit(
  data: BenchData,
  family: Family,
  { parameters = {}, helpers = null }: StoppedFitOptions = {},
): Contender {
  return {
    name: `distillery ${family.id}`,
    async fit(seed) {
      const start = performance.now();
      const encoded = encodeBenchData(data, family.reads === "values");
      const trainStart = performance.now();
      const held = (_row: number, i: number): boolean => (i + seed) % 5 === 0;
      const trainRows = data.train.filter((row, i) => !held(row, i));
      const { task, target } = data;
      const shape = { rows: trainRows.length, task, features: encoded.features };
      const context = {
        ...{ task, target, data: encoded, softTarget: null, weights: null, monotone: {} },
        ...{ trainRows, validRows: data.train.filter(held), key: deriveKey(seed, "bench") },
      };
      const chosen = { ...family.defaults(shape), ...parameters };
      const model =
        helpers === null
          ? family.fit(context, chosen)
          : await helpedFit(helpers, encoded.arena, (crew) =>
              family.fit({ ...context, crew }, chosen),
            );
      const predictStart = performance.now();
      const predictions = model.predict(encoded, data.test);
      const end = performance.now();
      freeEncoded(encoded);
      return {
        binSeconds: (trainStart - start) / 1000,
        trainSeconds: (predictStart - trainStart) / 1000,
        predictSeconds: (end - predictStart) / 1000,
        predictions,
      };
    },
  };
}
