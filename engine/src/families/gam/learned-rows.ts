/** What the learned rows say at given margins: where boosting starts, their gradients, and how noisy they are. */

import type { Kernels } from "../../compute/kernels.ts";
import type { Link } from "../../tasks/task-type.ts";
import type { NetworkTargets } from "../mlp/targets.ts";

export interface LearnedRows {
  readonly trainRows: Uint32Array;
  readonly targets: NetworkTargets;
  /** Of rows of the data; null = all 1. */
  readonly weights: Float64Array | null;
  readonly link: Link;
  readonly kernels: Kernels;
}

/** The best constant margins. */
export function meanMargins({ trainRows, targets, weights, link, kernels }: LearnedRows) {
  const { width, values } = targets;
  const means = new Float64Array(width);
  let total = 0;
  for (const row of trainRows) {
    const weight = weights?.[row] ?? 1;
    total += weight;
    for (let k = 0; k < width; k++) means[k] += weight * values[row * width + k];
  }
  return means.map((sum) => {
    if (link === "identity") return sum / total;
    const share = Math.min(1, Math.max(1e-12, sum / total));
    if (link === "log_softmax") return kernels.log(share);
    return kernels.log(share) - kernels.log(Math.max(1e-12, 1 - share));
  });
}

/** Whether labels are classes, not degrees of them, which have less noise. */
export function hasWholeLabels({ trainRows, targets: { width, values } }: LearnedRows): boolean {
  return trainRows.every((row) => {
    for (let at = row * width; at < (row + 1) * width; at++) {
      if (values[at] !== 0 && values[at] !== 1) return false;
    }
    return true;
  });
}

/**
 * Gradients and hessians of the loss, weighed; places × outputs.
 *
 * @param places of rows in `trainRows`
 * @param margins of those rows
 */
export function rowGradients(
  { trainRows, targets, weights, link, kernels }: LearnedRows,
  places: Uint32Array,
  margins: Float64Array,
): { readonly gradients: Float64Array; readonly hessians: Float64Array } {
  const { width, values } = targets;
  const gradients = new Float64Array(margins.length);
  const hessians = new Float64Array(margins.length);
  const { exp } = kernels;
  for (const [i, place] of places.entries()) {
    const row = trainRows[place];
    const weight = weights?.[row] ?? 1;
    const own = margins.subarray(i * width, (i + 1) * width);
    const most = link === "log_softmax" ? own.reduce((a, b) => Math.max(a, b)) : 0;
    const sum = link === "log_softmax" ? own.reduce((all, m) => all + exp(m - most), 0) : 1;
    for (let k = 0; k < width; k++) {
      const at = i * width + k;
      const label = values[row * width + k];
      if (link === "identity") {
        gradients[at] = weight * (own[k] - label);
        hessians[at] = weight;
        continue;
      }
      const p = link === "logit" ? 1 / (1 + exp(-own[k])) : exp(own[k] - most) / sum;
      gradients[at] = weight * (p - label);
      hessians[at] = weight * p * (1 - p);
    }
  }
  return { gradients, hessians };
}

/** Σ g² / Σ h, a weight of k standing for k rows: the variance of working responses in units of their own. */
export function noiseOf(rows: LearnedRows, places: Uint32Array, margins: Float64Array): number {
  const { gradients, hessians } = rowGradients(rows, places, margins);
  const { width } = rows.targets;
  let squares = 0;
  let curved = 0;
  for (const [i, place] of places.entries()) {
    const weight = rows.weights?.[rows.trainRows[place]] ?? 1;
    if (!(weight > 0)) continue;
    for (let at = i * width; at < (i + 1) * width; at++) {
      squares += gradients[at] ** 2 / weight;
      curved += hessians[at];
    }
  }
  return curved > 0 ? squares / curved : 0;
}
