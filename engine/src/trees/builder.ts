/** Collects grown trees into one `TreeEnsemble`, in arrays that double when they are full. */

import type { TreeEnsemble } from "./ensemble.ts";
import type { TreeGrower } from "./grower.ts";

type Growable = Int32Array | Uint32Array | Uint8Array | Float64Array;

function withRoom<T extends Growable>(array: T, used: number, wanted: number): T {
  if (wanted <= array.length) return array;
  const Constructor = array.constructor as new (length: number) => T;
  const larger = new Constructor(Math.max(wanted, 2 * array.length));
  larger.set(array.subarray(0, used));
  return larger;
}

export class EnsembleBuilder {
  readonly #width: number;
  readonly #starts: number[] = [0];
  readonly #setStarts: number[] = [0];
  readonly #outputs: number[] = [];
  #feature = new Int32Array(1024);
  #splitBin = new Int32Array(1024);
  #isCategorical = new Uint8Array(1024);
  #missingLeft = new Uint8Array(1024);
  #left = new Int32Array(1024);
  #right = new Int32Array(1024);
  #value: Float64Array;
  #cover = new Float64Array(1024);
  #gain = new Float64Array(1024);
  #sets = new Uint32Array(64);

  constructor(valuesPerNode = 1) {
    this.#width = valuesPerNode;
    this.#value = new Float64Array(1024 * valuesPerNode);
  }

  get trees(): number {
    return this.#outputs.length;
  }

  /**
   * Adds the grower's last tree.
   *
   * @param values nodes × valuesPerNode; where it is left out, the values that `finish` set
   */
  append(grower: TreeGrower, nodes: number, output = 0, values?: Float64Array): void {
    const base = this.#starts[this.#starts.length - 1];
    const total = base + nodes;
    const tree = grower.tree;
    const width = this.#width;
    this.#feature = withRoom(this.#feature, base, total);
    this.#splitBin = withRoom(this.#splitBin, base, total);
    this.#isCategorical = withRoom(this.#isCategorical, base, total);
    this.#missingLeft = withRoom(this.#missingLeft, base, total);
    this.#left = withRoom(this.#left, base, total);
    this.#right = withRoom(this.#right, base, total);
    this.#value = withRoom(this.#value, base * width, total * width);
    this.#cover = withRoom(this.#cover, base, total);
    this.#gain = withRoom(this.#gain, base, total);
    const setBase = this.#setStarts[this.#setStarts.length - 1];
    const setTotal = setBase + grower.setCount;
    this.#sets = withRoom(this.#sets, setBase * 8, setTotal * 8);
    for (let i = 0; i < nodes; i++) {
      const at = base + i;
      const feature = tree.feature[i];
      this.#feature[at] = feature;
      this.#isCategorical[at] = tree.isCategorical[i];
      this.#splitBin[at] = tree.splitBin[i] + (tree.isCategorical[i] === 1 ? setBase : 0);
      this.#missingLeft[at] = tree.missingLeft[i];
      this.#left[at] = feature < 0 ? -1 : tree.left[i] + base;
      this.#right[at] = feature < 0 ? -1 : tree.right[i] + base;
      this.#cover[at] = tree.cover[i];
      this.#gain[at] = tree.gain[i];
    }
    this.#value.set(values ?? tree.value.subarray(0, nodes), base * width);
    this.#sets.set(tree.sets.subarray(0, grower.setCount * 8), setBase * 8);
    this.#starts.push(total);
    this.#setStarts.push(setTotal);
    this.#outputs.push(output);
  }

  /** The first `trees` trees (all, if left out) as an ensemble of exact length. */
  build(trees = this.trees): TreeEnsemble {
    const nodes = this.#starts[trees];
    return {
      valuesPerNode: this.#width,
      treeStarts: Int32Array.from(this.#starts.slice(0, trees + 1)),
      treeOutput: Int32Array.from(this.#outputs.slice(0, trees)),
      feature: this.#feature.slice(0, nodes),
      splitBin: this.#splitBin.slice(0, nodes),
      isCategorical: this.#isCategorical.slice(0, nodes),
      missingLeft: this.#missingLeft.slice(0, nodes),
      left: this.#left.slice(0, nodes),
      right: this.#right.slice(0, nodes),
      value: this.#value.slice(0, nodes * this.#width),
      cover: this.#cover.slice(0, nodes),
      gain: this.#gain.slice(0, nodes),
      categorySets: this.#sets.slice(0, this.#setStarts[trees] * 8),
    };
  }
}
