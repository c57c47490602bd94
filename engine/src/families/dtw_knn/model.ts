/** What the nearest sequences say, and how sure that is. */

import { z } from "zod";
import type { ArenaHandle } from "../../compute/arena.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { SequenceFrame } from "../../data/frame.ts";
import type { ChannelScaling } from "../../sequences/channel-treatment.ts";
import { DtwNeighbours, fitDtwNeighbours } from "../../sequences/dtw/dtw-neighbours.ts";
import { commonLength, type LengthTreatment, resample } from "../../sequences/resampling.ts";
import { type SequenceSet, sequencesOf } from "../../sequences/sequence-set.ts";
import { hasClasses, outputCount, type Task } from "../../tasks/index.ts";
import type { Explanation, FitContext, FittedModel, SavedModel } from "../family.ts";
import { evenChannels, explainChannels } from "../sequence_transforms/channel-explanation.ts";
import { sequenceFrame } from "../sequence_transforms/ridge-model.ts";
import { underPrefix } from "../sequence_transforms/saved-parts.ts";

/** Training sequences, evenly spaced, that are left out to see how sure neighbours are. */
const LEFT_OUT = 200;

export interface NeighbourOptions {
  readonly neighbours: readonly number[];
  readonly scaling: ChannelScaling;
  readonly lengths: LengthTreatment;
}

export function fitNeighbours(context: FitContext, options: NeighbourOptions): FittedModel {
  const { data, task, trainRows, target, limits } = context;
  const frame = sequenceFrame(data);
  const steps = options.lengths === "resampled" ? commonLength(frame, trainRows) : null;
  const learned = broughtTo(steps, frame, trainRows);
  const classes = hasClasses(task) ? task.classes.length : 0;
  const values = Float64Array.from(trainRows, (row) => target[row]);
  const between = (): void => limits?.throwIfOver();
  const model = fitDtwNeighbours(
    learned.set,
    learned.rows,
    { values, classes },
    { ...options, arena: data.arena, between },
  );
  const doubt = classes > 0 ? doubtOf(model.leftOut(data.arena, between), values, classes) : 0;
  return new Neighbours(task, model, {
    doubt,
    features: data.features.length,
    channels: frame.channels,
    steps,
  });
}

/** These sequences, at so many steps where that is not null. */
function broughtTo(
  steps: number | null,
  set: SequenceSet,
  rows: Uint32Array | null,
): { readonly set: SequenceSet; readonly rows: Uint32Array | null } {
  if (steps === null) return { set, rows };
  return { set: resample(set, sequencesOf(set, rows), steps), rows: null };
}

/**
 * The share of an even guess that is mixed into the neighbours' shares, by which sequences that were left
 * out have the least log-loss; so that no class is ever impossible.
 */
function doubtOf(leftOut: Float64Array, classOf: Float64Array, classes: number): number {
  const stride = Math.max(1, Math.ceil(classOf.length / LEFT_OUT));
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let step = 1; step <= 40; step++) {
    const doubt = step / 40;
    let loss = 0;
    for (let i = 0; i < classOf.length; i += stride) {
      loss -= Math.log((1 - doubt) * leftOut[i * classes + classOf[i]] + doubt / classes);
    }
    if (loss < least) [best, least] = [doubt, loss];
  }
  return best;
}

interface NeighbourParts {
  readonly doubt: number;
  /** Of the data, beside the channels. */
  readonly features: number;
  readonly channels: number;
  /** That sequences are brought to; null = they stay as they are. */
  readonly steps: number | null;
}

class Neighbours implements FittedModel {
  readonly #task: Task;
  readonly #model: DtwNeighbours;
  readonly #parts: NeighbourParts;

  constructor(task: Task, model: DtwNeighbours, parts: NeighbourParts) {
    this.#task = task;
    this.#model = model;
    this.#parts = parts;
  }

  get facts(): FittedModel["facts"] {
    return { window: this.#model.window, neighbours: this.#model.neighbours };
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return this.#predictions(this.#said(sequenceFrame(data), rows, data.arena));
  }

  #said(frame: SequenceFrame, asked: Uint32Array | null, arena: ArenaHandle): Float64Array {
    const { set, rows } = broughtTo(this.#parts.steps, frame, asked);
    return this.#model.predict(set, rows, arena);
  }

  #predictions(said: Float64Array): Float64Array {
    if (!hasClasses(this.#task)) return said;
    const { doubt } = this.#parts;
    const classes = this.#task.classes.length;
    const shares = said.map((share) => (1 - doubt) * share + doubt / classes);
    return outputCount(this.#task) === 1 ? shares.filter((_, i) => i % 2 === 1) : shares;
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { features, channels } = this.#parts;
    const isBinary = hasClasses(this.#task) && outputCount(this.#task) === 1;
    return explainChannels({
      task: this.#task,
      frame: sequenceFrame(data),
      rows,
      features,
      channels,
      margins: (frame, some) => {
        const predictions = this.#predictions(this.#said(frame, some, data.arena));
        if (!hasClasses(this.#task)) return predictions;
        return predictions.map((p) => (isBinary ? Math.log(p / (1 - p)) : Math.log(p)));
      },
    });
  }

  importance(): Float64Array {
    const { features, channels } = this.#parts;
    return evenChannels(features, channels);
  }

  save(): SavedModel {
    const { header, tensors } = this.#model.save();
    return { header: { neighbours: header, ...this.#parts }, tensors };
  }
}

const headerSchema = z.object({
  neighbours: z.unknown(),
  doubt: z.number(),
  channels: z.int().min(1),
  steps: z.int().min(1).nullable().default(null),
});

export function loadNeighbours(
  { header, tensors }: SavedModel,
  task: Task,
  features: number,
): FittedModel {
  const { neighbours, doubt, channels, steps } = headerSchema.parse(header);
  const model = DtwNeighbours.load({ header: neighbours, tensors: underPrefix("", tensors) });
  return new Neighbours(task, model, { doubt, features, channels, steps });
}
