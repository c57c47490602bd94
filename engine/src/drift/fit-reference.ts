/** The reference of a model, from the rows of its run and its out-of-fold predictions. */

import { sortNumbers } from "../compute/sort-numbers.ts";
import type { FeatureSchema } from "../data/feature-schema.ts";
import type { Column } from "../data/table.ts";
import { typeOf } from "../tasks/index.ts";
import type { TaskForm } from "../tasks/task-type.ts";
import { type CountedPredictions, type Tally, tallyOf } from "./counting.ts";
import type { Distribution } from "./reference.ts";
import { mostBins } from "./stability.ts";

/** Of numbers, beside that of missing ones. */
const MOST_BINS = 10;
/** Of categories, the last for all that have none of their own. */
const MOST_CATEGORY_BINS = 21;

/** How the rows of a column of the features are distributed. */
export function columnReference(column: Column, schema: FeatureSchema): Distribution {
  const of = emptyBins(column);
  return filled(of, schema, (tally, counts) => tally.column(column, counts, 0));
}

/** How predictions are distributed. */
export function predictionsReference(
  task: TaskForm,
  predicted: CountedPredictions,
): Distribution[] {
  const { values, outputs } = predicted;
  const type = typeOf(task);
  const central = type.central(task);
  const all: Distribution[] = [];
  if (central !== null) {
    const numbers = Float64Array.from(
      { length: values.length / outputs },
      (_, row) => values[row * outputs + central],
    );
    const name = type.target === "class" ? `probability of ${task.classes.at(-1)}` : "value";
    all.push({ kind: "numeric", name, ...numberBins(numbers), missing: 0, outside: 0 });
  }
  if (type.target === "class") {
    const values = [...task.classes];
    const counts = zeros(values.length + 1);
    all.push({ kind: "categorical", name: "label", values, counts, missing: 0, outside: 0 });
  }
  return all.map((of) =>
    filled(of, NO_COLUMNS, (tally, counts) => tally.predictions(predicted, central, counts, 0)),
  );
}

/** A label is no column. */
const NO_COLUMNS: FeatureSchema = { columns: [], dropped: [], notes: [] };

function filled(
  of: Distribution,
  schema: FeatureSchema,
  add: (tally: Tally, counts: Float64Array) => void,
): Distribution {
  const bins = of.counts.length;
  const counts = new Float64Array(bins + 2);
  add(tallyOf(of, schema), counts);
  const [missing, outside] = counts.subarray(bins);
  return { ...of, counts: [...counts.subarray(0, bins)], missing, outside };
}

function emptyBins(column: Column): Distribution {
  const { name } = column;
  const none = { missing: 0, outside: 0 };
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return { kind: column.kind, name, ...numberBins(column.values), ...none };
    case "text": {
      const lengths = Float64Array.from(column.values, (text) => text?.length ?? Number.NaN);
      return { kind: "text", name, ...numberBins(lengths), ...none };
    }
    case "boolean":
      return { kind: "boolean", name, values: ["false", "true"], counts: zeros(3), ...none };
    case "categorical": {
      const values = mostFrequent(column.codes, column.categories);
      return { kind: "categorical", name, values, counts: zeros(values.length + 1), ...none };
    }
  }
}

const zeros = (length: number): number[] => new Array<number>(length).fill(0);

/** Bins of about equal counts; equal numbers share one. */
function numberBins(values: Float64Array): {
  readonly edges: number[];
  readonly range: [number, number] | null;
  readonly counts: number[];
} {
  const sorted = sortNumbers(values.filter((value) => Number.isFinite(value)));
  if (sorted.length === 0) return { edges: [], range: null, counts: [0] };
  // Plus zero: JSON has no negative one.
  const range: [number, number] = [sorted[0] + 0, sorted[sorted.length - 1] + 0];
  const bins = mostBins(sorted.length, MOST_BINS);
  const edges: number[] = [];
  for (let bin = 1; bin < bins; bin++) {
    const edge = sorted[Math.ceil((bin * sorted.length) / bins) - 1] + 0;
    if (edge < range[1] && (edges.length === 0 || edge > edges[edges.length - 1])) edges.push(edge);
  }
  return { edges, range, counts: zeros(edges.length + 1) };
}

/** By descending count, then by first sight. */
function mostFrequent(codes: Int32Array, categories: readonly string[]): string[] {
  const rows = new Float64Array(categories.length);
  for (const code of codes) if (code >= 0) rows[code]++;
  return Array.from(rows.keys())
    .filter((code) => rows[code] > 0)
    .sort((a, b) => rows[b] - rows[a] || a - b)
    .slice(0, mostBins(codes.length, MOST_CATEGORY_BINS) - 1)
    .map((code) => categories[code]);
}
