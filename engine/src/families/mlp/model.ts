/** A fitted network: predicts, explains itself, and is saved and loaded. */

import { Arena, ArenaFullError, type ArenaHandle } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { Scratch, withScratch } from "../../compute/scratch.ts";
import type { EncodedData } from "../../data/encoded.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import { arrangedExplanation } from "../arranged-explanation.ts";
import type { Explanation, FittedModel, SavedModel } from "../family.ts";
import type { NetworkFormula } from "../formula.ts";
import type { LearningCurve } from "../learning-curve.ts";
import { toShares } from "../margin-shares.ts";
import { integratedGradients } from "./explain.ts";
import { networkFormula } from "./formula.ts";
import { type ArrangedTerms, arrangeTerms, type InputTerm, readInputs } from "./inputs.ts";
import { BATCH_ROWS, type NetworkShape } from "./layout.ts";
import { Network } from "./network.ts";
import { PackedNetwork } from "./packed-network.ts";

export const MLP_FORMAT = 1;

export interface MlpState {
  readonly shape: NetworkShape;
  readonly terms: readonly InputTerm[];
  /** f32, as in the network's layout. */
  readonly parameters: Float32Array;
  /** f32: the mean of the training rows' embedded inputs, where explanations begin. */
  readonly baseline: Float32Array;
  /** A value is centre + factor · output; 0 and 1 of classes. */
  readonly centre: number;
  readonly factor: number;
  /** One a feature. */
  readonly importance: Float64Array;
  readonly facts: Readonly<Record<string, number | string>>;
}

export class MlpModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of the fit that made it; null once loaded. */
  curve: LearningCurve | null = null;
  readonly #task: Task;
  readonly #features: number;
  readonly #state: MlpState;
  readonly #terms: ArrangedTerms;
  /** For data of one arena; null: packed anew for each. */
  readonly #resident: PackedNetwork | null;

  /**
   * @param features of the schema
   * @param place where its weights are kept packed; absent: nowhere
   */
  constructor(task: Task, features: number, state: MlpState, place?: ArenaHandle) {
    this.#task = task;
    this.#features = features;
    this.#state = state;
    this.#terms = arrangeTerms(state.terms);
    this.facts = state.facts;
    this.#resident = place ? residentIn(place, state) : null;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { shape, parameters, centre, factor } = this.#state;
    const outputs = withScratch(Arena.attach(data.arena), (scratch) => {
      const packed =
        this.#resident?.memory === data.arena.memory
          ? this.#resident
          : new PackedNetwork(scratch, shape, parameters);
      return packed.outputsOf(scratch, readInputs(data, this.#terms, rows));
    });
    return toPredictions(this.#task, data, outputs, { outputs: shape.outputs, centre, factor });
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { baseline, centre, factor } = this.#state;
    const inputs = readInputs(data, this.#terms, rows);
    const { base, margins, contributions } = this.#withNetwork(data, (network, scratch) =>
      integratedGradients(scratch, network, inputs, baseline, {
        features: this.#features,
        terms: this.#terms,
        shape: this.#state.shape,
      }),
    );
    return arrangedExplanation(this.#task, {
      space: typeOf(this.#task).link,
      baseValues: base.map((value) => centre + factor * value),
      contributions: contributions.map((value) => factor * value),
      margins: margins.map((value) => centre + factor * value),
    });
  }

  formula(): NetworkFormula {
    return networkFormula(this.#state);
  }

  importance(): Float64Array {
    return this.#state.importance.slice();
  }

  save(): SavedModel {
    const { shape, terms, parameters, baseline, centre, factor, importance, facts } = this.#state;
    return {
      header: { format: MLP_FORMAT, shape, terms, centre, factor, facts },
      tensors: { parameters, baseline, importance },
    };
  }

  #withNetwork<T>(data: EncodedData, action: (network: Network, scratch: Scratch) => T): T {
    return withScratch(Arena.attach(data.arena), (scratch) => {
      const network = new Network(scratch, this.#state.shape, BATCH_ROWS);
      network.setParameters(this.#state.parameters);
      return action(network, scratch);
    });
  }
}

/** Null where the arena has no room. */
function residentIn(place: ArenaHandle, { shape, parameters }: MlpState): PackedNetwork | null {
  const scratch = new Scratch(Arena.attach(place));
  try {
    return new PackedNetwork(scratch, shape, parameters);
  } catch (fault) {
    scratch.release();
    if (fault instanceof ArenaFullError) return null;
    throw fault;
  }
}

/** What the outputs of a network say of rows, by the task's link. */
export function toPredictions(
  task: Task,
  { arena }: Pick<EncodedData, "arena">,
  margins: Float64Array,
  scale: { readonly outputs: number; readonly centre: number; readonly factor: number },
): Float64Array {
  const { link, arrange } = typeOf(task);
  const { outputs, centre, factor } = scale;
  const { exp } = kernelsOf(arena);
  const predictions = margins.map((margin) => centre + factor * margin);
  for (let at = 0; link !== "identity" && at < predictions.length; at += outputs) {
    toShares(predictions.subarray(at, at + outputs), exp);
  }
  return arrange(predictions, outputCount(task));
}
