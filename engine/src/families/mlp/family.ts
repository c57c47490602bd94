/**
 * The mlp family: fully connected networks on robustly scaled numbers, periodic embeddings and embedded
 * categories, after RealMLP (Holzmüller, Grinsztajn & Steinwart, "Better by default: strong pre-tuned
 * MLPs and boosted trees on tabular data", NeurIPS 2024).
 */

import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { extendKey } from "../../compute/random.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { valueColumns } from "../../data/value-columns.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { Family, FitContext } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { contributionShares } from "../importance-shares.ts";
import { curveTimes } from "../learning-curve.ts";
import { meanFact } from "../mean-fact.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { categoryStatistics, type StatisticsInput } from "./category-statistics.ts";
import { integratedGradients } from "./explain.ts";
import {
  type ArrangedTerms,
  arrangeTerms,
  fitTerms,
  type InputTerm,
  type NetworkInputs,
  oneHotColumns,
  readInputs,
  statisticsColumns,
} from "./inputs.ts";
import { BATCH_ROWS, type NetworkShape } from "./layout.ts";
import { mlpLoader } from "./loader.ts";
import { rowLoss } from "./loss.ts";
import { MlpModel, type MlpState, toPredictions } from "./model.ts";
import { Network } from "./network.ts";
import {
  type MlpParameters,
  mlpDefaults,
  mlpParameters,
  mlpSearchSpace,
  mlpWork,
  readParameters,
} from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };
import { type NetworkTargets, networkTargets, relativeWeights } from "./targets.ts";
import { trainNetwork } from "./training.ts";
import type { LabelledRows } from "./training-input.ts";

const PORTFOLIO = portfolioSchema.parse(portfolio);

/** Of a periodic embedding. */
const FREQUENCIES = 16;
/** Of a piecewise-linear one, at most. */
const PIECES = 16;
/** Rows that importance is measured on, evenly spaced: fewer where there are many outputs. */
const IMPORTANCE_ROWS = 500;
const IMPORTANCE_OUTPUTS = 2000;
/** Likewise the baseline. */
const BASELINE_ROWS = 10_000;
/** Fewer say nothing of hundreds of weights. */
const FEWEST_ROWS = 50;
const MOST_FEATURES = 2000;

export const mlp: Family = {
  ...mlpLoader,
  title: "Neural network",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: false,
  predictsFast: true,
  suits({ features, rows }) {
    if (features.length === 0) return { use: false, reason: "There are no features to read." };
    if (features.length > MOST_FEATURES) {
      return {
        use: false,
        reason: `${features.length.toLocaleString("en")} features are many for a dense network.`,
      };
    }
    if (rows < FEWEST_ROWS) return { use: false, reason: `${rows} rows are few for a network.` };
    return { use: true, reason: "Smooth where trees are steps, so an ensemble gains from it." };
  },
  searchSpace: mlpSearchSpace,
  defaults: mlpDefaults,
  portfolio: (shape) => portfolioOf(PORTFOLIO, shape, mlpDefaults(shape), mlpParameters()),
  parameters: mlpParameters,
  networkWork: mlpWork,
  fit: (context, parameters) =>
    withScratch(Arena.attach(context.data.arena), (scratch) =>
      fitMlp(scratch, context, readParameters(parameters)),
    ),
  refitParameters(parameters, foldFacts) {
    const mean = meanFact(foldFacts, "best_epoch");
    return mean === null
      ? parameters
      : { ...parameters, stop_epoch: Math.max(1, Math.round(mean)) };
  },
};

function fitMlp(scratch: Scratch, context: FitContext, parameters: MlpParameters): MlpModel {
  const { task, data, trainRows, validRows, key } = context;
  const features = data.features.length;
  const outputs = outputCount(task);
  const targets = networkTargets(context);
  const weights = relativeWeights(context);
  const limits = context.limits ?? new FitLimits();
  const { terms, learned } = withStatistics(
    context,
    fitTerms(data, trainRows, {
      oneHotMost: parameters.oneHotMaxCategories,
      leastRows: parameters.embeddingMinRows,
      pieces: parameters.numericEmbedding === "piecewise" ? PIECES : 0,
    }),
    { target: targetRows(targets, trainRows, 0), width: targets.width, weights },
  );
  limits.throwIfLate();
  const arranged = arrangeTerms(terms);
  const shape: NetworkShape = {
    numbers: arranged.numbers.length,
    frequencies: parameters.numericEmbedding === "periodic" ? FREQUENCIES : 0,
    pieces: arranged.numbers.some(({ knots }) => knots) ? PIECES : 0,
    oneHot: arranged.oneHot.map(oneHotColumns),
    embedded: arranged.embedded.map(({ count }) => count),
    statistics: statisticsColumns(arranged.statistics),
    widths: Array.from({ length: parameters.hiddenLayers }, () => parameters.hiddenWidth),
    outputs,
    activation: parameters.activation,
  };
  const labelled = (rows: Uint32Array, smoothing: number): LabelledRows => ({
    inputs: readInputs(data, arranged, rows),
    target: targetRows(targets, rows, smoothing),
    weights: weights && Float64Array.from(rows, (row) => weights[row]),
  });
  const type = typeOf(task);
  const isClass = type.target === "class";
  const train = labelled(trainRows, isClass ? parameters.labelSmoothing : 0);
  for (const [c, column] of learned.entries()) {
    train.inputs.statistics.set(column, c * trainRows.length);
  }
  limits.throwIfLate();
  const loss = rowLoss(type.loss, outputs, task.quantiles ?? [], kernelsOf(data.arena));
  const trained = trainNetwork(scratch, {
    shape,
    parameters,
    train,
    valid: validRows && labelled(validRows, 0),
    targetWidth: targets.width,
    loss,
    lossKind: type.loss,
    levels: task.quantiles ?? [],
    lossName: isClass ? "log_loss" : type.loss === "pinball" ? "pinball" : "squared_error",
    key,
    limits,
    base: baseOutputs(context, train, targets.width, outputs),
    device: context.device ?? null,
    tensorflow: context.tensorflow ?? null,
  });
  const { centre, factor } = targets;
  // Of scaled labels; people compare it with other families'.
  const lossUnit = type.loss === "squared_error" ? factor * factor : factor;
  const facts = {
    best_epoch: trained.bestEpoch,
    epochs: trained.epochs,
    parameters: trained.parameters.length,
    ...(trained.validationLoss === null
      ? {}
      : { validation_loss: lossUnit * trained.validationLoss }),
    ...(trained.device === null ? {} : { device: trained.device }),
    ...(trained.refusal === undefined ? {} : { device_refusal: trained.refusal }),
  };
  const network = new Network(scratch, shape, BATCH_ROWS);
  network.setParameters(trained.parameters);
  const baseline = meanInputs(network, train.inputs);
  const state: MlpState = {
    shape,
    terms,
    parameters: trained.parameters,
    baseline,
    centre,
    factor,
    importance: measureImportance(scratch, network, context, arranged, baseline, shape),
    facts,
  };
  const model = new MlpModel(task, features, state);
  model.curve = trained.curve && curveTimes(trained.curve, lossUnit);
  const { heldOut } = trained;
  if (heldOut === null) return model;
  const scale = { outputs, centre, factor };
  return Object.assign(model, {
    predictHeldOut: (): Float64Array => toPredictions(task, data, heldOut, scale),
  });
}

/** Terms with their tables, and one column a table for the training rows, which see other rows' labels. */
function withStatistics(
  { data, trainRows, key }: FitContext,
  terms: readonly InputTerm[],
  labels: Pick<StatisticsInput, "target" | "width" | "weights">,
): { readonly terms: readonly InputTerm[]; readonly learned: readonly Float32Array[] } {
  const cellsOf = valueColumns(data);
  const learned: Float32Array[] = [];
  const weights = labels.weights;
  const own = {
    ...labels,
    weights: weights && Float64Array.from(trainRows, (row) => weights[row]),
  };
  const fitted = terms.flatMap((term): InputTerm[] => {
    if (term.kind !== "statistics") return [term];
    const cells = cellsOf(term.feature);
    const codes = Float64Array.from(trainRows, (row) => cells[row]);
    const columns = categoryStatistics(
      { ...own, codes, categories: term.count },
      extendKey(key, "categories", term.feature),
    );
    if (columns.length === 0) return [];
    learned.push(...columns.map(({ outOfFold }) => outOfFold));
    return [{ ...term, tables: columns.map(({ table }) => [...table]) }];
  });
  return { terms: fitted, learned };
}

function targetRows(
  { values, width }: NetworkTargets,
  rows: Uint32Array,
  smoothing: number,
): Float64Array {
  const target = new Float64Array(rows.length * width);
  for (let i = 0; i < rows.length; i++) {
    for (let k = 0; k < width; k++) target[i * width + k] = values[rows[i] * width + k];
  }
  if (smoothing === 0) return target;
  const classes = width === 1 ? 2 : width;
  return target.map((share) => share * (1 - smoothing) + smoothing / classes);
}

/** What a network says before it has learned: quantiles, log-odds or log-shares of the training rows. */
function baseOutputs(
  { task }: FitContext,
  { target, weights }: LabelledRows,
  width: number,
  outputs: number,
): Float64Array {
  const type = typeOf(task);
  const base = new Float64Array(outputs);
  if (type.target === "value") {
    const levels = task.quantiles ?? [];
    if (type.loss !== "pinball") return base;
    const counted = target.filter((_, row) => (weights?.[row] ?? 1) > 0).sort();
    return Float64Array.from(levels, (level) => counted[Math.floor(level * (counted.length - 1))]);
  }
  const rows = target.length / width;
  const shares = new Float64Array(width);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const weight = weights?.[row] ?? 1;
    total += weight;
    for (let k = 0; k < width; k++) shares[k] += weight * target[row * width + k];
  }
  // A class that no row has is given the share of half a row.
  const least = 0.5 / (rows + 1);
  for (let k = 0; k < width; k++) {
    const share = Math.min(1 - least, Math.max(least, shares[k] / total));
    base[k] = width === 1 ? Math.log(share / (1 - share)) : Math.log(share);
  }
  return base;
}

function spaced(rows: number, most: number): Uint32Array {
  const stride = Math.max(1, Math.floor(rows / most));
  return Uint32Array.from({ length: Math.ceil(rows / stride) }, (_, i) => i * stride);
}

function meanInputs(network: Network, inputs: NetworkInputs): Float32Array {
  const { inputWidth } = network.layout;
  const rows = spaced(inputs.rows, BASELINE_ROWS);
  const sums = new Float64Array(inputWidth);
  for (let first = 0; first < rows.length; first += network.batchRows) {
    const batch = rows.subarray(first, first + network.batchRows);
    const view = network.inputsView(network.embed(inputs, batch));
    for (let i = 0; i < batch.length; i++) {
      for (let c = 0; c < inputWidth; c++) sums[c] += view[i * inputWidth + c];
    }
  }
  return Float32Array.from(sums, (sum) => sum / rows.length);
}

/** Share of each feature in the mean size of contributions over the training rows. */
function measureImportance(
  scratch: Scratch,
  network: Network,
  { data, trainRows }: FitContext,
  terms: ArrangedTerms,
  baseline: Float32Array,
  shape: NetworkShape,
): Float64Array {
  const features = data.features.length;
  const most = Math.min(IMPORTANCE_ROWS, Math.ceil(IMPORTANCE_OUTPUTS / shape.outputs));
  const rows = spaced(trainRows.length, most).map((i) => trainRows[i]);
  const inputs = readInputs(data, terms, rows);
  const of = { features, terms, shape };
  const { contributions } = integratedGradients(scratch, network, inputs, baseline, of);
  return contributionShares(contributions, features, shape.outputs);
}
