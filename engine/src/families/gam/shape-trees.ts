/** Shape functions as trees: a leaf a cell, so that whatever reads trees reads them. */

import type { FeatureBins } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import type { Shape } from "./shapes.ts";

/** Words of a category set. */
const WORDS = 8;

/** Nodes in preorder. */
class Nodes {
  readonly feature: number[] = [];
  readonly splitBin: number[] = [];
  readonly isCategorical: number[] = [];
  readonly missingLeft: number[] = [];
  readonly left: number[] = [];
  readonly right: number[] = [];
  readonly value: number[] = [];
  readonly cover: number[] = [];
  readonly sets: number[] = [];

  /** Grows what is below a node. */
  under(node: number, left: () => void, right: () => void): void {
    this.left[node] = this.feature.length;
    left();
    this.right[node] = this.feature.length;
    right();
    this.cover[node] = this.cover[this.left[node]] + this.cover[this.right[node]];
  }

  add(feature: number, value: number, cover: number): number {
    this.splitBin.push(0);
    this.isCategorical.push(0);
    this.missingLeft.push(0);
    this.left.push(-1);
    this.right.push(-1);
    this.value.push(value);
    this.cover.push(cover);
    return this.feature.push(feature) - 1;
  }
}

/** Bins of one feature that have a branch to themselves, those of numbers in their order. */
type Line = readonly number[];

/** @returns a tree a shape and output; covers are the weights of the learned rows */
export function shapeTrees(
  shapes: readonly Shape[],
  bins: readonly FeatureBins[],
  outputs: number,
): TreeEnsemble {
  const nodes = new Nodes();
  const treeStarts = [0];
  const treeOutput: number[] = [];
  for (const shape of shapes) {
    for (let output = 0; output < outputs; output++) {
      if (shape.lines.length === 0) growMain(nodes, shape, bins, output, outputs);
      else growPair(nodes, shape, bins, output, outputs);
      treeStarts.push(nodes.feature.length);
      treeOutput.push(output);
    }
  }
  return {
    valuesPerNode: 1,
    treeStarts: Int32Array.from(treeStarts),
    treeOutput: Int32Array.from(treeOutput),
    feature: Int32Array.from(nodes.feature),
    splitBin: Int32Array.from(nodes.splitBin),
    isCategorical: Uint8Array.from(nodes.isCategorical),
    missingLeft: Uint8Array.from(nodes.missingLeft),
    left: Int32Array.from(nodes.left),
    right: Int32Array.from(nodes.right),
    value: Float64Array.from(nodes.value),
    cover: Float64Array.from(nodes.cover),
    gain: new Float64Array(nodes.feature.length),
    categorySets: Uint32Array.from(nodes.sets),
  };
}

function growMain(
  nodes: Nodes,
  { features: [feature], values, covers, height }: Shape,
  bins: readonly FeatureBins[],
  output: number,
  outputs: number,
): void {
  const valueAt = (bin: number): number => values[bin * outputs + output];
  const known = Array.from({ length: height - 1 }, (_, bin) => bin);
  if (bins[feature].kind === "categorical") known.sort((a, b) => valueAt(a) - valueAt(b) || a - b);
  const lines: number[][] = [];
  for (const bin of known) {
    const last = lines.at(-1);
    if (last && valueAt(last[0]) === valueAt(bin)) last.push(bin);
    else lines.push([bin]);
  }
  lines.push([height - 1]);
  const leaf = (line: Line): void => {
    const cover = line.reduce((sum, bin) => sum + covers[bin], 0);
    nodes.add(-1, valueAt(line[0]), cover);
  };
  branch(nodes, { feature, bins: bins[feature], lines }, leaf);
}

function growPair(
  nodes: Nodes,
  { features, lines, values, covers, height, width }: Shape,
  bins: readonly FeatureBins[],
  output: number,
  outputs: number,
): void {
  const linesOf = (side: number, count: number): number[][] => {
    const own: number[][] = Array.from({ length: count }, () => []);
    for (const [bin, line] of lines[side].entries()) own[line].push(bin);
    return own;
  };
  const [down, across] = [linesOf(0, height), linesOf(1, width)];
  const [first, second] = features;
  branch(nodes, { feature: first, bins: bins[first], lines: down }, (_, row) => {
    branch(nodes, { feature: second, bins: bins[second], lines: across }, (_, column) => {
      const cell = row * width + column;
      nodes.add(-1, values[cell * outputs + output], covers[cell]);
    });
  });
}

interface Branching {
  readonly feature: number;
  readonly bins: FeatureBins;
  /** The last is of the missing bin alone. */
  readonly lines: readonly Line[];
}

/** Adds what is below a line. */
type Grow = (line: Line, place: number) => void;

/** Splits by halves. */
function branch(nodes: Nodes, branching: Branching, grow: Grow): void {
  if (branching.bins.kind === "categorical") branchCategories(nodes, branching, grow);
  else branchNumbers(nodes, branching, grow);
}

function branchCategories(nodes: Nodes, { feature, lines }: Branching, grow: Grow): void {
  const between = (from: number, to: number): void => {
    if (to - from === 1) {
      grow(lines[from], from);
      return;
    }
    const middle = to === lines.length ? to - 1 : (from + to) >> 1;
    const node = nodes.add(feature, 0, 0);
    nodes.isCategorical[node] = 1;
    nodes.splitBin[node] = nodes.sets.length / WORDS;
    const words = new Uint32Array(WORDS);
    for (const bin of lines.slice(from, middle).flat()) words[bin >> 5] |= 1 << (bin & 31);
    nodes.sets.push(...words);
    nodes.under(
      node,
      () => between(from, middle),
      () => between(middle, to),
    );
  };
  between(0, lines.length);
}

/** Missing values go with the lowest numbers, and are told from them last. */
function branchNumbers(nodes: Nodes, { feature, lines }: Branching, grow: Grow): void {
  const missing = lines.length - 1;
  const known = numberedLines(lines.slice(0, missing));
  const split = (middle: number): number => {
    const node = nodes.add(feature, 0, 0);
    nodes.splitBin[node] = Math.max(...known[middle - 1].line);
    return node;
  };
  const between = (from: number, to: number): void => {
    const { line, place } = known[from];
    if (to - from > 1) {
      const middle = (from + to) >> 1;
      const node = split(middle);
      nodes.missingLeft[node] = from === 0 ? 1 : 0;
      nodes.under(
        node,
        () => between(from, middle),
        () => between(middle, to),
      );
    } else if (from > 0) {
      grow(line, place);
    } else {
      nodes.under(
        split(to),
        () => grow(line, place),
        () => grow(lines[missing], missing),
      );
    }
  };
  between(0, known.length);
}

/**
 * With their places; two at least where there are bins for it: a tree that tells missing values from all numbers by a
 * bound above these could not be said in formats whose bounds are finite, for infinity is above it too.
 */
function numberedLines(lines: readonly Line[]): { line: Line; place: number }[] {
  if (lines.length === 1 && lines[0].length > 1) {
    const [line] = lines;
    return [
      { line: line.slice(0, 1), place: 0 },
      { line: line.slice(1), place: 0 },
    ];
  }
  return lines.map((line, place) => ({ line, place }));
}
