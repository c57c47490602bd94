/** Rows through fitted trees on a GPU beside the CPU: predictions, and their explanations by TreeSHAP. */

import type { GpuDesk } from "../../../engine/src/compute/gpu/desk.ts";
import type { Family, FitContext, FittedModel } from "../../../engine/src/families/family.ts";
import { withSummer } from "../../../engine/src/trees/device-sums.ts";
import { LaneSums } from "../../../engine/src/trees/lane-sums.ts";
import { withExplainer } from "../../../engine/src/trees/shap/device-explainer.ts";
import { LaneExplainer } from "../../../engine/src/trees/shap/lane-explainer.ts";
import { contextOf } from "./fitted-rows.ts";
import type { Check } from "./gpu.bench.ts";

const TREES = 20;
const TURNS = 3;

type Data = FitContext["data"];

/** @param explained rows of them that are explained; 0: none are */
export async function checkWalks(
  desk: GpuDesk,
  family: Family,
  rows: number,
  explained: number,
): Promise<Check[]> {
  const context = contextOf(rows, 28);
  const { data } = context;
  const model = family.fit(context, { n_estimators: TREES });
  const list = Uint32Array.from({ length: explained }, (_, row) => row);
  const prediction = await checkPrediction(desk, data, model, family.id);
  if (explained === 0) return [prediction];
  return [prediction, await checkExplanation(desk, data, model, list, family.id)];
}

const timed = (action: () => Float64Array): { seconds: number; bytes: Buffer } => {
  const begun = performance.now();
  const { buffer, byteOffset, byteLength } = action();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, bytes: Buffer.from(buffer, byteOffset, byteLength) };
};

async function alternating(
  desk: GpuDesk,
  data: Data,
  name: string,
  turn: (lane: ReturnType<GpuDesk["open"]>) => Float64Array,
): Promise<Check> {
  const lane = desk.open(data.arena, 1);
  if (lane === null) throw new Error(`The GPU is gone: ${desk.gone}`);
  const times = Array.from({ length: TURNS }, () => ({
    cpu: timed(() => turn(null)),
    gpu: timed(() => turn(lane)),
  }));
  const { answered, refused } = await desk.end(lane);
  return {
    name,
    equal:
      answered > 0 && refused === 0 && times.every(({ cpu, gpu }) => cpu.bytes.equals(gpu.bytes)),
    cpu_s: Math.min(...times.map(({ cpu }) => cpu.seconds)),
    gpu_s: Math.min(...times.map(({ gpu }) => gpu.seconds)),
  };
}

/** All rows, from the arena that they lie in. */
const checkPrediction = (
  desk: GpuDesk,
  data: Data,
  model: FittedModel,
  family: string,
): Promise<Check> =>
  alternating(desk, data, `prediction by ${family}`, (lane) =>
    withSummer(lane && new LaneSums(lane), () => model.predict(data, null)),
  );

const checkExplanation = (
  desk: GpuDesk,
  data: Data,
  model: FittedModel,
  rows: Uint32Array,
  family: string,
): Promise<Check> =>
  alternating(desk, data, `explanation by ${family}`, (lane) =>
    withExplainer(lane && new LaneExplainer(lane), () => {
      const { contributions } = model.explain(data, rows);
      return contributions;
    }),
  );
