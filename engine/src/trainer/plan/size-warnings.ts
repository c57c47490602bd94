/** What the shape of the data means for the scores, said before the run: few rows, many columns, rare classes. */

import { shown } from "../../data/shown.ts";
import { hasClasses, type Task, typeOf } from "../../tasks/index.ts";

/** Below these a score says little. */
const FEW_ROWS = 100;
/** Features a row from which on noise looks like signal. */
const WIDE = 1;
/** Of all rows, and in rows: below both, a class is rare. */
const RARE_SHARE = 0.05;
const RARE_ROWS = 1000;

export interface DataSize {
  readonly task: Task;
  readonly target: Float64Array;
  readonly features: number;
  /** Rows that are scored in all, each once. */
  readonly scored: number;
  /** What a row is called, several and one; absent: it is one of the table. */
  readonly called?: readonly [string, string] | undefined;
}

export function sizeWarnings({
  task,
  target,
  features,
  scored,
  called: [several, one] = ["rows", "row"],
}: DataSize): string[] {
  const rows = target.length;
  const warnings: string[] = [];
  if (rows < FEW_ROWS) {
    const meaning = !hasClasses(task)
      ? `one unusual ${one} moves every error`
      : `one ${one} more or less is ${(100 / scored).toFixed(scored < 100 ? 0 : 1)} % of accuracy, and a model that is right in 80 % may show ${interval(0.8, scored)}`;
    warnings.push(
      `There are only ${rows} ${several}, and scores are of ${scored} of them: ${meaning}. Take scores as a rough guide, and compare models with more ${several}.`,
    );
  }
  if (features > WIDE * rows) {
    warnings.push(
      `There are ${features} features for ${rows} ${several}: by chance alone some of them follow the label, and importances name such columns as well. Trust scores of held-out ${several} only, and leave out columns that cannot matter.`,
    );
  }
  const counts = task.classes.map(() => 0);
  for (const y of target) if (y in counts) counts[y]++;
  for (const [k, count] of typeOf(task).classCount?.most === 2 ? counts.entries() : []) {
    const share = count / rows;
    if (share >= RARE_SHARE || count >= RARE_ROWS) continue;
    warnings.push(
      `Only ${count} of ${rows} ${several} (${(100 * share).toPrecision(2)} %) are ${shown(task.classes[k])}: a model that never predicts it has an accuracy of ${(100 * (1 - share)).toFixed(1)} %. ${judgedBy(k, shown(task.classes[k]))}, and weight the classes (\`classWeight\` "balanced") if misses cost more than false alarms.`,
    );
  }
  return warnings;
}

/** Metrics that say how well the rare one of two classes is found. */
function judgedBy(rare: number, name: string): string {
  return rare === 1
    ? "Judge by average_precision, roc_auc or f1"
    : `Judge by roc_auc or balanced_accuracy, or by average_precision or f1 with ${name} as the \`positiveClass\` (they are of the other one otherwise)`;
}

/** Two standard errors of a share of so many rows. */
function interval(share: number, rows: number): string {
  const error = 2 * Math.sqrt((share * (1 - share)) / rows);
  const percent = (value: number): string => (100 * Math.min(1, Math.max(0, value))).toFixed(0);
  return `${percent(share - error)} to ${percent(share + error)} %`;
}
