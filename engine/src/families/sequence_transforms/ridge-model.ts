/**
 * Sequences by transforms and a ridge regression of what they give: what the families of such transforms
 * share. λ is chosen by leaving rows out, and so are the margins that the slope of the probabilities is
 * fitted to.
 */

import { z } from "zod";
import type { EncodedData } from "../../data/encoded.ts";
import type { SequenceFrame } from "../../data/frame.ts";
import type { FeatureMatrix, SequenceTransform } from "../../sequences/feature-matrix.ts";
import { loadOfLengths } from "../../sequences/resampling.ts";
import {
  classTargets,
  fitRidge,
  hasOthersOfClass,
  type RidgeFit,
} from "../../sequences/ridge/fit-ridge.ts";
import { RidgeHead } from "../../sequences/ridge/ridge-head.ts";
import { checkSaved, type SavedTransform } from "../../sequences/saved-transform.ts";
import { sequencesOf } from "../../sequences/sequence-set.ts";
import { hasClasses, outputCount, type Task } from "../../tasks/index.ts";
import type { Explanation, FitContext, FittedModel, SavedModel } from "../family.ts";
import { evenChannels, explainChannels } from "./channel-explanation.ts";
import { underPrefix, withPrefix } from "./saved-parts.ts";
import { transformInBlocks } from "./transform-in-blocks.ts";

/** A transform beside how its features are scaled. */
export interface ScaledTransform {
  readonly transform: SequenceTransform;
  readonly scaler: "standard" | "sparse";
}

export function sequenceFrame({ frame }: EncodedData): SequenceFrame {
  if (frame?.kind !== "sequences") throw new TypeError("Sequences are learned from a frame.");
  return frame;
}

export function fitRidgeModel(
  context: FitContext,
  fitTransforms: (frame: SequenceFrame) => readonly ScaledTransform[],
): FittedModel {
  const { data, task, trainRows, target, softTarget, weights, limits } = context;
  const frame = sequenceFrame(data);
  limits?.throwIfOver();
  const parts = fitTransforms(frame);
  limits?.throwIfOver();
  const blocks = parts.map(({ transform, scaler }) => ({
    matrix: transformInBlocks(transform, frame, trainRows, data, limits),
    scaler,
  }));
  limits?.throwIfOver();
  const own = Float64Array.from(trainRows, (row) => target[row]);
  const isClass = hasClasses(task);
  const outputs = outputCount(task);
  const labels =
    softTarget &&
    Float64Array.from({ length: trainRows.length * outputs }, (_, i) => {
      return softTarget[trainRows[Math.floor(i / outputs)] * outputs + (i % outputs)];
    });
  const hard = isClass ? classTargets(own, outputs) : own;
  const ownWeights = weights && Float64Array.from(trainRows, (row) => weights[row]);
  // A sequence that is the only one of its class is, left out, of a class that nobody knows.
  const tells = isClass && !labels ? hasOthersOfClass(own, ownWeights) : null;
  const fit = fitRidge({
    blocks,
    rows: Uint32Array.from(trainRows.keys()),
    // A share of a class lies between the targets of those that are it and those that are not.
    targets: labels ? labels.map((share) => 2 * share - 1) : hard,
    outputs,
    weights: ownWeights,
    tells,
    arena: data.arena,
    between: () => limits?.throwIfOver(),
  });
  const shares = labels ?? hard.map((target) => (target + 1) / 2);
  const told = tells
    ? Float64Array.from(tells, (each, i) => (each ? (ownWeights?.[i] ?? 1) : 0))
    : ownWeights;
  const slope = isClass ? fitSlope(fit.leftOut, outputs, smoothed(shares, outputs, told), told) : 1;
  return new RidgeModel(task, {
    transforms: parts.map(({ transform }) => transform),
    head: fit.head,
    slope,
    channels: frame.channels,
    features: data.features.length,
    facts: factsOf(fit, parts),
  });
}

function factsOf(
  { lambda, loss }: RidgeFit,
  parts: readonly ScaledTransform[],
): Readonly<Record<string, number>> {
  const features = parts.reduce((sum, { transform }) => sum + transform.features, 0);
  return { lambda, leave_one_out_loss: loss, transform_features: features };
}

interface RidgeParts {
  readonly transforms: readonly SequenceTransform[];
  readonly head: RidgeHead;
  /** From margins between −1 and 1 to log-odds. */
  readonly slope: number;
  readonly channels: number;
  /** Of the data, beside the channels. */
  readonly features: number;
  readonly facts: FittedModel["facts"];
}

class RidgeModel implements FittedModel {
  readonly #task: Task;
  readonly #parts: RidgeParts;

  constructor(task: Task, parts: RidgeParts) {
    this.#task = task;
    this.#parts = parts;
  }

  get facts(): FittedModel["facts"] {
    return this.#parts.facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return toPredictions(this.#task, this.#margins(sequenceFrame(data), rows, data));
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { transforms, features, channels } = this.#parts;
    const reads = transforms.map((transform) => transform.reads);
    return explainChannels({
      isRead: (channel) => reads.some((each) => each === undefined || each.has(channel)),
      task: this.#task,
      frame: sequenceFrame(data),
      rows,
      features,
      channels,
      margins: (frame, some) => this.#margins(frame, some, data),
    });
  }

  /** Row-major; log-odds of the second class, one value a class, or the value itself. */
  #margins(frame: SequenceFrame, rows: Uint32Array | null, { arena }: EncodedData): Float64Array {
    const { transforms, head, slope } = this.#parts;
    const asked = sequencesOf(frame, rows);
    const features = transforms.reduce((sum, each) => sum + each.features, 0);
    const together = Math.max(1, Math.floor(BLOCK_CELLS / features));
    const count = Math.min(together, asked.length);
    const cells = transforms.map((each) => new Float32Array(count * each.features));
    const margins = new Float64Array(asked.length * head.outputs);
    for (let from = 0; from < asked.length; from += together) {
      const block = asked.subarray(from, from + together);
      const matrices: FeatureMatrix[] = transforms.map((each, i) =>
        each.transform(frame, block, arena, cells[i]),
      );
      margins.set(head.predict(matrices, null), from * head.outputs);
    }
    return hasClasses(this.#task) ? margins.map((margin) => slope * margin) : margins;
  }

  /** Channels alone are learned from. */
  importance(): Float64Array {
    const { features, channels } = this.#parts;
    return evenChannels(features, channels);
  }

  save(): SavedModel {
    const { transforms, head, slope, channels } = this.#parts;
    const parts = [...transforms.map((transform) => transform.save()), head.save()];
    const tensors = parts.map((part, i) => withPrefix(`${i}.`, part.tensors));
    return {
      header: { parts: parts.map(({ header }) => header), slope, channels },
      tensors: Object.assign({}, ...tensors),
    };
  }
}

const headerSchema = z.object({
  parts: z.array(z.unknown()).min(2),
  slope: z.number(),
  channels: z.int().min(1),
});

/** @param loads of each transform, in the order of the fit */
export function loadRidgeModel(
  saved: SavedModel,
  { task, features }: { readonly task: Task; readonly features: number },
  loads: readonly ((saved: SavedTransform) => SequenceTransform)[],
): FittedModel {
  const { parts, slope, channels } = headerSchema.parse(saved.header);
  const part = (i: number): SavedTransform => ({
    header: parts[i],
    tensors: underPrefix(`${i}.`, saved.tensors),
  });
  // Of lengths as they are and brought to one, each has two, side by side.
  const ofEach = (parts.length - 1) / loads.length;
  checkSaved(Number.isInteger(ofEach), `it has ${parts.length - 1} transforms`);
  const transforms = Array.from({ length: parts.length - 1 }, (_, i) => {
    const transform = loadOfLengths(loads[Math.floor(i / ofEach)])(part(i));
    const means = saved.tensors[`${i}.channel_means`];
    if (means && means.length !== channels) {
      throw new Error(
        `The model is damaged: a transform of ${means.length} channels is saved for ${channels}.`,
      );
    }
    return transform;
  });
  const head = RidgeHead.load(
    part(transforms.length),
    transforms.map((transform) => transform.features),
  );
  const outputs = outputCount(task);
  checkSaved(head.outputs === outputs, `it has ${head.outputs} outputs, and the task ${outputs}`);
  return new RidgeModel(task, {
    transforms,
    head,
    slope,
    channels,
    features,
    facts: {},
  });
}

function toPredictions(task: Task, margins: Float64Array): Float64Array {
  if (!hasClasses(task)) return margins;
  const outputs = outputCount(task);
  if (outputs === 1) return margins.map((margin) => 1 / (1 + Math.exp(-margin)));
  const out = new Float64Array(margins.length);
  for (let at = 0; at < margins.length; at += outputs) {
    const row = margins.subarray(at, at + outputs);
    const most = row.reduce((a, b) => Math.max(a, b));
    const exponentials = row.map((margin) => Math.exp(margin - most));
    const sum = exponentials.reduce((a, b) => a + b, 0);
    for (let k = 0; k < outputs; k++) out[at + k] = exponentials[k] / sum;
  }
  return out;
}

/** Features that are held at once while predicting: 8 MiB, which many sequences go through. */
const BLOCK_CELLS = 2 ** 21;

/**
 * Shares of classes as if one row more had been wrong (Platt, "Probabilistic outputs for support vector
 * machines", 1999, §2.2): margins of few rows that are all right say that no slope is too steep.
 */
function smoothed(
  shares: Float64Array,
  outputs: number,
  weights: Float64Array | null,
): Float64Array {
  const rows = shares.length / outputs;
  const known = weights === null ? rows : weights.filter((weight) => weight > 0).length;
  const wrong = 1 / (known + 2);
  const other = wrong / Math.max(1, outputs - 1);
  return shares.map((share) => (1 - wrong) * share + other * (1 - share));
}

/** Bounds of the logarithm of the slope. */
const SLOPES = { low: -2, high: 4, steps: 60 };

/** Of margins that no sequence tells a slope of, since each is the only one of its class; calibration goes on from there. */
const UNTOLD_SLOPE = Math.exp(1);

/**
 * The slope by which margins that were left out have the least cross-entropy, by golden sections.
 *
 * @param shares of the second class, or row-major of each
 */
function fitSlope(
  margins: Float64Array,
  outputs: number,
  shares: Float64Array,
  weights: Float64Array | null,
): number {
  const lossAt = (logarithm: number): number => {
    const slope = Math.exp(logarithm);
    let loss = 0;
    for (let i = 0; i < shares.length / outputs; i++) {
      const weight = weights === null ? 1 : weights[i];
      if (weight === 0) continue;
      if (outputs === 1) {
        const margin = slope * margins[i];
        // −log σ(m) of the second class's share, and −log σ(−m) = m − log σ(m) of the first's.
        const second = Math.max(0, -margin) + Math.log1p(Math.exp(-Math.abs(margin)));
        loss += weight * (second + (1 - shares[i]) * margin);
        continue;
      }
      const row = margins.subarray(i * outputs, (i + 1) * outputs);
      const most = row.reduce((a, b) => Math.max(a, b));
      const sum = row.reduce((total, each) => total + Math.exp(slope * (each - most)), 0);
      let own = 0;
      for (let k = 0; k < outputs; k++) own += shares[i * outputs + k] * (row[k] - most);
      loss += weight * (Math.log(sum) - slope * own);
    }
    return loss;
  };
  const ratio = (Math.sqrt(5) - 1) / 2;
  if (weights?.every((weight) => weight === 0)) return UNTOLD_SLOPE;
  let { low, high } = SLOPES;
  for (let step = 0; step < SLOPES.steps; step++) {
    const width = ratio * (high - low);
    if (lossAt(high - width) <= lossAt(low + width)) high = low + width;
    else low = high - width;
  }
  return Math.exp((low + high) / 2);
}
