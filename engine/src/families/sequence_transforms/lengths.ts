/** How families take sequences of unequal lengths: the parameter `lengths`. */

import { z } from "zod";
import type { SequenceFrame } from "../../data/frame.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { SequenceTransform } from "../../sequences/feature-matrix.ts";
import { fitToLengths, LENGTH_TREATMENTS } from "../../sequences/resampling.ts";
import type { SequenceSet } from "../../sequences/sequence-set.ts";
import type { DataShape } from "../family.ts";
import type { ScaledTransform } from "./ridge-model.ts";

/** As they are, brought to one length, or half of the features of each. */
export const LENGTHS = [...LENGTH_TREATMENTS, "both"] as const;
type Lengths = (typeof LENGTHS)[number];

export const lengthsSchema = z.enum(LENGTHS).default("original");
/** Of families that read one table, or one distance. */
export const tableLengthsSchema = z.enum(LENGTH_TREATMENTS).default("original");

/** Of ridge regressions: half of the features cost little where they are of no use, and the right ones are there. */
export function usualLengths({ sequences }: DataShape): Lengths {
  return sequences?.isUnequal ? "both" : "original";
}

/** What a search may choose where lengths differ; of equal ones, nothing. */
export function lengthsSpace(
  { sequences }: DataShape,
  choices: readonly Lengths[],
): { readonly lengths?: SearchSpace[string] } {
  return sequences?.isUnequal ? { lengths: { type: "categorical", choices: [...choices] } } : {};
}

/** The defaults, and where lengths differ beside them what is made of these alone. */
export function pointsOfLengths({ sequences }: DataShape, defaults: Parameters): Parameters[] {
  if (!sequences?.isUnequal) return [defaults];
  const others = LENGTH_TREATMENTS.filter((each) => each !== defaults["lengths"]);
  return [defaults, ...others.toReversed().map((lengths) => ({ ...defaults, lengths }))];
}

/** @param fit to these sequences; `parts` share the features that were asked for */
export function fitLengths(
  {
    frame,
    rows,
    lengths,
    scaler,
  }: {
    readonly frame: SequenceFrame;
    /** The training sequences. */
    readonly rows: Uint32Array;
    readonly lengths: Lengths;
    readonly scaler: ScaledTransform["scaler"];
  },
  fit: (set: SequenceSet, rows: Uint32Array, parts: number) => SequenceTransform,
): ScaledTransform[] {
  const kinds = lengths === "both" ? LENGTH_TREATMENTS : [lengths];
  return kinds.map((kind) => ({
    transform: fitToLengths(frame, rows, kind, (set, own) => fit(set, own, kinds.length)),
    scaler,
  }));
}
