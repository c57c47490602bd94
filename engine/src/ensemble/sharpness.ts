/**
 * How much surer the members of a blend are to be than each would be by itself. Probabilities that are each as sure as
 * they may be are too doubtful once they are averaged (Ranjan & Gneiting, "Combining probability forecasts", J. R.
 * Stat. Soc. B 72(1), 2010, theorem 1): all members' margins are multiplied by one number, under which their average
 * has the least log-loss. `docs/decisions/model-pipeline.md` has what was measured.
 */

import { rowNumbers } from "../compute/row-lists.ts";
import { blend } from "./blend.ts";
import { crossFit, type LabelledRows, pickPredictions, pickRows } from "./labelled-rows.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";
import { meanOfRows } from "./row-gain.ts";
import { logLosses } from "./row-losses.ts";
import type { WeightedCandidates } from "./weighted-candidates.ts";

/** Twice as sure at most, or as doubtful. */
const MOST = Math.log(2);
/** How much the logarithm is expected to differ from 0, by a normal law: few rows hardly move it. */
const SPREAD = 0.1;
/** Bounds on the logarithm are narrowed by the golden section so many times, to less than 0.01. */
const STEPS = 11;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Rows × outputs × members that are read, evenly spread: more say the same. */
const MOST_NUMBERS = 100_000;

export interface FittedSharpness {
  /** What margins are multiplied by; 1 where one candidate has all the weight. */
  readonly sharpness: number;
  /** Probabilities of each row, by a sharpness and weights that were fitted without it; row-major. */
  readonly crossFitted: Float64Array;
}

export function fitSharpness({
  predictions,
  rows,
  folds,
  weights,
  byFold,
}: WeightedCandidates): FittedSharpness {
  const { outputs } = rows;
  const crossFitted = crossFit(folds, rows, (known, index) => {
    const members = membersOf(predictions, byFold[index]);
    const sharpness = sharpnessOf(members, rows, known);
    return (apply) => averaged(picked(members, outputs, apply), sharpness, outputs);
  });
  const all = rowNumbers(rows.target.length);
  return { sharpness: sharpnessOf(membersOf(predictions, weights), rows, all), crossFitted };
}

interface Members {
  /** Probabilities of each, row-major. */
  readonly said: readonly Float64Array[];
  /** Above 0. */
  readonly weights: readonly number[];
}

function membersOf(predictions: readonly Float64Array[], weights: readonly number[]): Members {
  const members = [...weights.keys()].filter((member) => weights[member] > 0);
  return {
    said: members.map((member) => predictions[member]),
    weights: members.map((member) => weights[member]),
  };
}

function picked({ said, weights }: Members, outputs: number, rows: Uint32Array): Members {
  return { said: said.map((each) => pickPredictions(each, outputs, rows)), weights };
}

/** The weighted mean of what the members say, so much surer; row-major. */
function averaged({ said, weights }: Members, sharpness: number, outputs: number): Float64Array {
  if (sharpness === 1) return blend(said, weights);
  return sharpened(
    { margins: said.map((each) => marginsOf(each, outputs)), weights },
    sharpness,
    outputs,
  );
}

/** The same of margins. */
function sharpened(
  {
    margins,
    weights,
  }: { readonly margins: readonly Float64Array[]; readonly weights: readonly number[] },
  sharpness: number,
  outputs: number,
): Float64Array {
  const sharp = margins.map((each) => {
    const scaled = new Float64Array(each.length);
    for (let i = 0; i < scaled.length; i++) scaled[i] = sharpness * each[i];
    return probabilitiesOf(scaled, outputs);
  });
  return blend(sharp, weights);
}

/** @param known rows that it is fitted on */
function sharpnessOf(members: Members, rows: LabelledRows, known: Uint32Array): number {
  // Alone a member has been calibrated as it is.
  if (members.weights.length < 2) return 1;
  const { outputs } = rows;
  const stride = Math.ceil((known.length * outputs * members.weights.length) / MOST_NUMBERS);
  const few = known.filter((_, i) => i % stride === 0);
  const own = picked(members, outputs, few);
  const said = { margins: own.said.map((each) => marginsOf(each, outputs)), weights: own.weights };
  const truth = pickRows(rows, few);
  const all = rowNumbers(few.length);
  const lossAt = (logarithm: number): number => {
    const losses = logLosses(sharpened(said, Math.exp(logarithm), outputs), truth);
    const unlikely = (logarithm / SPREAD) ** 2 / 2 / known.length;
    return meanOfRows(losses, truth.weights, all) + unlikely;
  };
  return Math.exp(leastAt(lossAt, -MOST, MOST));
}

/** Where a function of one valley is least (Kiefer, "Sequential minimax search for a maximum", 1953). */
function leastAt(valueAt: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atLeft, atRight] = [valueAt(left), valueAt(right)];
  for (let step = 0; step < STEPS; step++) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = valueAt(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = valueAt(right);
    }
  }
  return (low + high) / 2;
}
