import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { type Task, typeOf } from "../tasks/index.ts";
import { fitCalibration } from "./calibration/fit-calibration.ts";
import { sharpened } from "./calibration/sharpen.ts";
import { Combiner } from "./combiner.ts";
import { fitCombination } from "./fit-combination.ts";
import { greedySelection } from "./greedy-selection.ts";
import { weighGreedily, weighingMetric } from "./greedy-weights.ts";
import { withoutHarmless } from "./harmless-members.ts";
import { crossFits } from "./labelled-rows.ts";

const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };
const folds = crossFits([400, 400, 400]);
/** With nothing tried beside weights and a threshold. */
const plain = {
  fitWeights: null,
  corrections: false,
  constantShare: false,
  tuneThreshold: true,
};
const asSelected = { families: [], familyShares: null };

/** Two halves of the truth's log-odds, each a timid candidate, and one that knows nothing. */
function halves(seed: number) {
  const random = new CounterRandom(deriveKey(seed, "ensemble"));
  const logistic = (m: number) => 1 / (1 + Math.exp(-m));
  const parts = [0, 1].map(() =>
    Float64Array.from({ length: 1200 }, () => 2 * random.nextGaussian()),
  );
  const target = parts[0].map((m, i) =>
    random.nextFloat() < logistic(m + parts[1][i] - 2) ? 1 : 0,
  );
  const chance = parts[0].map(() => random.nextFloat());
  const rows = { target, weights: null, outputs: 1 };
  const predictions = [
    parts[0].map((m) => logistic(m - 1)),
    parts[1].map((m) => logistic(m - 1)),
    chance,
  ];
  return { rows, candidates: predictions.map((each) => fitCalibration(each, rows, folds)) };
}

function fit(metricName: string, stacking: boolean, seed = 1) {
  const { rows, candidates } = halves(seed);
  const metric = metricByName(metricName);
  const weighing = weighGreedily(candidates, rows, folds, weighingMetric(metric), asSelected);
  const fitted = fitCombination({
    task: binclass,
    candidates,
    rows,
    folds,
    weighing,
    metric,
    ...{ ...plain, stacking },
  });
  return { rows, candidates, metric, weighing, fitted };
}

describe("fitCombination", () => {
  it("keeps a stacking layer that beats the blend, and says so", () => {
    const { rows, metric, fitted } = fit("log_loss", true);
    const plain = fit("log_loss", false).fitted;
    expect(fitted.intercepts).not.toBeNull();
    expect(fitted.notes[0]).toMatch(/stacking layer is kept.*log_loss 0\.\d+ against 0\.\d+/);
    const score = (predictions: Float64Array) => metric.score({ ...rows, predictions });
    expect(score(fitted.crossFitted)).toBeLessThan(score(plain.crossFitted));
    expect(fitted.threshold).toBe(0.5);
  });

  it("leaves out a layer that does not, and the model is the greedy blend", () => {
    const { rows, candidates } = halves(2);
    const alike = [candidates[2], candidates[2]];
    const metric = metricByName("log_loss");
    const weighing = { weights: [1, 0], byFold: folds.map(() => [1, 0]) };
    // Labels that are chance: whatever a layer finds is noise.
    const random = new CounterRandom(deriveKey(9, "ensemble"));
    const target = rows.target.map(() => random.nextInteger(2));
    const honest = { calibration: null, crossFitted: target.map(() => 0.5) };
    const request = { task: binclass, rows: { ...rows, target }, folds, weighing, metric };
    const fitted = fitCombination({
      ...request,
      candidates: [honest, alike[0]],
      stacking: true,
      fitWeights: null,
      corrections: false,
      constantShare: false,
      tuneThreshold: true,
    });
    expect(fitted.notes[0]).toMatch(/stacking layer is left out/);
    expect(fitted.intercepts).toBeNull();
    expect(fitted.weights).toEqual([1, 0]);
    // Where the other folds chose a layer, their rows' scores pay for it.
    const score = (predictions: Float64Array) =>
      metric.score({ target, weights: null, outputs: 1, predictions });
    expect(score(fitted.crossFitted)).toBeGreaterThanOrEqual(score(honest.crossFitted));
  });

  it("tunes the threshold for a metric of labels, and scores labels it was not tuned on", () => {
    const { rows, metric, fitted } = fit("balanced_accuracy", false);
    expect(fitted.threshold).toBeLessThan(0.45);
    const score = (predictions: Float64Array) => metric.score({ ...rows, predictions });
    expect(score(fitted.labels ?? rows.target)).toBeGreaterThan(score(fitted.crossFitted));
    expect(fitted.notes.at(-1)).toMatch(/threshold is 0\.\d+, tuned for balanced_accuracy/);
  });

  it("its cross-fitted predictions are near what the fitted parts give the same rows", () => {
    for (const stacking of [false, true]) {
      const { rows, candidates, fitted } = fit("log_loss", stacking);
      const layer = fitted.intercepts && { intercepts: fitted.intercepts };
      const combiner = new Combiner(binclass, layer, rows.target.length);
      for (const [member, { crossFitted }] of candidates.entries()) {
        combiner.add(fitted.weights[member], null, crossFitted);
      }
      const all = combiner.result();
      for (const [i, value] of all.entries()) {
        expect(Math.abs(value - fitted.crossFitted[i])).toBeLessThan(0.1);
      }
    }
  });

  it("makes members surer whose average would be too doubtful, beside a layer not", () => {
    const { rows, candidates } = halves(6);
    const metric = metricByName("log_loss");
    const weighing = weighGreedily(candidates, rows, folds, metric, asSelected);
    const request = { task: binclass, candidates, rows, folds, weighing, metric };
    const settings = { fitWeights: null, constantShare: false, tuneThreshold: false };
    const fitWith = (corrections: boolean, stacking: boolean) =>
      fitCombination({ ...request, ...settings, corrections, stacking });
    const [plain, sharp, layered] = [
      fitWith(false, false),
      fitWith(true, false),
      fitWith(true, true),
    ];
    const score = (predictions: Float64Array) => metric.score({ ...rows, predictions });
    expect(plain.sharpness).toBe(1);
    expect(sharp.sharpness).toBeGreaterThan(1.1);
    expect(sharp.intercepts).toBeNull();
    expect(sharp.notes).toHaveLength(1);
    expect(sharp.notes[0]).toMatch(/margins are made \d+\.\d % larger/);
    expect(score(sharp.crossFitted)).toBeLessThan(score(plain.crossFitted));
    // The parts give these rows about what is scored.
    const combiner = new Combiner(binclass, null, rows.target.length);
    for (const [member, { crossFitted }] of candidates.entries()) {
      combiner.add(sharp.weights[member], sharpened(null, sharp.sharpness, 1), crossFitted);
    }
    for (const [i, value] of combiner.result().entries()) {
      expect(Math.abs(value - sharp.crossFitted[i])).toBeLessThan(0.15);
    }
    expect(layered.intercepts).not.toBeNull();
    expect(layered.sharpness).toBe(1);
  });

  it("weighs without a fold by the others alone", () => {
    const { rows, candidates } = halves(3);
    const metric = metricByName("log_loss");
    const before = weighGreedily(candidates, rows, folds, metric, asSelected);
    const target = rows.target.map((y, i) => (i < 400 ? 1 - y : y));
    const after = weighGreedily(candidates, { ...rows, target }, folds, metric, asSelected);
    expect(after.byFold[0]).toEqual(before.byFold[0]);
    expect(after.byFold[1]).not.toEqual(before.byFold[1]);
  });

  it("weighs many classes by what greedy selection over all of their probabilities says", () => {
    const classes = 5;
    const random = new CounterRandom(deriveKey(3, "ensemble"));
    const target = Float64Array.from({ length: 1200 }, (_, i) => (i * 7) % classes);
    const weights = target.map(() => 0.5 + random.nextFloat());
    const candidates = [1, 1.5, 0.3, 2].map((skill) => {
      const margins = Array.from(target, (y) =>
        Array.from({ length: classes }, (_, k) => random.nextGaussian() + (k === y ? skill : 0)),
      );
      const crossFitted = Float64Array.from(
        margins.flatMap((row) => {
          const powers = row.map(Math.exp);
          const sum = powers.reduce((all, each) => all + each, 0);
          return powers.map((power) => power / sum);
        }),
      );
      return { calibration: null, crossFitted };
    });
    const metric = metricByName("log_loss");
    for (const own of [null, weights]) {
      const rows = { target, weights: own, outputs: classes };
      const { weights: chosen, path } = weighGreedily(candidates, rows, folds, metric, asSelected);
      const predictions = candidates.map(({ crossFitted }) => crossFitted);
      const selected = greedySelection({ ...rows, candidates: predictions, metric });
      expect(path).toEqual(selected.path);
      expect(chosen).toEqual(
        withoutHarmless({
          ...{ weights: selected.weights, predictions },
          lossOf: (blended) => metric.score({ ...rows, predictions: blended }),
        }),
      );
    }
  });

  it("weighs about equal families alike, where the kind of task says so, without each fold too", () => {
    const { rows, candidates } = halves(4);
    const metric = metricByName("roc_auc");
    const families = ["a", "b", "c"];
    const { familyShares } = typeOf({ kind: "sequence_binclass", classes: binclass.classes });
    const chosen = weighGreedily(candidates.toSpliced(1, 1, candidates[0]), rows, folds, metric, {
      families,
      familyShares,
    });
    const selected = weighGreedily(candidates, rows, folds, metric, asSelected);
    expect(selected.weights[2]).toBeLessThan(0.1);
    for (const [first, second, chance] of [chosen.weights, ...chosen.byFold]) {
      expect(second).toBeGreaterThanOrEqual(0.25);
      expect(first).toBeGreaterThanOrEqual(0.25);
      expect(chance).toBeLessThan(0.1);
    }
  });

  it("makes averaged values wider, for metrics of squares, as the parts of the model do", () => {
    const random = new CounterRandom(deriveKey(6, "ensemble"));
    const truth = Float64Array.from({ length: 1200 }, () => 3 * random.nextGaussian());
    const target = truth.map((y) => y + random.nextGaussian());
    const candidates = [0.7, 0.9].map((kept) => ({
      calibration: null,
      crossFitted: truth.map((y) => 5 + kept * y),
    }));
    const rows = { target: target.map((y) => y + 5), weights: null, outputs: 1 };
    const weighing = { weights: [0.5, 0.5], byFold: folds.map(() => [0.5, 0.5]) };
    const alone = { weights: [1, 0], byFold: folds.map(() => [1, 0]) };
    const fitBy = (name: string, corrections: boolean, by = weighing) =>
      fitCombination({
        ...{ candidates, rows, folds, weighing: by, corrections },
        ...{ task: { kind: "regression", classes: [] }, metric: metricByName(name) },
        ...{ fitWeights: null, stacking: false, constantShare: false, tuneThreshold: false },
      });
    const [plain, wider] = [fitBy("rmse", false), fitBy("rmse", true)];
    expect(fitBy("median_absolute_error", true)).toEqual(plain);
    expect(plain.intercepts).toBeNull();
    expect(fitBy("rmse", true, alone).intercepts).toBeNull();
    expect(wider.notes[0]).toMatch(/made 2\d\.\d % larger/);
    const rmse = (predictions: Float64Array) =>
      metricByName("rmse").score({ ...rows, predictions });
    expect(rmse(wider.crossFitted)).toBeLessThan(0.95 * rmse(plain.crossFitted));
    const medians = fitBy("mae", true);
    expect(medians.notes[0]).toMatch(/moved to medians/);
    const mae = metricByName("mae");
    const maeOf = (predictions: Float64Array) => mae.score({ ...rows, predictions });
    expect(maeOf(medians.crossFitted)).toBeLessThan(maeOf(plain.crossFitted));
    const layer = { intercepts: wider.intercepts ?? [] };
    const combiner = new Combiner({ kind: "regression", classes: [] }, layer, 1200);
    for (const [member, { crossFitted }] of candidates.entries()) {
      combiner.add(wider.weights[member], null, crossFitted);
    }
    for (const [i, value] of combiner.result().entries()) {
      expect(Math.abs(value - wider.crossFitted[i])).toBeLessThan(0.2);
    }
  });

  it("keeps members where a layer over values that are far off would have none", () => {
    const random = new CounterRandom(deriveKey(6, "ensemble"));
    const truth = Float64Array.from({ length: 1200 }, () => 100 + random.nextGaussian());
    const candidates = [1, 2].map((side) => ({
      calibration: null,
      crossFitted: truth.map((y) => 100 - 50 * side * (y - 100)),
    }));
    const weighing = { weights: [1, 0], byFold: folds.map(() => [1, 0]) };
    const fitted = fitCombination({
      ...{ task: { kind: "regression", classes: [] }, candidates, folds, weighing },
      rows: { target: truth, weights: null, outputs: 1 },
      metric: metricByName("rmse"),
      ...{ ...plain, stacking: true },
    });
    expect(fitted.weights).toEqual([1, 0]);
    expect(fitted.intercepts).toBeNull();
    expect(fitted.crossFitted).toEqual(candidates[0].crossFitted);
    expect(fitted.notes.join()).toMatch(/^No stacking layer is kept: it would leave out every/);
  });

  it("keeps members of a blend whose values go against the labels", () => {
    const random = new CounterRandom(deriveKey(7, "ensemble"));
    const truth = Float64Array.from({ length: 1200 }, () => 100 + random.nextGaussian());
    const candidates = [1, 2].map((side) => ({
      calibration: null,
      crossFitted: truth.map((y) => 100 - side * (y - 100)),
    }));
    const weighing = { weights: [0.5, 0.5], byFold: folds.map(() => [0.5, 0.5]) };
    for (const constantShare of [false, true]) {
      const { weights, crossFitted } = fitCombination({
        ...{ task: { kind: "regression", classes: [] }, candidates, folds, weighing },
        rows: { target: truth, weights: null, outputs: 1 },
        ...{ metric: metricByName("rmse"), fitWeights: null, tuneThreshold: true },
        ...{ stacking: false, corrections: true, constantShare },
      });
      expect(weights.every((weight) => weight > 0)).toBe(true);
      expect(crossFitted.every((value) => Math.abs(value - 100) < 0.5)).toBe(true);
    }
  });

  it("for values has no threshold, and a layer with an intercept in their units", () => {
    const random = new CounterRandom(deriveKey(5, "ensemble"));
    const truth = Float64Array.from({ length: 1200 }, () => 100 + 10 * random.nextGaussian());
    const biased = truth.map((y) => 0.5 * y + random.nextGaussian());
    const candidates = [biased, truth.map(() => 100)].map((crossFitted) => ({
      calibration: null,
      crossFitted,
    }));
    const rows = { target: truth, weights: null, outputs: 1 };
    const fitted = fitCombination({
      task: { kind: "regression", classes: [] },
      candidates,
      rows,
      folds,
      weighing: { weights: [0.5, 0.5], byFold: folds.map(() => [0.5, 0.5]) },
      metric: metricByName("rmse"),
      ...{ ...plain, stacking: true },
    });
    expect(fitted.threshold).toBeNull();
    expect(fitted.labels).toBeNull();
    expect(fitted.intercepts).toHaveLength(1);
    expect(metricByName("rmse").score({ ...rows, predictions: fitted.crossFitted })).toBeLessThan(
      4,
    );
  });
});
