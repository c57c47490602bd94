/** One tree as LightGBM writes it: inner nodes and leaves numbered apart, leaves below zero. */

import type { FeatureBins } from "../../data/encoded.ts";
import { type DerivedColumn, hasEdges, type TableColumn } from "../../trees/derived-columns.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";

/** How a feature's cells are told apart. */
export interface FeatureCodes {
  readonly bins: FeatureBins;
  /** 0 of numbers. */
  readonly categories: number;
}

export interface TreeWriting {
  /** Of the features' numbers in the trees. */
  readonly place: ReadonlyMap<number, number>;
  /** By their numbers in the trees. */
  readonly derived: ReadonlyMap<number, DerivedColumn>;
  /** By place. */
  readonly codes: readonly FeatureCodes[];
  /** Of the leaves' values. */
  readonly scale: number;
  /** Added to each leaf. */
  readonly shift: number;
}

/** Bits of `decision_type`. */
const CATEGORICAL = 1;
const MISSING_LEFT = 2;
const MISSING_IS_NAN = 8;
const WORDS = 8;

/** The largest double: below it is every number but infinity, whose side the format cannot say. */
const ALL = Number.MAX_VALUE;

/** A tree of one leaf. */
export function constantTree(value: number): string {
  return `num_leaves=1\nnum_cat=0\nleaf_value=${value}\nis_linear=0\nshrinkage=1\n`;
}

export function treeText(
  trees: TreeEnsemble,
  tree: number,
  { place, codes, derived, scale, shift }: TreeWriting,
): string {
  const start = trees.treeStarts[tree];
  const end = trees.treeStarts[tree + 1];
  const leafValue = (node: number): number => scale * trees.value[node] + shift;
  if (end - start === 1) return constantTree(leafValue(start));
  const numbers = numbersOf(trees, start, end);
  const numberOf = (node: number): number => numbers[node - start];
  const inner: Inner = { feature: [], gain: [], threshold: [], decision: [], left: [], right: [] };
  const covers: number[] = [];
  const leaves: number[] = [];
  const leafCovers: number[] = [];
  const boundaries = [0];
  const words: number[] = [];
  for (let node = start; node < end; node++) {
    const feature = trees.feature[node];
    if (feature < 0) {
      leaves.push(leafValue(node));
      leafCovers.push(trees.cover[node]);
      continue;
    }
    const column = derived.get(feature);
    const at = place.get(column?.feature ?? feature) ?? 0;
    const { bins, categories } = codes[at];
    let [left, right] = [numberOf(trees.left[node]), numberOf(trees.right[node])];
    inner.feature.push(at);
    inner.gain.push(trees.gain[node]);
    covers.push(trees.cover[node]);
    const table = column && !hasEdges(column) ? column : null;
    if (table !== null || trees.isCategorical[node] === 1) {
      const set = table
        ? derivedSet(trees.splitBin[node], table)
        : codeSet(trees, node, bins, categories);
      if (set.swapped) [left, right] = [right, left];
      inner.threshold.push(boundaries.length - 1);
      inner.decision.push(CATEGORICAL | MISSING_IS_NAN);
      words.push(...set.words);
      boundaries.push(words.length);
    } else {
      const split = trees.splitBin[node];
      const { edges } = column && hasEdges(column) ? column : bins;
      inner.threshold.push(split < edges.length ? edges[split] : ALL);
      inner.decision.push(MISSING_IS_NAN | (trees.missingLeft[node] === 1 ? MISSING_LEFT : 0));
    }
    inner.left.push(left);
    inner.right.push(right);
  }
  const cats = boundaries.length - 1;
  const lines: [string, readonly number[]][] = [
    ["split_feature", inner.feature],
    ["split_gain", inner.gain],
    ["threshold", inner.threshold],
    ["decision_type", inner.decision],
    ["left_child", inner.left],
    ["right_child", inner.right],
    ["leaf_value", leaves],
    ["leaf_weight", leafCovers],
    ["leaf_count", leafCovers.map(Math.round)],
    ["internal_value", covers.map(() => 0)],
    ["internal_weight", covers],
    ["internal_count", covers.map(Math.round)],
    ...(cats === 0
      ? []
      : ([
          ["cat_boundaries", boundaries],
          ["cat_threshold", words],
        ] satisfies [string, number[]][])),
  ];
  return [
    `num_leaves=${leaves.length}`,
    `num_cat=${cats}`,
    ...lines.map(([name, values]) => `${name}=${values.join(" ")}`),
    "is_linear=0",
    "shrinkage=1",
    "",
  ].join("\n");
}

interface Inner {
  readonly feature: number[];
  readonly gain: number[];
  readonly threshold: number[];
  readonly decision: number[];
  readonly left: number[];
  readonly right: number[];
}

/** Inner nodes from 0 on, leaves from -1 down, each in the order of the nodes. */
function numbersOf(trees: TreeEnsemble, start: number, end: number): number[] {
  let inner = 0;
  let leaf = 0;
  const numbers: number[] = [];
  for (let node = start; node < end; node++) {
    numbers.push(trees.feature[node] < 0 ? -++leaf : inner++);
  }
  return numbers;
}

interface CodeSet {
  readonly words: readonly number[];
  readonly swapped: boolean;
}

/** The codes that go left, of so many. */
function setOf(count: number, isLeft: (code: number) => boolean): readonly number[] {
  const words = new Uint32Array(Math.max(1, Math.ceil(count / 32)));
  for (let code = 0; code < count; code++) {
    if (isLeft(code)) words[code >> 5] |= 1 << (code & 31);
  }
  return [...words];
}

/** Those of a cut of a table, with the sides as in `codeSet`. */
function derivedSet(split: number, { table }: TableColumn): CodeSet {
  const missing = table.length - 1;
  const swapped = table[missing] <= split;
  return { words: setOf(missing, (code) => table[code] <= split !== swapped), swapped };
}

/**
 * The codes that go left. Missing cells, and codes that no set has, always go right; where they should go
 * left, the sides are swapped and the set is that of the others.
 */
function codeSet(
  trees: TreeEnsemble,
  node: number,
  { valueBins }: FeatureBins,
  categories: number,
): CodeSet {
  const from = trees.splitBin[node] * WORDS;
  const isLeft = (bin: number): boolean =>
    ((trees.categorySets[from + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
  const swapped = isLeft(valueBins);
  // Where rare categories share a bin, unknown ones are of it: they have the code after the last.
  const count = categories > valueBins ? categories + 1 : categories;
  const sideOf = (code: number): boolean => isLeft(Math.min(code, valueBins - 1)) !== swapped;
  return { words: setOf(count, sideOf), swapped };
}
