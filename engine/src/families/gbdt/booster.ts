/**
 * The rounds of gradient boosting.
 *
 * Friedman 2001, "Greedy function approximation"; second-order steps and regularisation as in
 * Chen & Guestrin, KDD'16. Everything large lies in the arena for the length of the fit.
 */

import { Arena } from "../../compute/arena.ts";
import { Crew } from "../../compute/crew.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, deriveKey, type RandomKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { EnsembleBuilder } from "../../trees/builder.ts";
import type { DerivedColumn } from "../../trees/derived-columns.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { TreeGrower } from "../../trees/grower.ts";
import { restoreSources } from "../../trees/source-features.ts";
import type { FitContext } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { type LearningCurve, learningCurve } from "../learning-curve.ts";
import { ClassTrees } from "./class-trees.ts";
import { fitBins } from "./fit-bins.ts";
import { type BoostingParameters, growthSettings, monotoneSigns } from "./fit-growth.ts";
import { GradientDraws } from "./gradient-draws.ts";
import { heldLists, mostChecked } from "./held-lists.ts";
import { HeldRows } from "./held-rows.ts";
import { renewLeaves } from "./leaf-renewal.ts";
import { objectiveOf } from "./objective.ts";
import { scalesOf } from "./quantisation.ts";
import { restoreScores } from "./restored-scores.ts";
import { RowSampling } from "./row-sampling.ts";
import { type RowList, RowWork } from "./row-work.ts";
import { growsApart, helpersOf, SHARING, type Sharing } from "./sharing.ts";
import { CrossFittedRounds } from "./stopping.ts";

export interface BoostedTrees {
  readonly trees: TreeEnsemble;
  /** Margins before the first tree. */
  readonly base: Float64Array;
  /** Rounds kept. */
  readonly bestIteration: number;
  /** Rounds run. */
  readonly rounds: number;
  /** Mean validation loss at the best round; null without validation rows. */
  readonly validationLoss: number | null;
  /** Columns that the trees read behind the data's features. */
  readonly derived: readonly DerivedColumn[];
  /** Validation loss by round; null without validation rows. */
  readonly curve: LearningCurve | null;
  /** Rounds by the validation rows without some; null where these had no say in them. */
  readonly stopping: CrossFittedRounds | null;
  /** The trees of so many of the rounds run. */
  treesOf(rounds: number): TreeEnsemble;
}

/** Rounds in a row without a single split after which subsampling is not expected to help. */
const EMPTY_ROUNDS = 10;

/** `count` of the features, ascending, drawn without replacement. */
function drawFeatures(features: Int32Array, count: number, key: RandomKey): Int32Array {
  const random = new CounterRandom(key);
  const pool = features.slice();
  for (let i = 0; i < count; i++) {
    const j = i + random.nextInteger(pool.length - i);
    const held = pool[i];
    pool[i] = pool[j];
    pool[j] = held;
  }
  return pool.slice(0, count).sort();
}

function rowList(scratch: Scratch, rows: Uint32Array): RowList {
  return { pointer: scratch.u32(rows), count: rows.length };
}

/** Σ w over the rows. */
function totalWeight(weights: Float64Array | null, rows: Uint32Array): number {
  if (weights === null) return rows.length;
  let sum = 0;
  for (const row of rows) sum += weights[row];
  return sum;
}

/** @throws Error when there is nothing to learn from, or the loss stops being a number */
export function boost(
  context: FitContext,
  parameters: BoostingParameters,
  sharing = SHARING,
): BoostedTrees {
  return withScratch(Arena.attach(context.data.arena), (scratch) =>
    boostWithin(context, parameters, scratch, sharing),
  );
}

function boostWithin(
  context: FitContext,
  parameters: BoostingParameters,
  scratch: Scratch,
  sharing: Sharing,
): BoostedTrees {
  const { data, task, weights, trainRows } = context;
  const target = context.softTarget ?? context.target;
  const arena = scratch.arena;
  if (data.binned === null)
    throw new Error("Boosting reads bins, and this data was encoded without them.");
  if (trainRows.length === 0) throw new Error("Boosting needs at least one row to learn from.");
  const missingBins = data.binned.bins.map((bins) => bins.valueBins);
  const { binned, sources, derived } = fitBins(context, data.binned, scratch, {
    exactBins: parameters.exact_bins,
    encoding: parameters.categorical_encoding,
    mostBins: parameters.max_cat_to_onehot,
    readsBundles: parameters.growth !== "symmetric",
  });
  const validRows = context.validRows?.length ? context.validRows : null;
  const kernels = kernelsOf(arena);
  const objective = objectiveOf(task, kernels, context.softTarget !== null, parameters.objective);
  const { outputs, leafValue } = objective;
  const leaves = Math.min(parameters.num_leaves, trainRows.length);
  const helpers = helpersOf(trainRows.length, binned, leaves, sharing);
  const crew = new Crew(scratch, helpers, context.crew ?? null);
  const base = objective.start(target, weights, trainRows);
  const train = rowList(scratch, trainRows);
  const valid = validRows === null ? null : rowList(scratch, validRows);
  const stopping =
    validRows === null || parameters.early_stopping_rounds === 0
      ? null
      : new CrossFittedRounds(validRows, (rows) => rowList(scratch, rows));
  const validWeight = validRows === null ? 0 : totalWeight(weights, validRows);
  const state = {
    rows: data.rows,
    outputs,
    scores: scratch.allocate(data.rows * outputs * 8),
    targets: scratch.f64(target),
    weights: weights === null ? 0 : scratch.f64(weights),
    gradients: scratch.allocate(data.rows * 8),
    packed: scratch.allocate(data.rows * 8),
    logSums: outputs > 1 ? scratch.allocate(data.rows * 8) : 0,
  };
  const work = new RowWork(scratch, crew, state, data.rows);
  const draws = parameters.draws && new GradientDraws(scratch, parameters.draws, work);
  const rowSampling = new RowSampling(
    ...([scratch, work, parameters, train] as const),
    valid && validRows && { rows: validRows, list: valid },
  );
  const monotone = monotoneSigns(context, sources, derived);
  const mayHold =
    objective.held !== undefined && binned === data.binned && !rowSampling.isByGradient;
  // Whether a device takes part or not: what a fit holds is a function of the fit alone.
  const lists = mayHold ? heldLists(scratch, train, valid) : null;
  const { gradientTask } = objective;
  const isApart =
    gradientTask !== undefined &&
    crew.places > 0 &&
    growsApart(trainRows.length * binned.bins.length, outputs) &&
    !parameters.draws &&
    !rowSampling.isByGradient;
  const grower = new TreeGrower(
    scratch,
    binned,
    train.count,
    Math.max(rowSampling.mostLeftOut, mayHold ? mostChecked(train.count) : 0) + (valid?.count ?? 0),
    {
      ...growthSettings(parameters, monotone),
      crew,
      kept: isApart ? outputs : 1,
      ...sharing,
      ...(context.device && {
        device: { lane: context.device, rows: data.rows, binsStay: binned === data.binned },
      }),
    },
  );
  for (let k = 0; k < outputs; k++) {
    arena.f64(state.scores + k * data.rows * 8, data.rows).fill(base[k]);
  }
  // A feature that holds one value everywhere has nothing to split.
  const usable = Int32Array.from(binned.bins.keys()).filter(
    (feature) => binned.bins[feature].valueBins > 0,
  );
  const featureCount = Math.max(1, Math.round(parameters.feature_fraction * usable.length));
  const isRandom =
    rowSampling.mostLeftOut > 0 || featureCount < usable.length || parameters.extra_trees;
  const sortsCategories =
    parameters.cat_noise > 0 &&
    binned.bins.some(
      ({ kind, valueBins }) => kind === "categorical" && valueBins >= parameters.max_cat_to_onehot,
    );
  const catNoise = sortsCategories ? parameters.cat_noise : 0;
  const classTrees = isApart
    ? new ClassTrees(scratch, {
        ...{ crew, grower, state, task: gradientTask, train, catNoise },
        learningRate: parameters.learning_rate,
      })
    : null;
  const builder = new EnsembleBuilder();
  const held =
    lists &&
    new HeldRows({
      ...{ arena, lists, state, work, objective, grower, train },
      ...{ targets: target, weights, base, draws: draws ?? null },
    });
  const patience = valid === null ? 0 : parameters.early_stopping_rounds;
  let bestLoss = Number.POSITIVE_INFINITY;
  const losses: number[] = [];
  let best = 0;
  let rounds = 0;
  let empty = 0;
  const limits = context.limits ?? new FitLimits();
  const featuresOf = (key: RandomKey): Int32Array =>
    featureCount < usable.length ? drawFeatures(usable, featureCount, key) : usable;
  /** The grower's tree to the others; returns its splits. */
  const append = (nodes: number, output: number): number => {
    if (sources !== null) restoreSources(grower, nodes, sources, missingBins);
    builder.append(grower, nodes, output);
    return nodes - 1;
  };
  const inOrder = Array.from({ length: outputs }, (_, output) => output);
  /** Of rows whose device failed them: those of so many rounds, then of all trees. */
  const restore = (ended: number): void => {
    held?.leave();
    if (outputs > 1) {
      restoreScores(state, data, builder.build(ended * outputs), base, trainRows);
      objective.beginRound(work, train);
    }
    restoreScores(state, data, builder.build(), base, trainRows);
  };

  crew.lead(() => {
    boosting: while (rounds < parameters.n_estimators && usable.length > 0 && limits.begin()) {
      const bagKey = deriveKey(0, "bagging", context.key.low, context.key.high, rounds);
      const isHeld = held?.beginRound(
        rowSampling.bagOf(bagKey),
        parameters.bagging_fraction,
        featureCount,
      );
      if (!isHeld && held?.isAway) restore(rounds);
      let drawn = isHeld ? null : rowSampling.draw(bagKey);
      if (!isHeld) objective.beginRound(work, train);
      let splits = 0;
      const round = rounds;
      const keyOf = (output: number): RandomKey =>
        deriveKey(0, "tree", context.key.low, context.key.high, round, output);
      const apart =
        drawn !== null && !context.device && classTrees?.begin({ ...drawn, keyOf, featuresOf })
          ? classTrees
          : null;
      for (const output of apart?.own() ?? inOrder) {
        // Trees of a round that is given up are never built into the model, nor its scores read.
        if (limits.abandons()) break boosting;
        const key = keyOf(output);
        const features = featuresOf(key);
        if (held?.isAway) {
          const nodes = held.grow({
            ...{ output, features, key, learningRate: parameters.learning_rate, round: rounds },
            noise: catNoise,
          });
          if (nodes > 0) {
            builder.append(grower, nodes, output);
            splits += nodes - 1;
            continue;
          }
          restore(rounds);
        }
        const isBagNew = rowSampling.isBagged && (output === 0 || drawn === null);
        drawn ??= rowSampling.draw(bagKey);
        const all = objective.gradients(work, train, output);
        const chosen = rowSampling.drawByGradient(rounds, all, key);
        const { learned, followers } = chosen?.rows ?? drawn;
        const sums = chosen?.sums ?? all;
        const scales = scalesOf(sums.gradient, sums.hessian, train.count);
        const structure = draws?.structure(draws.draw(train, key), train.count, rounds) ?? {
          scales,
          noise: 0,
        };
        const gradientRows = chosen?.rows.learned ?? train;
        work.quantise(gradientRows, structure.scales, draws?.drawn);
        const nodes = grower.grow({
          rows: learned.pointer,
          rowCount: learned.count,
          redrawn: isBagNew || rowSampling.isByGradient,
          features,
          packed: state.packed,
          gradientScale: structure.scales.gradient,
          hessianScale: structure.scales.hessian,
          scoreNoise: structure.noise,
          key,
          ...(sortsCategories && {
            noise: catNoise * work.gradientVariance(gradientRows),
          }),
        });
        const scores = state.scores + output * data.rows * 8;
        grower.finish(
          nodes,
          state.gradients,
          scales.fine,
          leafValue ? 0 : parameters.learning_rate,
          state.weights,
          scores,
        );
        if (leafValue) {
          renewLeaves(grower, nodes, {
            targets: arena.f64(state.targets, data.rows),
            weights,
            scores: arena.f64(scores, data.rows),
            valueOf: (residuals, shares) => leafValue(residuals, shares, output),
            learningRate: parameters.learning_rate,
            monotone,
          });
        }
        if (followers.count > 0) grower.follow(nodes, followers.pointer, followers.count, scores);
        if (apart) apart.keep(output, { nodes, sets: grower.setCount });
        else splits += append(nodes, output);
      }
      if (apart) for (const output of inOrder) splits += append(apart.show(output), output);
      rounds++;
      if (splits === 0) {
        empty++;
        if (!isRandom || empty >= EMPTY_ROUNDS) break;
      } else empty = 0;
      if (valid === null) {
        best = rounds;
        continue;
      }
      const lossOf = (rows: RowList): number => objective.loss(work, rows);
      // Of the parts, where they are looked at: rows' losses cost as much as a tenth of a small tree.
      const sum = stopping ? stopping.observe(rounds, lossOf) : lossOf(valid);
      const loss = sum / (validWeight > 0 ? validWeight : 1);
      if (!Number.isFinite(loss)) {
        throw new Error(
          `The validation loss of boosting stopped being a number in round ${rounds}.`,
        );
      }
      losses.push(loss);
      if (loss < bestLoss) {
        bestLoss = loss;
        best = rounds;
      } else if (patience > 0 && rounds - best >= patience) break;
    }
  });
  if (valid === null || patience === 0) best = rounds;
  return {
    trees: builder.build(best * outputs),
    base,
    derived,
    bestIteration: best,
    rounds,
    validationLoss: valid === null ? null : bestLoss,
    curve: losses.length > 0 ? learningCurve(objective.name, losses) : null,
    stopping: stopping?.differsFrom(best) ? stopping : null,
    treesOf: (kept) => builder.build(kept * outputs),
  };
}
