/** The price of a transform's features and of the ridge regression that reads them. */

import type { DataShape } from "../family.ts";

/** Features that are made of a sequence. */
export interface PricedFeatures {
  readonly features: number;
  /** Processor seconds of one of them at one step. */
  readonly stepSeconds: number;
}

/** Reading the frame and scaling. */
const LEAST_SECONDS = 0.1;
/** Of a multiplication of the ridge's Gram matrix and what follows from it, of the smaller side squared by the larger. */
const GRAM_SECONDS = 1.1e-10;
/** Of a feature, whatever the sequences: drawing it, and its part of the model. */
const FEATURE_SECONDS = 2e-6;

/**
 * Processor seconds of a fit: features grow with sequences and their steps, the regression with the squared number of
 * sequences, whatever their length; of a thousand it is most.
 */
export function ridgeFitSeconds(
  { rows, sequences }: Pick<DataShape, "rows" | "sequences">,
  parts: readonly PricedFeatures[],
): number {
  const steps = sequences?.steps ?? 1;
  const features = parts.reduce((sum, part) => sum + part.features, 0);
  const made = parts.reduce((sum, part) => sum + part.features * part.stepSeconds, 0);
  const gram = Math.min(rows, features) ** 2 * Math.max(rows, features);
  return LEAST_SECONDS + FEATURE_SECONDS * features + rows * steps * made + GRAM_SECONDS * gram;
}
