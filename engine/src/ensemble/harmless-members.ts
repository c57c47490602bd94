/**
 * Members of a blend that can go: greedy selection adds what lowers the loss however little, and each member
 * is asked for every row that is predicted. On rows that nothing learned from, such members bring as often as
 * not a worse blend (`docs/decisions/model-pipeline.md`).
 */

import { blend } from "./blend.ts";

/** Of the blend's loss: so much more is no harm, for all that go together. */
const HARMLESS = 5e-4;

export interface BlendedMembers {
  /** One a candidate; they sum to 1. */
  readonly weights: readonly number[];
  /** Of each candidate for the same rows. */
  readonly predictions: readonly Float64Array[];
  /** Of a blend; 0 is the best there can be. */
  readonly lossOf: (blended: Float64Array) => number;
}

/**
 * Leaves out members one after another, always the one without which the loss is least.
 *
 * @returns weights as given, those of members that are left shared out anew; they sum to 1
 */
export function withoutHarmless({ weights, predictions, lossOf }: BlendedMembers): number[] {
  const lossBy = (own: readonly number[]): number => {
    const members = [...own.keys()].filter((member) => own[member] > 0);
    return lossOf(
      blend(
        members.map((member) => predictions[member]),
        members.map((member) => own[member]),
      ),
    );
  };
  let kept = [...weights];
  const most = lossBy(kept) * (1 + HARMLESS);
  for (;;) {
    let best: { readonly weights: number[]; readonly loss: number } | null = null;
    const members = [...kept.keys()].filter((member) => kept[member] > 0);
    if (members.length < 2) return kept;
    for (const member of members) {
      const others = without(kept, member);
      const loss = lossBy(others);
      if (loss <= most && (best === null || loss < best.loss)) best = { weights: others, loss };
    }
    if (best === null) return kept;
    kept = best.weights;
  }
}

function without(weights: readonly number[], member: number): number[] {
  const left = weights.map((weight, each) => (each === member ? 0 : weight));
  const sum = left.reduce((total, weight) => total + weight, 0);
  return left.map((weight) => weight / sum);
}
