/** The rows of a table as a Gaussian process reads them: scaled and bounded numbers, and codes. */

import type { EncodedData } from "../../data/encoded.ts";
import { arrangeTerms, fitTerms, type InputTerm, readInputs } from "../mlp/inputs.ts";
import type { Points } from "./covariance.ts";
import type { DimensionNames } from "./explain.ts";

/** Numbers as networks read them; of categories, whether two are the same. */
export function fitDimensions(data: EncodedData, trainRows: Uint32Array): readonly InputTerm[] {
  const limits = { oneHotMost: Number.POSITIVE_INFINITY, leastRows: 0, pieces: 0 };
  return fitTerms(data, trainRows, limits);
}

/** @param features of the schema */
export function dimensionNames(features: number, terms: readonly InputTerm[]): DimensionNames {
  const { numbers, oneHot } = arrangeTerms(terms);
  return {
    features,
    featureOf: [...numbers, ...oneHot].map(({ feature }) => feature),
    codeCounts: codeCounts(terms),
  };
}

/** A missing or unknown category has a code of its own, the last. */
function codeCounts(terms: readonly InputTerm[]): readonly number[] {
  return arrangeTerms(terms).oneHot.map((term) => (term.kind === "missing" ? 2 : term.count + 1));
}

/** @param rows of `data`; null = all */
export function readPoints(
  data: EncodedData,
  terms: readonly InputTerm[],
  rows: Uint32Array | null,
): Points {
  const { rows: count, numbers, oneHot } = readInputs(data, arrangeTerms(terms), rows);
  const counts = codeCounts(terms);
  const codes = oneHot.map((code, at) => (code < 0 ? counts[Math.floor(at / count)] - 1 : code));
  return { rows: count, numbers, codes };
}
