/** Explanations of several batches as one, and what of it is answered. */

import type { BlendExplanation } from "./blend-explanation.ts";

/** Those of some rows; null = all. */
export function explainedOf(all: BlendExplanation, places: Uint32Array | null): BlendExplanation {
  if (places === null) return all;
  return {
    ...all,
    predictions: Array.from(places, (at) => all.predictions[at]),
    contributions: Array.from(places, (at) => all.contributions[at]),
  };
}

/** Of several outputs that one alone. */
export function outputOf(explanation: BlendExplanation, output: number): BlendExplanation {
  if (explanation.baseValues.length === 1) return explanation;
  return {
    ...explanation,
    baseValues: [explanation.baseValues[output]],
    predictions: explanation.predictions.map((outputs) => [outputs[output]]),
    contributions: explanation.contributions.map((outputs) => [outputs[output]]),
  };
}

/** In the order of their rows. */
export function joinExplanations(parts: readonly BlendExplanation[]): BlendExplanation {
  const [first] = parts;
  if (parts.length === 1) return first;
  return {
    ...first,
    predictions: parts.flatMap((part) => part.predictions),
    contributions: parts.flatMap((part) => part.contributions),
  };
}
