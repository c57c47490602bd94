/** What a device that is lent does for trees in one thread: predicting and explaining many rows. */

import type { DeviceLoan } from "../compute/gpu/device-loan.ts";
import { withSummer } from "./device-sums.ts";
import { LaneSums } from "./lane-sums.ts";
import { withExplainer } from "./shap/device-explainer.ts";
import { LaneExplainer } from "./shap/lane-explainer.ts";

/**
 * Has a device add up the trees of models that predict many rows within `action`, and explain rows by them, to the
 * CPU's bits.
 *
 * @param loan absent: the CPU does it
 */
export function withDevice<T>(loan: DeviceLoan | undefined, action: () => T): T {
  if (loan === undefined) return action();
  const { lane, place } = loan;
  return withSummer(new LaneSums(lane, place), () =>
    withExplainer(new LaneExplainer(lane, place), action),
  );
}
