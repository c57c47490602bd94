/** Networks on a GPU beside the CPU's: the gradients of a batch, and a whole fit, which are near and not equal bits. */

import { Arena } from "../../../engine/src/compute/arena.ts";
import type { GpuDesk } from "../../../engine/src/compute/gpu/desk.ts";
import type { Lane } from "../../../engine/src/compute/gpu/lane.ts";
import { kernelsOf } from "../../../engine/src/compute/kernels.ts";
import { deriveKey } from "../../../engine/src/compute/random.ts";
import { rowNumbers } from "../../../engine/src/compute/row-lists.ts";
import { withScratch } from "../../../engine/src/compute/scratch.ts";
import type { FittedModel } from "../../../engine/src/families/family.ts";
import { CpuTrainer } from "../../../engine/src/families/mlp/cpu-trainer.ts";
import { DeviceTrainer } from "../../../engine/src/families/mlp/device-trainer.ts";
import { mlp } from "../../../engine/src/families/mlp/family.ts";
import { Network } from "../../../engine/src/families/mlp/network.ts";
import { inputOf } from "../../../engine/src/families/mlp/testing/random-network.ts";
import { encodeBenchData, syntheticData } from "../bench-data.ts";
import type { Check } from "./gpu.bench.ts";

/** As the tests have them. */
const GRADIENT_BOUND = 5e-6;
const LOSS_BOUND = 0.02;
const REPEATS = 3;

/** The least seconds of several, after one that is not counted. */
function least(action: () => void): number {
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= REPEATS; i++) {
    const begun = performance.now();
    action();
    if (i > 0) seconds = Math.min(seconds, (performance.now() - begun) / 1000);
  }
  return seconds;
}

async function withLane<T>(
  desk: GpuDesk,
  arena: Arena,
  action: (lane: Lane) => T,
): Promise<{ readonly value: T; readonly isServed: boolean }> {
  const lane = desk.open(arena.handle(), 1);
  if (lane === null) throw new Error(`The GPU is gone: ${desk.gone}`);
  const value = action(lane);
  const { answered, refused } = await desk.end(lane);
  return { value, isServed: answered > 0 && refused === 0 };
}

/** Forward and back through three layers of 128 units, as default fits have them. */
export async function checkGradients(desk: GpuDesk, batch: number): Promise<Check> {
  const arena = Arena.create();
  const { value, isServed } = await withLane(desk, arena, (lane) =>
    withScratch(arena, (scratch) => {
      const input = inputOf(
        {
          ...{
            loss: "binary_log_loss",
            rows: batch,
            batch,
            dropout: 0.15,
            weighted: false,
            seed: 1,
          },
          shape: {
            ...{ numbers: 28, frequencies: 16, pieces: 0, oneHot: [], embedded: [], statistics: 0 },
            ...{ widths: [128, 128, 128], outputs: 1, activation: "selu" },
          },
        },
        kernelsOf(arena),
        lane,
      );
      const network = new Network(scratch, input.shape, batch);
      network.setParameters(
        Float32Array.from({ length: network.layout.size }, (_, i) => Math.sin(i * i)),
      );
      const cpu = new CpuTrainer(scratch, network, input);
      const device = new DeviceTrainer({ scratch, lane, network, cpu, input });
      const rows = rowNumbers(batch);
      const dropout = device.beginEpoch(0, rows);
      const expected = cpu.gradientsOf(rows, dropout).slice();
      const found = device.gradients().slice();
      const off = Math.hypot(...found.map((gradient, i) => gradient - expected[i]!));
      return {
        isNear: off <= GRADIENT_BOUND * Math.hypot(...expected),
        cpu_s: least(() => cpu.gradientsOf(rows, dropout)),
        gpu_s: least(() => device.gradients()),
      };
    }),
  );
  return {
    name: `gradients of ${batch} rows of a network`,
    equal: isServed && value.isNear,
    within: `${GRADIENT_BOUND} of the gradient's length`,
    cpu_s: value.cpu_s,
    gpu_s: value.gpu_s,
  };
}

export async function checkNetworkFit(
  desk: GpuDesk,
  rows: number,
  parameters: Readonly<Record<string, number>>,
): Promise<Check> {
  const given = syntheticData(rows, 28);
  const data = encodeBenchData(given, true);
  const { task, target, train } = given;
  const defaults = mlp.defaults({ rows, task, features: data.features });
  const fit = (device?: Lane): { seconds: number; model: FittedModel } => {
    const begun = performance.now();
    const model = mlp.fit(
      {
        ...{ task, data, target, softTarget: null, weights: null },
        trainRows: train.filter((row) => row % 5 !== 0),
        validRows: train.filter((row) => row % 5 === 0),
        ...{ key: deriveKey(0, "bench"), monotone: {}, ...(device ? { device } : {}) },
      },
      { ...defaults, ...parameters },
    );
    return { seconds: (performance.now() - begun) / 1000, model };
  };
  const lossOf = ({ model }: { model: FittedModel }): number =>
    Number(model.facts["validation_loss"]);
  const cpu = fit();
  const { value: gpu, isServed } = await withLane(desk, Arena.attach(data.arena), fit);
  const off = Math.abs(lossOf(gpu) - lossOf(cpu));
  return {
    name: "fit of mlp",
    equal: isServed && "device" in gpu.model.facts && off <= LOSS_BOUND * lossOf(cpu),
    within: `${100 * LOSS_BOUND} % of the validation loss`,
    cpu_s: cpu.seconds,
    gpu_s: gpu.seconds,
  };
}
