/**
 * A summary of SHAP values over some rows of the run, as the model explains them (Lundberg et al.,
 * "From local explanations to global understanding with explainable AI for trees", Nature Machine
 * Intelligence 2020, figure 4).
 */

import { tableFromMatrix } from "../../data/records.ts";
import type { Model } from "../../model/model.ts";
import { hasClasses, outputCount } from "../../tasks/index.ts";
import type { DataProfile } from "../../trainer/plan/data-profile.ts";
import type { RunReport } from "../document.ts";
import { ranks } from "../figures/rank-correlation.ts";
import { rounded } from "./shape-reading.ts";

export type ExplanationSection = NonNullable<RunReport["explanation"]>;
type Cell = DataProfile["sample"]["data"][number][number];

const COLUMNS = 10;
const POINTS = 500;
const BATCH = 25;

/**
 * @param allowed seconds after which no further batch of rows is explained, as they are known then; 0: none is
 * @param classIndex the class whose contributions are shown; 0 for tasks of one output
 */
export function explanationSection(
  model: Model,
  sample: DataProfile["sample"],
  classIndex: number,
  allowed: () => number,
): ExplanationSection | null {
  if (sample.columns.length === 0 || sample.data.length === 0 || allowed() <= 0) return null;
  const began = performance.now();
  const order = spread(sample.data.length);
  const rows: number[] = [];
  const shown: Float64Array[] = [];
  let sums: Float64Array | null = null;
  let columns: readonly string[] = [];
  let space = "";
  // One row first: large forests may take seconds for each. It makes ready what all others use, so another tells how
  // long they take.
  let spent = 0;
  for (let from = 0, size = 1; from < order.length; ) {
    const batch = order.slice(from, from + size);
    const { table } = tableFromMatrix(
      sample.columns,
      batch.map((row) => sample.data[row]),
      model.document.schema,
    );
    const explained = model.explain(table);
    columns = explained.columns;
    space = explained.space;
    sums ??= new Float64Array(columns.length);
    for (const [place, outputs] of explained.contributions.entries()) {
      rows.push(batch[place]);
      shown.push(outputs[Math.min(classIndex, outputs.length - 1)]);
      for (const output of outputs) {
        for (let c = 0; c < columns.length; c++) sums[c] += Math.abs(output[c]) / outputs.length;
      }
    }
    from += batch.length;
    const before = spent;
    spent = (performance.now() - began) / 1000;
    const left = allowed() - spent;
    size = Math.min(BATCH, Math.floor((left * batch.length) / (spent - before)));
    if (from === 1 && left > 0) size = 1;
    if (size < 1) break;
  }
  const sizes = [...(sums ?? [])].map((sum) => sum / rows.length);
  const largest = [...sizes.keys()]
    .filter((c) => sizes[c] > 0)
    .sort((a, b) => sizes[b] - sizes[a] || a - b)
    .slice(0, COLUMNS);
  if (largest.length === 0) return null;
  const { task } = model.document;
  const drawn = rows.slice(0, POINTS);
  return {
    rows: rows.length,
    space,
    of: hasClasses(task) ? task.classes[outputCount(task) === 1 ? 1 : classIndex] : null,
    columns: largest.map((c) => {
      const place = sample.columns.indexOf(columns[c]);
      const values = places(drawn.map((row) => (place < 0 ? null : sample.data[row][place])));
      return {
        column: columns[c],
        size: sizes[c],
        points: drawn.map((_, i) => ({ contribution: rounded(shown[i][c]), value: values[i] })),
      };
    }),
  };
}

/** 0 … count - 1 so that any beginning of the list is spread over all: by a stride prime to it. */
export function spread(count: number): number[] {
  let stride = Math.max(1, Math.round(count * 0.618));
  while (gcd(stride, count) !== 1) stride++;
  return Array.from({ length: count }, (_, i) => (i * stride) % count);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Each value's rank among the others as 0 … 1; null for what is missing or has no order. */
function places(cells: readonly Cell[]): (number | null)[] {
  const numbers = cells.map(ordered);
  const known = numbers.filter((value) => value !== null);
  if (new Set(known).size < 2) return cells.map(() => null);
  const ranked = ranks(known);
  const highest = known.length - 1;
  let next = 0;
  return numbers.map((value) => (value === null ? null : rounded(ranked[next++] / highest)));
}

function ordered(cell: Cell): number | null {
  if (typeof cell === "number") return cell;
  if (typeof cell === "boolean") return cell ? 1 : 0;
  if (cell === null || !/^\d{4}-\d\d-\d\d/.test(cell)) return null;
  const time = Date.parse(cell);
  return Number.isNaN(time) ? null : time;
}
