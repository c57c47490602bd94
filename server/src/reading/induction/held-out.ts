/**
 * The order of a sample and which of its documents an inducer may look at. Both are functions of the
 * documents' bytes alone: not of their names, ids or the order of their upload.
 */

import type { SampleDocument } from "./inducer.ts";

/** Fewer documents than this are all looked at, and the gates see them again, unless the inducer wants otherwise. */
export const FEWEST_TO_HOLD_OUT = 4;

export interface SplitSample {
  /** By hash, each content once. */
  readonly documents: readonly SampleDocument[];
  readonly proposing: readonly SampleDocument[];
  /** What the gates judge by; equal to `proposing` where the sample is too small to split. */
  readonly held: readonly SampleDocument[];
  readonly isSplit: boolean;
  /** Documents left out because another has the same bytes. */
  readonly duplicates: number;
}

/** Whether document `index` of the order is held out: 3 of each 10, spread evenly. */
export function isHeldOut(index: number): boolean {
  return Math.floor((3 * (index + 1)) / 10) > Math.floor((3 * index) / 10);
}

/** @param fewest documents, from which on some are held out */
export function splitSample(
  sample: readonly SampleDocument[],
  fewest = FEWEST_TO_HOLD_OUT,
): SplitSample {
  const byHash = new Map<string, SampleDocument>();
  for (const document of sample) {
    if (!byHash.has(document.hash)) byHash.set(document.hash, document);
  }
  const documents = [...byHash.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const duplicates = sample.length - documents.length;
  if (documents.length < fewest) {
    return { documents, proposing: documents, held: documents, isSplit: false, duplicates };
  }
  return {
    documents,
    proposing: documents.filter((_, index) => !isHeldOut(index)),
    held: documents.filter((_, index) => isHeldOut(index)),
    isSplit: true,
    duplicates,
  };
}
