/** What is said of values that are far from all that a model gave in training: it was never tried there. */

import type { DriftReference } from "../drift/reference.ts";
import { outputCount, type Task, typeOf } from "../tasks/index.ts";
import type { Predicted } from "./uncertainty.ts";

/** Of the span of the predictions in training, that others may lie beyond it. */
const FAR = 0.5;

/** @param reference null where nobody has looked how predictions of the training rows were distributed */
export function farPredictions(
  { task, values, frame }: Pick<Predicted, "frame" | "values"> & { readonly task: Task },
  reference: DriftReference | null,
): readonly string[] {
  const central = typeOf(task).central(task);
  // Trends of series go on beyond what was; probabilities cannot.
  if (frame?.kind === "series" || typeOf(task).target === "class" || central === null) return [];
  const [of] = reference?.predictions ?? [];
  if (of === undefined || !("range" in of) || of.range === null) return [];
  const [least, greatest] = of.range;
  const reach = FAR * (greatest - least);
  // A constant tells nothing of what is far.
  if (!(reach > 0)) return [];
  const outputs = outputCount(task);
  const isFar = (value: number, i: number): boolean =>
    i % outputs === central && (value < least - reach || value > greatest + reach);
  const far = values.filter(isFar);
  if (far.length === 0) return [];
  const [from, to, example] = [least, greatest, far[0]].map((value) =>
    Number(value.toPrecision(4)),
  );
  return [
    `Predictions lie far outside of ${from} to ${to}, where those of the training rows do, such as ${example}, in ${far.length} of ${values.length / outputs} rows.`,
  ];
}
