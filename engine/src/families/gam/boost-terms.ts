/**
 * Additive models by cyclic boosting (Lou, Caruana & Gehrke, "Intelligible models for classification and regression",
 * KDD'12; Nori, Jenkins, Koch & Caruana, "InterpretML", 2019): first every feature's shape, then, on what those leave,
 * the pairs that interact most. Bags are boosted side by side and their mean is what the held-out rows judge.
 */

import { Arena } from "../../compute/arena.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { BinnedData } from "../../data/encoded.ts";
import { typeOf } from "../../tasks/index.ts";
import type { FitContext } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { networkTargets, relativeWeights } from "../mlp/targets.ts";
import { HeldOutRows } from "./held-out.ts";
import { hasWholeLabels, meanMargins, noiseOf, rowGradients } from "./learned-rows.ts";
import { strongestPairs } from "./pairs.ts";
import type { GamParameters } from "./parameters.ts";
import { purify, type Shape, sizeOf } from "./shapes.ts";
import { type PlacedTerm, TermBoosting } from "./term-boosting.ts";
import { TermOrder } from "./term-order.ts";

/** Rows that pairs are looked for on, and features among which. */
const PAIR_ROWS = 20_000;
const PAIR_FEATURES = 40;
/** Rows that the noise is measured on, every so many rounds. */
const NOISE_ROWS = 4096;
const NOISE_ROUNDS = 8;

export interface BoostedShapes {
  readonly base: Float64Array;
  /** Of single features, then of pairs; in units of the margins. */
  readonly shapes: readonly Shape[];
  readonly mainRounds: number;
  readonly pairRounds: number;
  readonly roundsRun: number;
  /** By round, in units of the loss; empty without held-out rows. */
  readonly losses: readonly number[];
  /** Null without held-out rows. */
  readonly bestLoss: number | null;
  /** Margins of the held-out rows, as `HeldOutRows.best`; null where they had no say. */
  readonly heldOut: Float64Array | null;
}

/** @throws Error where there is nothing to learn from */
export function boostTerms(context: FitContext, parameters: GamParameters): BoostedShapes {
  const { binned, arena } = context.data;
  if (binned === null) throw new Error("gam reads bins, and this data was encoded without them.");
  if (context.trainRows.length === 0) throw new Error("gam needs at least one row to learn from.");
  return withScratch(Arena.attach(arena), (scratch) => {
    const targets = networkTargets(context);
    const weights = relativeWeights(context);
    const boosting = new TermBoosting(scratch, context, binned, parameters, targets, weights);
    return boostAll(context, binned, parameters, boosting, { targets, weights });
  });
}

interface Labels {
  readonly targets: ReturnType<typeof networkTargets>;
  readonly weights: Float64Array | null;
}

function boostAll(
  context: FitContext,
  binned: BinnedData,
  parameters: GamParameters,
  boosting: TermBoosting,
  { targets, weights }: Labels,
): BoostedShapes {
  const { trainRows, data } = context;
  const { link } = typeOf(context.task);
  const labels = { trainRows, targets, weights, link, kernels: boosting.kernels };
  const base = meanMargins(labels);
  const validRows = context.validRows?.length ? context.validRows : null;
  const heldOut =
    validRows &&
    new HeldOutRows(context, binned, validRows, targets, weights, boosting.kernels, base);
  const limits = context.limits ?? new FitLimits();
  const losses: number[] = [];
  let bestLoss = Number.POSITIVE_INFINITY;
  let roundsRun = 0;
  const stops = heldOut !== null && parameters.early_stopping_rounds > 0;
  const placesOf = (most: number): Uint32Array => {
    const stride = Math.max(1, Math.ceil(trainRows.length / most));
    return Uint32Array.from({ length: Math.ceil(trainRows.length / stride) }, (_, i) => i * stride);
  };
  const noisePlaces = placesOf(NOISE_ROWS);
  const isDrawn = link !== "identity" && hasWholeLabels(labels);

  /** Rounds over the terms; ends with the tables of the best. @returns how many that were */
  const rounds = (terms: readonly PlacedTerm[], most: number): number => {
    let best = 0;
    let run = 0;
    let kept = boosting.keep(terms);
    let margins = heldOut?.keep();
    let noise = 1;
    const order = new TermOrder(terms.length, parameters);
    const hasCategories = terms.some(
      ({ features }) => features.length === 1 && binned.bins[features[0]].kind === "categorical",
    );
    while (run < most && terms.length > 0 && limits.begin()) {
      if (hasCategories && run % NOISE_ROUNDS === 0) {
        noise = noiseOf(labels, noisePlaces, boosting.meanScores(noisePlaces));
        // Margins that follow the noise make it look small; of classes it is known to be 1.
        if (isDrawn) noise = Math.max(1, noise);
      }
      for (let turn = 0; turn < terms.length; turn++) {
        const place = order.next(run, turn);
        const term = terms[place];
        order.observe(place, boosting.step(term, noise));
        heldOut?.add(term, boosting.meanOf(term, term.steps));
      }
      run++;
      roundsRun++;
      if (heldOut === null) continue;
      const loss = heldOut.observe();
      if (!Number.isFinite(loss)) {
        // Steps run away where weights lie many orders apart; the rounds before were none of that.
        if (stops && best > 0) break;
        throw new Error(`The validation loss of gam stopped being a number in round ${run}.`);
      }
      losses.push(loss * targets.factor ** 2);
      if (loss < bestLoss) {
        bestLoss = loss;
        best = run;
        if (stops) {
          kept = boosting.keep(terms);
          margins = heldOut.keep();
        }
      } else if (stops && run - best >= parameters.early_stopping_rounds) break;
    }
    if (!stops) return run;
    boosting.putBack(terms, kept);
    if (margins) heldOut.putBack(margins);
    return best;
  };

  const usable = [...binned.bins.keys()].filter((feature) => {
    const { kind, valueBins } = binned.bins[feature];
    return kind === "categorical" || valueBins > 0;
  });
  const mains = usable.map((feature) =>
    boosting.place({
      ...{ features: [feature], lines: [] },
      ...{ height: binned.bins[feature].valueBins + 1, width: 1 },
    }),
  );
  boosting.restart(base, []);
  const mainRounds = rounds(mains, parameters.n_estimators);
  const mainShapes = mains.map((term) => shapeOf(boosting, term));
  let pairs: PlacedTerm[] = [];
  let pairRounds = 0;
  if (parameters.pairs > 0 && parameters.pair_rounds > 0 && limits.cutAt === null) {
    boosting.restart(base, mains);
    const places = placesOf(PAIR_ROWS);
    const facts = mainShapes
      .map((shape) => ({ shape, feature: shape.features[0], size: sizeOf(shape) }))
      .filter(({ feature }) => context.monotone[data.features[feature].name] === undefined)
      .sort((a, b) => b.size - a.size || a.feature - b.feature)
      .slice(0, PAIR_FEATURES)
      .sort((a, b) => a.feature - b.feature)
      .map(({ feature, shape: { covers, values } }) => ({
        ...{ feature, kind: binned.bins[feature].kind, covers },
        values: values.filter((_, at) => at % targets.width === 0),
      }));
    const gradients = rowGradients(labels, places, boosting.meanScores(places));
    const arena = Arena.attach(data.arena);
    const found = strongestPairs(
      facts,
      {
        ...gradients,
        outputs: targets.width,
        binsOf(feature) {
          const column = arena.u8(binned.columnMajor + feature * binned.columnStride, data.rows);
          return Uint8Array.from(places, (place) => column[trainRows[place]]);
        },
      },
      parameters.pairs,
    );
    pairs = found.map((term) => boosting.place(term));
    pairRounds = rounds(pairs, parameters.pair_rounds);
  }
  const pairShapes = pairRounds > 0 ? pairs.map((term) => shapeOf(boosting, term)) : [];
  const byFeature = new Map(mainShapes.map((shape) => [shape.features[0], shape]));
  purify(byFeature, pairShapes, base);
  const shapes = [...mainShapes, ...pairShapes];
  for (const shape of shapes) {
    silenceUnseen(shape, binned);
    scale(shape.values, targets.factor);
    scale(shape.deviations, targets.factor);
  }
  return {
    base: base.map((value) => targets.centre + targets.factor * value),
    ...{ shapes, mainRounds, pairRounds, roundsRun, losses },
    bestLoss: heldOut === null || losses.length === 0 ? null : bestLoss * targets.factor ** 2,
    heldOut:
      stops && losses.length > 0
        ? heldOut.best().map((value) => targets.centre + targets.factor * value)
        : null,
  };
}

function scale(numbers: Float64Array, factor: number): void {
  for (let at = 0; at < numbers.length; at++) numbers[at] *= factor;
}

function shapeOf(boosting: TermBoosting, term: PlacedTerm): Shape {
  const { features, lines, height, width } = term;
  const cells = height * width;
  const { bags, outputs } = boosting;
  const covers = boosting.coversOf(term);
  let total = 0;
  for (const cover of covers) total += cover;
  const squares = new Float64Array(cells * outputs);
  const sums = new Float64Array(cells * outputs);
  for (let bag = 0; bag < bags; bag++) {
    const own = boosting.bagOf(term, bag);
    for (let k = 0; k < outputs; k++) {
      let mean = 0;
      for (let cell = 0; cell < cells; cell++) mean += covers[cell] * own[cell * outputs + k];
      mean = total > 0 ? mean / total : 0;
      for (let at = k; at < own.length; at += outputs) {
        sums[at] += own[at] - mean;
        squares[at] += (own[at] - mean) ** 2;
      }
    }
  }
  const deviations = squares.map((square, at) =>
    bags > 1 ? Math.sqrt(Math.max(0, (square - sums[at] ** 2 / bags) / (bags - 1))) : 0,
  );
  const values = boosting.meanOf(term, term.table);
  return { features, lines, height, width, values, deviations, covers };
}

/** Missing values and categories that no learned row has say nothing. */
function silenceUnseen(
  { features, lines, height, width, values, covers }: Shape,
  binned: BinnedData,
) {
  const outputs = values.length / covers.length;
  const silence = (cell: number): void => {
    values.fill(0, cell * outputs, (cell + 1) * outputs);
  };
  if (lines.length === 0) {
    const categorical = binned.bins[features[0]].kind === "categorical";
    for (let cell = 0; cell < height; cell++) {
      if (covers[cell] === 0 && (categorical || cell === height - 1)) silence(cell);
    }
    return;
  }
  const rowSeen = Array.from({ length: height }, () => false);
  const columnSeen = Array.from({ length: width }, () => false);
  for (const [cell, cover] of covers.entries()) {
    if (cover === 0) continue;
    rowSeen[Math.floor(cell / width)] = true;
    columnSeen[cell % width] = true;
  }
  for (const cell of covers.keys()) {
    if (!rowSeen[Math.floor(cell / width)] || !columnSeen[cell % width]) silence(cell);
  }
}
