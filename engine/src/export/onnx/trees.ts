/**
 * Trees as one `TreeEnsembleRegressor`, whose answers are exact although it gives single precision.
 *
 * It compares doubles with the bins' own edges, so a row takes the branches that its bins would: a
 * number is in a bin up to the split's where it is ≤ that bin's edge. It adds up in double and rounds
 * the sums to single, in which labels near a threshold would tip; so each leaf's value is
 * cut into whole numbers so small that their sums over all trees stay below 2²⁴, which single
 * precision holds exactly, and the sums of these are put together again in double.
 *
 * Sets of categories become chains of comparisons of the category's bin, one for each end of a run of
 * bins on one side. Their branches share nodes: a true branch may lead where another does.
 */

import type { FeatureBins } from "../../data/encoded.ts";
import type { TreesFormula } from "../../families/formula.ts";
import { withDerivedBins } from "../../trees/derived-columns.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import type { FeatureNodes } from "./encoding.ts";
import { type Graph, ML, type Value } from "./graph.ts";

const LEAF = "LEAF";
const AT_MOST = "BRANCH_LEQ";
/** Bits of single precision's whole numbers. */
const EXACT_BITS = 24;
/** That a value keeps below the largest one's highest, at least. */
const KEPT_BITS = 45;
const WORDS = 8;

/** The node arrays of the operator. */
class NodeList {
  readonly trees: number[] = [];
  readonly ids: number[] = [];
  readonly features: number[] = [];
  readonly thresholds: number[] = [];
  readonly modes: string[] = [];
  readonly whenTrue: number[] = [];
  readonly whenFalse: number[] = [];
  readonly missingTrue: number[] = [];

  add(tree: number, id: number, mode: string): number {
    this.trees.push(tree);
    this.features.push(0);
    this.thresholds.push(0);
    this.modes.push(mode);
    this.whenTrue.push(0);
    this.whenFalse.push(0);
    this.missingTrue.push(0);
    return this.ids.push(id) - 1;
  }
}

/** @returns sums of the trees' values, rows × outputs, doubles */
export function treeSums(
  graph: Graph,
  features: FeatureNodes,
  { trees, derived = [] }: TreesFormula,
  outputs: number,
  encoder: { readonly bins: readonly FeatureBins[]; readonly index: number },
): Value {
  const { index } = encoder;
  const own = encoder.bins.length;
  const bins = withDerivedBins(encoder.bins, derived);
  const used = [...new Set(trees.feature.filter((feature) => feature >= 0))].sort((a, b) => a - b);
  // Trees that are one leaf each read no feature, but the operator has to have one.
  if (used.length === 0) used.push(0);
  const place = new Map(used.map((feature, at) => [feature, at]));
  const columns = used.map((feature) =>
    feature < own
      ? features.compared(feature, bins[feature], index)
      : features.derived(derived[feature - own]),
  );
  const digits = digitsOf(trees, outputs);
  const nodes = new NodeList();
  const leaves = new LeafList(digits, outputs);
  for (let tree = 0; tree + 1 < trees.treeStarts.length; tree++) {
    addTree(trees, tree, { nodes, leaves, place, bins });
  }
  const sums = graph.node(
    "TreeEnsembleRegressor",
    [columns.length === 1 ? columns[0] : graph.node("Concat", columns, { axis: { int: 1 } })],
    {
      n_targets: { int: outputs * digits.count },
      aggregate_function: { text: "SUM" },
      post_transform: { text: "NONE" },
      nodes_treeids: { ints: nodes.trees },
      nodes_nodeids: { ints: nodes.ids },
      nodes_featureids: { ints: nodes.features },
      nodes_values_as_tensor: { doubles: Float64Array.from(nodes.thresholds) },
      nodes_modes: { texts: nodes.modes },
      nodes_truenodeids: { ints: nodes.whenTrue },
      nodes_falsenodeids: { ints: nodes.whenFalse },
      nodes_missing_value_tracks_true: { ints: nodes.missingTrue },
      target_treeids: { ints: leaves.trees },
      target_nodeids: { ints: leaves.nodes },
      target_ids: { ints: leaves.targets },
      target_weights_as_tensor: { doubles: Float64Array.from(leaves.weights) },
    },
    ML,
  );
  const scales = new Float64Array(outputs * digits.count * outputs);
  for (let k = 0; k < outputs; k++) {
    for (let d = 0; d < digits.count; d++) {
      scales[(k * digits.count + d) * outputs + k] = digits.scale(d);
    }
  }
  return graph.node("MatMul", [
    graph.node("Cast", [sums], { to: { int: 11 } }),
    graph.doubles(scales, [outputs * digits.count, outputs]),
  ]);
}

interface Writing {
  readonly nodes: NodeList;
  readonly leaves: LeafList;
  readonly place: ReadonlyMap<number, number>;
  readonly bins: readonly FeatureBins[];
}

function addTree(trees: TreeEnsemble, tree: number, { nodes, leaves, place, bins }: Writing): void {
  const start = trees.treeStarts[tree];
  const end = trees.treeStarts[tree + 1];
  const ids = new Map<number, number>();
  const chains = new Map<number, Side[]>();
  // Numbers first, since a branch may lead ahead: a chain takes as many as it has comparisons.
  let next = 0;
  for (let node = start; node < end; node++) {
    ids.set(node, next);
    const chain = trees.isCategorical[node] === 1 ? chainOf(trees, node, bins) : null;
    if (chain !== null) chains.set(node, chain);
    next += Math.max(1, chain === null ? 1 : chain.length - 1);
  }
  const idOf = (node: number): number => ids.get(node) ?? 0;
  for (let node = start; node < end; node++) {
    const feature = trees.feature[node];
    if (feature < 0) {
      nodes.add(tree, idOf(node), LEAF);
      leaves.add(trees, tree, node, idOf(node));
      continue;
    }
    const [left, right] = [idOf(trees.left[node]), idOf(trees.right[node])];
    const compare = (
      step: number,
      threshold: number,
      whenTrue: number,
      whenFalse: number,
    ): number => {
      const at = nodes.add(tree, idOf(node) + step, AT_MOST);
      nodes.features[at] = place.get(feature) ?? 0;
      nodes.thresholds[at] = threshold;
      nodes.whenTrue[at] = whenTrue;
      nodes.whenFalse[at] = whenFalse;
      return at;
    };
    const chain = chains.get(node);
    if (chain === undefined) {
      const { edges } = bins[feature];
      const split = trees.splitBin[node];
      const at = compare(0, split < edges.length ? edges[split] : Infinity, left, right);
      nodes.missingTrue[at] = trees.missingLeft[node];
      continue;
    }
    const sideOf = ({ goesLeft }: Side): number => (goesLeft ? left : right);
    if (chain.length === 1) {
      // All bins go one way: two branches to the same side would be a node less, but not a tree.
      compare(0, Infinity, chain[0].goesLeft ? left : right, chain[0].goesLeft ? right : left);
      continue;
    }
    for (let step = 0; step + 1 < chain.length; step++) {
      const last = step + 2 === chain.length;
      const otherwise = last ? sideOf(chain[step + 1]) : idOf(node) + step + 1;
      compare(step, chain[step].upTo + 0.5, sideOf(chain[step]), otherwise);
    }
  }
}

/** Neighbouring bins that take the same branch. */
interface Side {
  upTo: number;
  readonly goesLeft: boolean;
}

/** Over all bins of the feature, that of missing cells the last. */
function chainOf(trees: TreeEnsemble, node: number, bins: readonly FeatureBins[]): Side[] {
  const from = trees.splitBin[node] * WORDS;
  const sides: Side[] = [];
  for (let bin = 0; bin <= bins[trees.feature[node]].valueBins; bin++) {
    const goesLeft = ((trees.categorySets[from + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
    const last = sides.at(-1);
    if (last?.goesLeft === goesLeft) last.upTo = bin;
    else sides.push({ upTo: bin, goesLeft });
  }
  return sides;
}

/** How values are cut: digits of `bits` bits each, below 2^`exponent`. */
interface Digits {
  readonly count: number;
  readonly bits: number;
  readonly exponent: number;
  scale(digit: number): number;
}

function digitsOf({ value, treeOutput, valuesPerNode }: TreeEnsemble, outputs: number): Digits {
  const most = value.reduce((largest, one) => Math.max(largest, Math.abs(one)), 0);
  const exponent = most === 0 ? 0 : Math.floor(Math.log2(most)) + 1;
  const added = new Array<number>(outputs).fill(0);
  for (const output of treeOutput) added[output]++;
  const summands = valuesPerNode === 1 ? Math.max(...added) : treeOutput.length;
  const bits = EXACT_BITS - Math.ceil(Math.log2(Math.max(2, summands)));
  return {
    count: Math.ceil(KEPT_BITS / bits),
    bits,
    exponent,
    scale: (digit) => 2 ** (exponent - bits * (digit + 1)),
  };
}

class LeafList {
  readonly trees: number[] = [];
  readonly nodes: number[] = [];
  readonly targets: number[] = [];
  readonly weights: number[] = [];
  readonly #digits: Digits;
  readonly #outputs: number;

  constructor(digits: Digits, outputs: number) {
    this.#digits = digits;
    this.#outputs = outputs;
  }

  add(trees: TreeEnsemble, tree: number, node: number, id: number): void {
    const before = this.trees.length;
    const { valuesPerNode: width } = trees;
    for (let k = 0; k < width; k++) {
      const output = width === 1 ? trees.treeOutput[tree] : k;
      this.#addValue(trees.value[node * width + k], output, tree, id);
    }
    // A leaf without any number would not be one.
    if (this.trees.length === before) this.#push(tree, id, 0, 0);
  }

  #addValue(value: number, output: number, tree: number, id: number): void {
    const { count, scale } = this.#digits;
    let rest = value;
    for (let d = 0; d < count; d++) {
      const quotient = rest / scale(d);
      const digit = d + 1 < count ? Math.trunc(quotient) : Math.round(quotient);
      if (digit === 0) continue;
      rest -= digit * scale(d);
      this.#push(tree, id, output * count + d, digit);
    }
  }

  #push(tree: number, id: number, target: number, weight: number): void {
    if (target >= this.#outputs * this.#digits.count)
      throw new Error(`There is no output ${target}.`);
    this.trees.push(tree);
    this.nodes.push(id);
    this.targets.push(target);
    this.weights.push(weight);
  }
}
