/** One fit of the linear family: terms, a solver that suits the problem, and the model. */

import type { Scratch } from "../../compute/scratch.ts";
import { DataError } from "../../data/table.ts";
import { typeOf } from "../../tasks/index.ts";
import type { FitContext } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { asShares } from "../importance-shares.ts";
import type { DesignMatrix } from "./design-matrix.ts";
import { withDesignRoom } from "./design-room.ts";
import { fitTerms } from "./fit-terms.ts";
import { LinearModel } from "./model.ts";
import { LDA, LDA_ROWS, type LinearParameters } from "./parameters.ts";
import { solveAccelerated } from "./solvers/accelerated-proximal.ts";
import { solveSmooth } from "./solvers/lbfgs.ts";
import { solveLeastSquares } from "./solvers/least-squares.ts";
import {
  logisticLoss,
  multinomialLoss,
  softMultinomialLoss,
  squaredLoss,
} from "./solvers/losses.ts";
import { multinomialProducts } from "./solvers/multinomial-products.ts";
import { MAX_FACTORED_COLUMNS } from "./solvers/preconditioner.ts";
import type { Problem, Solution } from "./solvers/problem.ts";
import { heapProducts, type Products } from "./solvers/products.ts";
import { solveProximal } from "./solvers/proximal-newton.ts";
import { solveQuantile } from "./solvers/quantile.ts";
import { rowSpaceOf } from "./solvers/row-space.ts";
import { solveShrunkenLda } from "./solvers/shrunken-lda.ts";

/** Normal equations are made up to this many columns and multiply-adds. */
const MAX_GRAM_COLUMNS = 1500;
const MAX_GRAM_WORK = 2e10;
/** What a solution's loss may exceed the least by, roughly: the last digits only where they cost little. */
const TOLERANCE = { exact: 1e-14, ofMuch: 1e-8 };
/** Multiply-adds of an iteration that are much, without tables. */
const MUCH_WORK = 5e6;
/** Rows that importance is measured on, evenly spaced: at most, and where contributions to their margins are many. */
const IMPORTANCE_ROWS = { most: 20_000, least: 500 };
const IMPORTANCE_CONTRIBUTIONS = 5e6;
/** How far beyond the labels that it learned from a prediction may go that is held, by their range. */
const REACH = 0.5;
/**
 * Of the labels' variance: a sum of numbers as they are that leaves as much unexplained is no formula of the label, whose
 * large cells would take it anywhere. One that leaves less follows amounts beyond all that were seen.
 */
const ROUGH = 0.3;

export function fitLinear(context: FitContext, parameters: LinearParameters): LinearModel {
  const weighed = { ...context, trainRows: weighedRows(context) };
  return withDesignRoom(weighed, parameters, (scratch, rows) =>
    fitWithin(scratch, { ...weighed, trainRows: rows }, parameters),
  );
}

/** A row of weight 0 must not count as much as by a cell so large that its square is not finite. */
function weighedRows({ weights, trainRows }: FitContext): Uint32Array {
  return weights === null ? trainRows : trainRows.filter((row) => weights[row] !== 0);
}

function fitWithin(
  scratch: Scratch,
  context: FitContext,
  parameters: LinearParameters,
): LinearModel {
  const { task, data, trainRows } = context;
  const shares = rowShares(context);
  const limits = context.limits ?? new FitLimits();
  const { terms, matrix, signs } = fitTerms(scratch, context, parameters, shares, limits);
  const { loss: minimised, target: held } = typeOf(task);
  const ofValue = held === "value";
  if (signs !== null && minimised === "multinomial_log_loss") {
    throw new DataError(
      "Monotone constraints need a regression or a binclass task: with more classes, a feature raises one probability by lowering others.",
    );
  }
  const softBinary = minimised === "binary_log_loss" ? context.softTarget : null;
  const target = Float64Array.from(trainRows, (row) => (softBinary ?? context.target)[row]);
  const scale = ofValue ? standardiseTarget(target, shares) : UNSCALED;
  const problem = {
    matrix,
    shares,
    l1: parameters.penalty * parameters.l1Ratio,
    l2: parameters.penalty * (1 - parameters.l1Ratio),
    signs,
    limits,
  };
  if (parameters.choosesPenalty && minimised !== "squared_error") {
    throw new DataError(
      'The linear family chooses a penalty by generalised cross-validation (`regularization: "l2_gcv"`) for squared errors alone; "l2" and "elastic_net" go with every loss.',
    );
  }
  // What keeps signs is the ridge of the penalty that stands beside it.
  const solution =
    parameters.discriminates && signs === null
      ? discriminate(context, target, problem)
      : parameters.choosesPenalty
        ? solveByGcv(target, problem)
        : solve(scratch, context, target, problem);
  const { chosen } = solution;
  const isBent = terms.some((term) => term.kind === "numeric" && term.transform.kind === "spline");
  const isHeld =
    ofValue &&
    minimised === "squared_error" &&
    (isBent || (chosen?.unexplained ?? unexplained(solution, target, problem)) > ROUGH);
  const columnMeans = new Float64Array(matrix.columns);
  matrix.transposeMultiply(shares, columnMeans);
  const coefficients = solution.coefficients.map((value) => value * scale.deviation);
  const baseValues = solution.intercepts.map((value, k) => {
    let base = scale.mean + scale.deviation * value;
    for (let j = 0; j < matrix.columns; j++) {
      base += coefficients[k * matrix.columns + j] * columnMeans[j];
    }
    return base;
  });
  const state = {
    terms,
    coefficients,
    columnMeans,
    baseValues,
    importance: new Float64Array(data.features.length),
    facts: {
      rows: trainRows.length,
      columns: matrix.columns,
      nonzero_coefficients: coefficients.reduce((count, b) => count + (b === 0 ? 0 : 1), 0),
      iterations: solution.iterations,
      converged: solution.converged ? "yes" : "no",
      ...(chosen ? { penalty: chosen.penalty } : {}),
    },
    range: isHeld ? reachOf(context) : null,
  };
  const model = new LinearModel(task, data.features.length, state);
  const importance = measureImportance(model, context, shares, baseValues.length);
  return new LinearModel(task, data.features.length, { ...state, importance });
}

function solve(
  scratch: Scratch,
  context: FitContext,
  target: Float64Array,
  problem: Omit<Problem, "loss">,
): Solution {
  const room = rowSpaceOf(scratch, problem);
  if (room !== null) {
    return room.lift(solveAsGiven(scratch, context, target, { ...problem, matrix: room.matrix }));
  }
  return solveAsGiven(scratch, context, target, problem);
}

function solveAsGiven(
  scratch: Scratch,
  context: FitContext,
  target: Float64Array,
  problem: Omit<Problem, "loss">,
): Solution {
  const { shares } = problem;
  switch (typeOf(context.task).loss) {
    case "squared_error":
      return fitsNormalEquations(problem.matrix)
        ? solveLeastSquares({ ...problem, loss: squaredLoss(target, shares) }, target)
        : iterate({ ...problem, loss: squaredLoss(target, shares) });
    case "binary_log_loss":
      return iterate({ ...problem, loss: logisticLoss(target, shares, scratch) });
    case "multinomial_log_loss":
      return solveMultinomial(scratch, context, target, problem);
    case "pinball":
      return joined(
        (context.task.quantiles ?? []).map((level) => solveQuantile(problem, target, level)),
      );
  }
}

/** Where rows are too many for normal equations, a penalty hardly matters, and the given one is taken. */
function solveByGcv(target: Float64Array, problem: Omit<Problem, "loss">): Solution {
  const { matrix, shares } = problem;
  const asked = { ...problem, loss: squaredLoss(target, shares) };
  if (fitsNormalEquations(matrix)) return solveLeastSquares(asked, target, "gcv");
  if (matrix.columns <= MAX_GRAM_COLUMNS) return iterate(asked);
  throw new DataError(
    `The linear family chooses a penalty by generalised cross-validation (\`regularization: "l2_gcv"\`) of at most ${MAX_GRAM_COLUMNS.toLocaleString("en")} columns, and these are ${matrix.columns.toLocaleString("en")}; "l2" and "elastic_net" go with any number.`,
  );
}

function discriminate(
  { task, softTarget }: FitContext,
  target: Float64Array,
  problem: Omit<Problem, "loss">,
): Solution {
  const { rows } = problem.matrix;
  const why =
    typeOf(task).target !== "class"
      ? "of classes alone"
      : softTarget !== null
        ? "of labels that are sure, and not of a teacher's"
        : rows > LDA_ROWS
          ? `of at most ${LDA_ROWS.toLocaleString("en")} rows, and these are ${rows.toLocaleString("en")}`
          : null;
  if (why === null) return solveShrunkenLda(problem, target, task.classes.length);
  throw new DataError(
    `The linear family is a linear discriminant analysis (\`regularization: "${LDA}"\`) ${why}; "l2" and "elastic_net" go with every loss.`,
  );
}

/** Solutions of one output each as one of several. */
function joined(solutions: readonly Solution[]): Solution {
  return {
    coefficients: Float64Array.from(solutions.flatMap(({ coefficients }) => [...coefficients])),
    intercepts: Float64Array.from(solutions.flatMap(({ intercepts }) => [...intercepts])),
    iterations: solutions.reduce((sum, { iterations }) => sum + iterations, 0),
    converged: solutions.every(({ converged }) => converged),
  };
}

function solveMultinomial(
  scratch: Scratch,
  { task, softTarget, trainRows }: FitContext,
  hardTarget: Float64Array,
  given: Omit<Problem, "loss">,
): Solution {
  const classes = task.classes.length;
  const soft = softTarget !== null;
  const target = soft ? new Float64Array(trainRows.length * classes) : hardTarget;
  if (softTarget !== null) {
    trainRows.forEach((row, i) => {
      target.set(softTarget.subarray(row * classes, (row + 1) * classes), i * classes);
    });
  }
  const lossOf = soft ? softMultinomialLoss : multinomialLoss;
  const problem = { ...given, loss: lossOf(target, given.shares, classes) };
  return iterate(problem, () => multinomialProducts(scratch, problem, { target, soft }));
}

const UNSCALED = { mean: 0, deviation: 1 };

function iterate(
  problem: Problem,
  makeProducts: () => Products = () => heapProducts(problem),
): Solution {
  if (problem.l1 === 0 && problem.signs === null) {
    return solveSmooth(problem, { tolerance: toleranceOf(problem), products: makeProducts() });
  }
  return problem.matrix.columns <= MAX_GRAM_COLUMNS
    ? solveAccelerated(problem, { products: makeProducts() })
    : solveProximal(problem);
}

function toleranceOf({ matrix, loss }: Problem): number {
  const { rows, columns, denseColumns, groups } = matrix;
  const inverse = columns > MAX_FACTORED_COLUMNS ? 0 : columns * columns;
  const work = (rows * (denseColumns + groups.length) + inverse) * loss.outputs;
  return work > MUCH_WORK ? TOLERANCE.ofMuch : TOLERANCE.exact;
}

function fitsNormalEquations({ rows, columns, denseColumns, groups }: DesignMatrix): boolean {
  const width = denseColumns + groups.length;
  return columns <= MAX_GRAM_COLUMNS && (rows * width * width) / 2 <= MAX_GRAM_WORK;
}

/** The training rows' weights, summing to 1. */
function rowShares({ weights, trainRows }: FitContext): Float64Array {
  if (weights === null) return new Float64Array(trainRows.length).fill(1 / trainRows.length);
  const shares = Float64Array.from(trainRows, (row) => weights[row]);
  const largest = shares.reduce((most, weight) => Math.max(most, weight), 0);
  if (!(largest > 0)) throw new DataError("All training rows have weight 0.");
  let total = 0;
  for (const weight of shares) total += weight / largest;
  return shares.map((weight) => weight / largest / total);
}

/** Of the training labels' variance. @param target of a deviation of 1, or constant */
function unexplained(
  { coefficients, intercepts }: Solution,
  target: Float64Array,
  { matrix, shares }: Omit<Problem, "loss">,
): number {
  const said = new Float64Array(target.length);
  matrix.multiply(coefficients, intercepts[0], said);
  return said.reduce((sum, value, i) => sum + shares[i] * (value - target[i]) ** 2, 0);
}

/**
 * Splines are level beyond the cells that they know, but many of them that say much the same may leave any range
 * together; numbers as they are go as far as their cells do. Null where it is no number.
 */
function reachOf({ target, trainRows }: FitContext): [number, number] | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of trainRows) {
    least = Math.min(least, target[row]);
    greatest = Math.max(greatest, target[row]);
  }
  const reach = REACH * (greatest - least);
  const range: [number, number] = [least - reach, greatest + reach];
  return range.every(Number.isFinite) ? range : null;
}

/** Centres and scales a regression's target in place. A constant target stays centred only. */
function standardiseTarget(
  target: Float64Array,
  shares: Float64Array,
): { mean: number; deviation: number } {
  const size = target.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (size === 0) return UNSCALED;
  let mean = 0;
  for (let i = 0; i < target.length; i++) mean += shares[i] * (target[i] / size);
  let variance = 0;
  for (let i = 0; i < target.length; i++) variance += shares[i] * (target[i] / size - mean) ** 2;
  const spread = Math.sqrt(variance);
  const deviation = spread > 1e-15 ? spread : 1;
  for (let i = 0; i < target.length; i++) target[i] = (target[i] / size - mean) / deviation;
  return { mean: mean * size, deviation: deviation * size };
}

function measureImportance(
  model: LinearModel,
  { data, trainRows }: FitContext,
  shares: Float64Array,
  outputs: number,
): Float64Array {
  const contributions = outputs * Math.max(1, data.features.length);
  const { most, least } = IMPORTANCE_ROWS;
  const wanted = Math.min(
    most,
    Math.max(least, Math.ceil(IMPORTANCE_CONTRIBUTIONS / contributions)),
  );
  const stride = Math.max(1, Math.floor(trainRows.length / wanted));
  const rows = new Uint32Array(Math.ceil(trainRows.length / stride));
  const weights = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    rows[i] = trainRows[i * stride];
    weights[i] = shares[i * stride];
  }
  return asShares(model.contributionSizes(data, rows, weights));
}
