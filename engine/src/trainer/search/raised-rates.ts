/**
 * Learning rates of boosting that a time budget leaves few rounds: by small steps it would end half way. What was
 * raised is in the log, and the card tells a rerun.
 *
 * Measured by LightGBM at 5 to 80 rounds on nine tables (`docs/decisions/budget.md`).
 */

import type { SearchSpace } from "../../search/space.ts";
import type { Loss } from "../../tasks/task-type.ts";
import type { AskedTrial } from "../log/events.ts";

interface Steps {
  /** Rounds × learning rate from which a fit is usually not far from its best. */
  readonly way: number;
  /** Larger ones are worse than fewer. */
  readonly most: number;
  /** The same where there are hardly any rounds. */
  readonly few: { readonly way: number; readonly most: number };
}

const OF_VALUES: Steps = { way: 12, most: 0.3, few: { way: 4, most: 0.5 } };
const OF_TWO_CLASSES: Steps = { ...OF_VALUES, way: 8 };
/** Calibration makes up for small steps of classes, and for large ones it does not. */
const OF_CLASSES: Steps = { way: 8, most: 0.2, few: { way: 0, most: 0 } };

/** @param rounds that there is time for */
export function raisedRate(rate: number, rounds: number, loss: Loss): number {
  const { way, most, few } =
    loss === "multinomial_log_loss"
      ? OF_CLASSES
      : loss === "binary_log_loss"
        ? OF_TWO_CLASSES
        : OF_VALUES;
  const had = Math.max(0.1, rounds);
  const ofFew = Math.min(few.most, few.way / had);
  const wanted = Math.max(ofFew, Math.min(most, way / had));
  return Math.max(rate, Number(wanted.toPrecision(2)));
}

/** The trial with this rate; the same one where its rate is not searched, or no less. */
export function withRate(trial: AskedTrial, space: SearchSpace, rate: number): AskedTrial {
  const drawn = trial.parameters["learning_rate"];
  if (space["learning_rate"]?.type !== "float" || typeof drawn !== "number" || rate <= drawn) {
    return trial;
  }
  return {
    ...trial,
    parameters: { ...trial.parameters, learning_rate: rate },
    raisedFrom: drawn,
  };
}
