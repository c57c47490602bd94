/** A training step of a small network in TensorFlow.js, on the fastest of its backends without native code. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as TensorFlow from "@tensorflow/tfjs";

const BACKENDS = ["wasm", "cpu"] as const;

/** Rows of f32, and 0 or 1 for each. */
export interface StepData {
  readonly rows: number;
  readonly inputs: Float32Array;
  readonly labels: Float32Array;
}

export interface LibraryStep {
  /** The library, its version and its backend. */
  readonly name: string;
  /** One step of Adam on the log-loss of all rows; its result is there when it returns. */
  step(): void;
}

/**
 * A network with the positive part as activation.
 *
 * @param widths of the hidden layers, between the inputs and one output
 * @returns why there is none, where the package is missing or no backend trains
 */
export async function libraryStep(
  data: StepData,
  widths: readonly number[],
): Promise<LibraryStep | string> {
  const require = createRequire(import.meta.url);
  const refusals: string[] = [];
  for (const backend of BACKENDS) {
    try {
      const tf = await import("@tensorflow/tfjs");
      if (backend === "wasm") {
        const wasm = await import("@tensorflow/tfjs-backend-wasm");
        const folder = dirname(require.resolve("@tensorflow/tfjs-backend-wasm"));
        wasm.setWasmPaths(join(folder, "/"));
      }
      if (!(await tf.setBackend(backend))) throw new Error("it did not start");
      const step = stepOf(tf, data, widths);
      step();
      return { name: `TensorFlow.js ${tf.version.tfjs}, ${backend}`, step };
    } catch (error) {
      refusals.push(`${backend}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return `TensorFlow.js: ${refusals.join("; ")}`;
}

function stepOf(
  tf: typeof TensorFlow,
  { rows, inputs, labels }: StepData,
  widths: readonly number[],
): () => void {
  const columns = inputs.length / rows;
  const model = tf.sequential();
  for (const [l, units] of widths.entries()) {
    const shape = l === 0 ? { inputShape: [columns] } : {};
    model.add(tf.layers.dense({ units, activation: "relu", ...shape }));
  }
  model.add(tf.layers.dense({ units: 1 }));
  const x = tf.tensor2d(inputs, [rows, columns]);
  const y = tf.tensor2d(labels, [rows, 1]);
  const adam = tf.train.adam(0.001);
  return () => {
    const loss = adam.minimize(() => {
      const out = model.apply(x, { training: true });
      if (!(out instanceof tf.Tensor)) throw new Error("the network gave no single tensor");
      return tf.losses.sigmoidCrossEntropy(y, out).asScalar();
    }, true);
    loss?.dataSync();
    loss?.dispose();
  };
}
