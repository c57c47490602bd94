/** Saved transforms whose arrays or counts contradict each other are told when they are loaded. */

import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { SavedModel, TensorArray } from "../family.ts";
import { multirocketHydra } from "../multirocket_hydra/family.ts";
import { multirocketHydraLoader } from "../multirocket_hydra/loader.ts";

const [SEQUENCES, STEPS, CHANNELS] = [8, 20, 3];

function waves(): Table {
  const rows = SEQUENCES * STEPS;
  const column = (name: string, value: (s: number, t: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, (_, row) =>
      value(Math.floor(row / STEPS), row % STEPS),
    ),
  });
  const channels = Array.from({ length: CHANNELS }, (_, c) =>
    column(`c${c}`, (s, t) => Math.sin(t * (0.2 + (s % 2) + 0.1 * c))),
  );
  const [id, time, label] = [
    column("id", (s) => s),
    column("t", (_, t) => t),
    column("y", (s) => s % 2),
  ];
  return { rows, columns: [id, time, ...channels, label] };
}

const config = runConfigSchema.parse({
  task: {
    taskKind: "sequence_binclass",
    labelColumn: "y",
    sequenceColumn: "id",
    orderColumn: "t",
  },
  nCvSplits: 2,
});
const { data, task, target } = prepareTable(waves(), config);
const fitted = multirocketHydra.fit(
  {
    ...{ data, task, target, softTarget: null, weights: null, validRows: null, monotone: {} },
    trainRows: Uint32Array.from({ length: SEQUENCES }, (_, row) => row),
    key: deriveKey(0, "fit"),
  },
  { kernels: 84, groups: 2, scaling: "channel" },
);
const saved = fitted.save();

function load(model: SavedModel) {
  const header = JSON.parse(JSON.stringify(model.header));
  return multirocketHydraLoader.load(
    { ...model, header },
    { task, features: data.features, bins: null },
  );
}

const withTensor = (name: string, tensor: TensorArray): SavedModel => ({
  ...saved,
  tensors: { ...saved.tensors, [name]: tensor },
});

describe("a saved model of transforms", () => {
  it("predicts as before once it is loaded", () => {
    expect(load(saved).predict(data, null)).toEqual(fitted.predict(data, null));
  });

  it.each(Object.keys(saved.tensors))(
    "is told to be damaged where %s is one shorter or longer",
    (name) => {
      const tensor = saved.tensors[name];
      expect(() => load(withTensor(name, tensor.subarray(1)))).toThrow(/damaged/);
      const longer = new Float64Array(tensor.length + 1);
      longer.set(tensor);
      const same =
        tensor instanceof Float64Array
          ? longer
          : tensor instanceof Float32Array
            ? Float32Array.from(longer)
            : Int32Array.from(longer);
      expect(() => load(withTensor(name, same))).toThrow(/damaged/);
    },
  );

  const integers = Object.entries(saved.tensors).flatMap(([name, tensor]) =>
    tensor instanceof Int32Array ? [[name, tensor] as const] : [],
  );

  it.each(integers)(
    "is told to be damaged where %s has numbers beyond what there is",
    (name, tensor) => {
      for (const value of [-1, 2 ** 30]) {
        const wrong = tensor.slice();
        wrong[wrong.length - 1] = value;
        expect(() => load(withTensor(name, wrong))).toThrow(/damaged/);
      }
    },
  );
});
