/** Forecasts of series and of their sums, made to sum up: what that takes, from a backtest, and doing it. */

import { type ValueBounds, within } from "../../data/series-history.ts";
import { DataError } from "../../data/table.ts";
import type { BacktestErrors, FittedReconciliation, SavedFrame } from "../framing.ts";
import { headerSchema } from "./header.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { reconciliationGain, shrunkCovariance, structuralCovariance } from "./mint.ts";

/** Steps at which all series were forecast and seen; fewer say nothing of how errors go together. */
const LEAST_STEPS = 10;
/** More are thinned evenly: their products are summed for each pair of series. */
const MOST_STEPS = 1_000;
/** Of the saved frame's tensors. */
const GAIN = "gain";

/** Null of series without a hierarchy. */
export function fitReconciliation(
  saved: SavedFrame,
  windows: readonly BacktestErrors[],
): FittedReconciliation | null {
  const { hierarchy } = headerSchema.parse(saved.header);
  if (!hierarchy) return null;
  const { bottoms, members, method } = hierarchy;
  if (method === "bottom_up") {
    return { saved, warnings: [], note: "Forecasts of sums are sums of forecasts (bottom_up)." };
  }
  const { offsets } = saved.tensors;
  if (!(offsets instanceof Uint32Array)) throw new TypeError("no series");
  const errors = completeSteps(windows, offsets);
  const count = errors[0].length;
  const covariance = count >= LEAST_STEPS ? shrunkCovariance(errors) : null;
  const gain = covariance && reconciliationGain(covariance.matrix, bottoms, members);
  const nodes = bottoms + members.length;
  if (covariance && gain) {
    return {
      saved: withGain(saved, gain),
      warnings: [],
      note: `Forecasts of ${nodes} series, ${members.length} of them sums, are reconciled by the covariance of their errors at ${count} steps of the backtest, of which ${(100 * covariance.shrinkage).toFixed(1)} % is shrunk away beside its diagonal (mint_shrink).`,
    };
  }
  const plain = reconciliationGain(structuralCovariance(bottoms, members), bottoms, members);
  if (plain === null) throw new RangeError("The sums of series are none that can be reconciled.");
  return {
    saved: withGain(saved, plain),
    warnings: [
      count < LEAST_STEPS
        ? `The backtest has ${count} ${count === 1 ? "step" : "steps"} at which all ${nodes} series of the hierarchy were forecast and have a value; mint_shrink needs at least ${LEAST_STEPS} to estimate a covariance. Forecasts are reconciled as if errors of the series were alike and independent (structural scaling). More windows of the backtest would help.`
        : "The errors of the backtest have no covariance that could be inverted. Forecasts are reconciled as if errors of the series were alike and independent (structural scaling).",
    ],
    note: null,
  };
}

function withGain(saved: SavedFrame, gain: Float64Array): SavedFrame {
  return { ...saved, tensors: { ...saved.tensors, [GAIN]: gain } };
}

/** Of each series its errors at steps where all have one. */
function completeSteps(windows: readonly BacktestErrors[], offsets: Uint32Array): Float64Array[] {
  const nodes = offsets.length - 1;
  /** By the distance of a step from the ends of the series, which they share. */
  const byStep = new Map<number, Float64Array>();
  for (const { rows, errors } of windows) {
    let series = 0;
    for (const [i, row] of rows.entries()) {
      while (row >= offsets[series + 1]) series++;
      const back = offsets[series + 1] - row;
      const own = byStep.get(back) ?? new Float64Array(nodes).fill(Number.NaN);
      own[series] = errors[i];
      byStep.set(back, own);
    }
  }
  const steps = [...byStep.values()].filter((own) => own.every(Number.isFinite));
  const kept = Math.min(steps.length, MOST_STEPS);
  const taken = Array.from(
    { length: kept },
    (_, i) => steps[Math.floor((i * steps.length) / kept)],
  );
  return Array.from({ length: nodes }, (_, s) => Float64Array.from(taken, (own) => own[s]));
}

/**
 * Forecasts of all series and sums, the same number of steps each, one series after another: in place. A series that is
 * corrected to beyond its bounds is at the bound before they are added up (Di Fonzo & Girolimetto, "Spatio-temporal
 * reconciliation of solar forecasts", Solar Energy 251, 2023, §3.1: set negative to zero).
 *
 * @param bounds of each series, those that are summed first
 * @throws DataError where the model's file lacks what the method needs
 */
export function reconcile(
  values: Float64Array,
  { method, bottoms, members }: Hierarchy,
  { tensors }: SavedFrame,
  bounds: readonly ValueBounds[],
): void {
  const aggregates = members.length;
  const steps = values.length / (bottoms + aggregates);
  const at = (series: number, step: number): number => series * steps + step;
  const { [GAIN]: gain } = tensors;
  if (method === "mint_shrink" && !(gain instanceof Float64Array)) {
    throw new DataError("The model's file of series is damaged.");
  }
  const above = new Float64Array(aggregates);
  for (let step = 0; step < steps; step++) {
    const sum = (k: number): number =>
      members[k].reduce((total, b) => total + values[at(b, step)], 0);
    if (gain instanceof Float64Array) {
      for (let k = 0; k < aggregates; k++) above[k] = values[at(bottoms + k, step)] - sum(k);
      for (let b = 0; b < bottoms; b++) {
        let change = 0;
        for (let k = 0; k < aggregates; k++) change += gain[b * aggregates + k] * above[k];
        values[at(b, step)] = within(values[at(b, step)] + change, bounds[b]);
      }
    }
    for (let k = 0; k < aggregates; k++) values[at(bottoms + k, step)] = sum(k);
  }
}
