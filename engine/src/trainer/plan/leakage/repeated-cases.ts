/**
 * Columns whose values are cases of several rows, such as patients with a row for each visit: folds without
 * groups then hold out rows of cases that they learn from, and scores are too good for cases to come.
 *
 * A case is known by what stays the same in all of its rows, and it matters where its rows have labels that
 * are more alike than those of other cases which share what stays the same: a nested analysis of variance, of
 * ranks of numbers and of indicators of classes (Light & Margolin, "An analysis of variance for categorical
 * data", JASA 1971).
 */

import { ascendingOrder } from "../../../compute/ascending-order.ts";
import { valuesAt } from "../../../compute/row-lists.ts";
import { cellText } from "../../../data/coerce.ts";
import { shown } from "../../../data/shown.ts";
import type { Column } from "../../../data/table.ts";

/** Rows that are looked at, all of a case or none. */
const SAMPLED_ROWS = 20_000;
const FEWEST_CASES = 20;
/** On the average; larger groups are categories. */
const MOST_ROWS_OF_CASE = 30;
/** Of the rows, those that are of a case with several. */
const REPEATED_SHARE = 0.5;
/** Of the rows behind the first of a case, those whose cell is that of the first. */
const SAME_SHARE = 0.98;
/** Of two rows, how often their cells may be equal by chance. */
const CHANCE_EQUAL = 0.7;
/** Rows that are looked at before the others. */
const FIRST_PAIRS = 200;
/** Whole numbers may as well be measured: fewer columns that stay the same are not enough, unless the name tells. */
const COLUMNS_OF_NUMBERS = 2;
/** Rank correlation with a number from which on both measure the same. */
const RELATED = 0.5;
const NAMED =
  /(?:^|[^a-z])(?:ids?|uuid|guid|key|no|nr|number|subject|patient|person|customer|client|member|user|household)$|[a-z](?:Id|ID|No|Nr)$/i;
/** Longer texts name nothing. */
const LONGEST_NAME = 64;
/** Standard deviations of the ratio of variances, as if the labels of a case were no more alike than others. */
const CLEARLY = 4;
/** Less alike than that, scores of shared cases are hardly better. */
const ALIKE = 0.05;
/** Columns named one by one. */
const NAMED_COLUMNS = 3;
/** Pairs of columns that are looked at, each some tens of microseconds: of wide tables few may name cases. */
const MOST_PAIRS = 4000;

interface Candidate {
  readonly column: Column;
  /** Places among the rows of the run. */
  readonly places: Uint32Array;
  /** The case of each, dense. */
  readonly cases: Uint32Array;
  readonly count: number;
  /** Of whole numbers the number of each case; else null. */
  readonly numbers: Float64Array | null;
  readonly same: SameColumn[];
}

interface SameColumn {
  readonly name: string;
  /** One a case, dense. */
  readonly codes: Uint32Array;
  readonly count: number;
}

export interface CasesInput {
  /** Without the label, the weight and those that order the rows. */
  readonly columns: readonly Column[];
  /** Of the table; null = all. */
  readonly rows: Uint32Array | null;
  /** By the order of `rows`: numbers, or indices of classes. */
  readonly target: Float64Array;
  /** None where numbers are predicted. */
  readonly classes: number;
}

/** The column whose values are most likely cases, in a sentence; null where there is none. */
export function repeatedCases({ columns, rows, target, classes }: CasesInput): string | null {
  const found = columns
    .flatMap((column) => candidateOf(column, rows, target.length) ?? [])
    .toSorted((a, b) => neededOf(a) - neededOf(b))
    .slice(0, Math.max(1, Math.floor(MOST_PAIRS / columns.length)));
  if (found.length === 0) return null;
  for (const column of columns) {
    for (const candidate of found) {
      if (candidate.column.name !== column.name) addSame(candidate, column, rows);
    }
  }
  const told = found
    .filter((candidate) => candidate.same.length >= neededOf(candidate))
    .map((candidate) => ({ candidate, alike: alikeness(candidate, target, classes) }))
    .filter(({ alike }) => alike !== null);
  // What several columns name together is named by the one that settles most of the others.
  const [first] = told.toSorted((a, b) => b.candidate.same.length - a.candidate.same.length);
  return first ? sentence(first.candidate, first.alike ?? 0, target.length) : null;
}

/** How many columns have to stay the same within its cases. */
function neededOf({ column, numbers }: Candidate): number {
  return numbers === null || NAMED.test(column.name) ? 1 : COLUMNS_OF_NUMBERS;
}

function sentence({ column, places, count, same }: Candidate, alike: number, rows: number): string {
  const names = same.slice(0, NAMED_COLUMNS).map(({ name }) => shown(name));
  const more = same.length > NAMED_COLUMNS ? ` and ${same.length - NAMED_COLUMNS} more` : "";
  const looked = places.length < rows ? ` that were looked at of ${rows.toLocaleString("en")}` : "";
  const they = same.length === 1 ? "is" : "are";
  return `Column ${shown(column.name)} may name cases of several rows: ${places.length.toLocaleString("en")} rows${looked} have ${count.toLocaleString("en")} of its values, ${names.join(", ")}${more} ${they} the same in all rows of one, and their labels are alike (intraclass correlation ${alike.toFixed(2)}). If future rows are of other cases, scores of folds that share cases are too good, also where the column is ignored: name it as \`groupColumn\`.`;
}

/** Null where the values cannot be cases. */
function candidateOf(column: Column, rows: Uint32Array | null, count: number): Candidate | null {
  const hashOf = cellHash(column);
  if (hashOf === null) return null;
  const limit = Math.min(1, SAMPLED_ROWS / count) * 2 ** 32;
  const dense = new Map<string | number, number>();
  const places: number[] = [];
  const cases: number[] = [];
  const sizes: number[] = [];
  for (let place = 0; place < count; place++) {
    const row = rows?.[place] ?? place;
    const cell = hashOf(row);
    if (cell === null) continue;
    if (cell === undefined) return null;
    if (cell.hash >= limit) continue;
    let one = dense.get(cell.key);
    if (one === undefined) {
      one = sizes.push(0) - 1;
      dense.set(cell.key, one);
    }
    sizes[one]++;
    places.push(place);
    cases.push(one);
  }
  const repeated = sizes.reduce((sum, size) => sum + (size > 1 ? size : 0), 0);
  if (sizes.length < FEWEST_CASES || repeated < REPEATED_SHARE * places.length) return null;
  if (places.length > MOST_ROWS_OF_CASE * sizes.length) return null;
  return {
    column,
    places: Uint32Array.from(places),
    cases: Uint32Array.from(cases),
    count: sizes.length,
    numbers: column.kind === "numeric" ? Float64Array.from(dense.keys(), Number) : null,
    same: [],
  };
}

interface HashedCell {
  readonly key: string | number;
  /** Of 32 bits. */
  readonly hash: number;
}

/**
 * A reader of cells, null where the column's kind names nothing. Of a cell it says null where it is missing, and
 * undefined where such a cell shows that the column has no names.
 */
function cellHash(column: Column): ((row: number) => HashedCell | null | undefined) | null {
  switch (column.kind) {
    case "numeric":
      return (row) => {
        const key = column.values[row];
        if (Number.isNaN(key)) return null;
        return Number.isSafeInteger(key)
          ? { key, hash: mixed((key % 2 ** 32) ^ (key / 2 ** 32)) }
          : undefined;
      };
    case "categorical":
      return (row) => {
        const key = column.codes[row];
        return key < 0 ? null : { key, hash: mixed(key) };
      };
    case "text":
      return (row) => {
        const key = column.values[row];
        if (key === null) return null;
        return key.length > LONGEST_NAME ? undefined : { key, hash: mixed(textHash(key)) };
      };
    case "boolean":
    case "timestamp":
      return null;
  }
}

/** FNV-1a. */
function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** The end of MurmurHash3. */
function mixed(key: number): number {
  let hash = key | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Adds the column to those that stay the same in all rows of a case, if it does and is no mere division of the numbers. */
function addSame(candidate: Candidate, column: Column, rows: Uint32Array | null): void {
  const { places, cases, count, numbers, same } = candidate;
  const first = new Map<number, string | null>();
  const cells = new Array<string | null>(count);
  let [pairs, equal] = [0, 0];
  for (let i = 0; i < places.length; i++) {
    const cell = cellText(column, rows?.[places[i]] ?? places[i]);
    const known = first.get(cases[i]);
    if (known === undefined) {
      first.set(cases[i], cell);
      cells[cases[i]] = cell;
      continue;
    }
    pairs++;
    if (known === cell) equal++;
    if (pairs === FIRST_PAIRS && equal < 0.9 * pairs) return;
  }
  if (equal < SAME_SHARE * pairs) return;
  const dense = new Map<string | null, number>();
  const codes = Uint32Array.from(cells, (cell) => {
    const code = dense.get(cell) ?? dense.size;
    dense.set(cell, code);
    return code;
  });
  const perCode = new Float64Array(dense.size);
  for (const one of cases) perCode[codes[one]] += 1 / cases.length;
  const chance = perCode.reduce((sum, share) => sum + share * share, 0);
  // As many values as cases are the cases by another name, or their share of what is measured.
  if (dense.size >= count || chance > CHANCE_EQUAL) return;
  if (numbers !== null) {
    if (divides(numbers, codes, dense.size)) return;
    if (!NAMED.test(candidate.column.name) && areRelated(numbers, cells)) return;
  }
  same.push({ name: column.name, codes, count: dense.size });
}

/** Whether each value is of one stretch of the numbers, as age groups are of ages. */
function divides(numbers: Float64Array, codes: Uint32Array, values: number): boolean {
  const order = ascendingOrder(numbers);
  let changes = 0;
  for (let i = 1; i < order.length; i++) if (codes[order[i]] !== codes[order[i - 1]]) changes++;
  return changes < values - 1 + Math.max(2, 0.1 * (numbers.length - values));
}

/** Whether the cells are numbers that follow those of the cases, one a case. */
function areRelated(numbers: Float64Array, cells: readonly (string | null)[]): boolean {
  const others = Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell)));
  if (others.some(Number.isNaN)) return false;
  const [a, b] = [ranksOf(numbers), ranksOf(others)];
  const product = (x: Float64Array, y: Float64Array): number =>
    x.reduce((sum, value, i) => sum + value * y[i], 0);
  return Math.abs(product(a, b)) > RELATED * Math.sqrt(product(a, a) * product(b, b));
}

/**
 * The intraclass correlation of the labels of a case among cases that are equal in the coarsest column that
 * stays the same; null where the labels are not clearly alike.
 */
function alikeness(candidate: Candidate, target: Float64Array, classes: number): number | null {
  const { places, cases, count, same } = candidate;
  const coarsest = same.reduce((best, each) => (each.count < best.count ? each : best));
  const labels = valuesAt(target, places);
  const outputs = classes === 0 ? 1 : classes;
  const values = classes === 0 ? ranksOf(labels) : labels;
  const sizes = new Float64Array(count);
  const sizesOf = new Float64Array(coarsest.count);
  const sums = new Float64Array(count * outputs);
  const sumsOf = new Float64Array(coarsest.count * outputs);
  let total = 0;
  for (let i = 0; i < cases.length; i++) {
    const [one, of] = [cases[i], coarsest.codes[cases[i]]];
    const [output, value] = classes === 0 ? [0, values[i]] : [values[i], 1];
    sizes[one]++;
    sizesOf[of]++;
    sums[one * outputs + output] += value;
    sumsOf[of * outputs + output] += value;
    total += value * value;
  }
  const explained = (all: Float64Array, counts: Float64Array): number =>
    all.reduce((sum, each, at) => sum + (each * each) / counts[Math.floor(at / outputs)], 0);
  const [byCase, byColumn] = [explained(sums, sizes), explained(sumsOf, sizesOf)];
  const [between, within] = [count - coarsest.count, cases.length - count];
  if (between < FEWEST_CASES / 2 || within < FEWEST_CASES / 2) return null;
  const ofCases = Math.max(0, byCase - byColumn) / between;
  const ofRows = Math.max(0, total - byCase) / within;
  if (ofCases === 0) return null;
  const deviation = Math.sqrt(2 / between + 2 / within);
  if (ofCases < (1 + CLEARLY * deviation) * ofRows) return null;
  const size = cases.length / count;
  const alike = (ofCases - ofRows) / (ofCases + (size - 1) * ofRows);
  return alike >= ALIKE ? alike : null;
}

/** Equal values share the mean of their ranks, from -1 to 1. */
function ranksOf(values: Float64Array): Float64Array {
  const order = ascendingOrder(values);
  const ranks = new Float64Array(values.length);
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && values[order[to]] === values[order[from]]) to++;
    for (let at = from; at < to; at++) ranks[order[at]] = (from + to) / order.length - 1;
  }
  return ranks;
}
