/**
 * Rounds of boosting whose rows stay on the device: their scores, gradients and leaves. What a fit's side asks for, and
 * what it believes: `families/gbdt/held-rows.ts`. Trees grow on these rows in `tree-program.ts`.
 */

import { BLOCK_ROWS } from "../../kernels/assembly/crew/crew-layout.ts";
import { BAG_WORDS, COUNT_DRAWN, PLACE_DRAWN, WRITE_DRAWN } from "../../shaders/bag.ts";
import {
  DRAWN_SHAPE_WORDS,
  DRAWN_SUM_WORDS,
  drawnGradientsShader,
} from "../../shaders/drawn-gradients.ts";
import { CHECKED_WORDS, GATHER_CHECKED } from "../../shaders/gather.ts";
import {
  BLOCK_SUM_WORDS,
  GRADIENT_WORDS,
  gradientsShader,
  logSumsShader,
  QUANTISE,
  QUANTISE_WORDS,
} from "../../shaders/gradients.ts";
import { THREADS } from "../../shaders/histogram.ts";
import {
  ADD_VALUES,
  ADD_WORDS,
  LEAF_ROWS,
  LEAVES_WORDS,
  leavesShader,
  MOST_OWN_LEAVES,
} from "../../shaders/leaf-sums.ts";
import { BLOCK_ROWS as PARTED_ROWS } from "../../shaders/partition.ts";
import {
  ADD_LEAVES,
  DRAWN_BYTES,
  GRADIENTS,
  LEAF_SUMS,
  LOSSES,
  leafSumBytes,
} from "./boosting-requests.ts";
import { DeviceError } from "./device-error.ts";
import type { Scene } from "./program.ts";
import type { Kernel, Region, Step } from "./steps.ts";
import type { TakenBuffers } from "./taken-buffers.ts";

/** Of the session that trees grow in. */
export interface TreeBuffers {
  readonly dataRows: number;
  /** Words of a row's bins. */
  readonly stride: number;
  readonly bins: Region;
  readonly packed: Region;
  /** The rows of a tree as they are given: of a bag, those that were drawn. */
  readonly source: GPUBuffer;
}

/** Steps, and what they leave to be read back. */
export interface Asked {
  readonly steps: readonly Step[];
  /** 0: nothing, and they may go with the next ones. */
  readonly bytes: number;
}

const UNIFORMS = {
  ...{ gradients: GRADIENT_WORDS, quantise: QUANTISE_WORDS, leaves: LEAVES_WORDS },
  ...{ add: ADD_WORDS, checked: 4, bag: BAG_WORDS, drawn: DRAWN_SHAPE_WORDS },
} as const;
type UniformName = keyof typeof UNIFORMS;

/** What lies there beside the trees' own. */
type StoredName =
  | ("targets" | "weights" | "list" | "scores" | "gradients" | "blockSums" | "logSums")
  | ("leafOf" | "nodes" | "sets" | "leafSums" | "values" | "checked" | "checkedOut")
  | ("counts" | "bagHead" | "drawn" | "drawnSums");
type Stored = Readonly<Record<StoredName, GPUBuffer>>;

export class BoostingRows {
  readonly readback: GPUBuffer;
  readonly list: GPUBuffer;
  readonly count: number;
  readonly #scene: Scene;
  readonly #trees: TreeBuffers;
  readonly #stored: Stored;
  readonly #uniforms: Readonly<Record<UniformName, GPUBuffer>>;
  readonly #sizes: BoostingSizes;
  readonly #kernels = new Map<string, Kernel>();
  /** Threshold and key of the bag that was drawn last. */
  #draw: readonly number[] = ALL;

  private constructor(
    scene: Scene,
    trees: TreeBuffers,
    sizes: BoostingSizes,
    readback: GPUBuffer,
    stored: Stored,
    uniforms: Readonly<Record<UniformName, GPUBuffer>>,
  ) {
    this.#scene = scene;
    this.#trees = trees;
    this.#sizes = sizes;
    this.readback = readback;
    this.#stored = stored;
    this.#uniforms = uniforms;
    this.list = stored.list;
    this.count = sizes.count;
  }

  /**
   * @param values of BEGIN_BOOSTING
   * @param taken what it takes of the device
   * @param leastReadback bytes that are read back of trees
   */
  static async begin(
    scene: Scene,
    taken: TakenBuffers,
    trees: TreeBuffers,
    values: Uint32Array,
    leastReadback: number,
  ): Promise<BoostingRows> {
    const [targets, targetCount, weights, list, count, scores, outputs] = values;
    const [loss, classes, checked, checkedCount, leaves, draws] = values.subarray(7);
    const lossName = LOSSES[loss!];
    if (lossName === undefined) throw new DeviceError(`there is no loss ${loss}`);
    const memory = scene.bytes();
    const { dataRows } = trees;
    const blocks = Math.ceil(count! / BLOCK_ROWS);
    const softmax = lossName.startsWith("softmax");
    const checkedBytes = 4 * CHECKED_WORDS * checkedCount!;
    const stored: Stored = {
      targets: await taken.filled(memory, targets!, 8 * targetCount!),
      weights: await taken.filled(memory, weights!, weights === 0 ? 0 : 8 * dataRows),
      list: await taken.filled(memory, list!, 4 * count!),
      scores: await taken.filled(memory, scores!, 8 * dataRows * outputs!),
      gradients: await taken.take(8 * dataRows),
      blockSums: await taken.take(4 * BLOCK_SUM_WORDS * blocks),
      logSums: await taken.take(softmax ? 8 * dataRows : 0),
      leafOf: await taken.take(4 * count!),
      nodes: await taken.take(16 * (2 * leaves! - 1)),
      sets: await taken.take(32 * leaves!),
      leafSums: await taken.take(leafSumBytes(leaves!)),
      values: await taken.take(8 * leaves!),
      checked: await taken.filled(memory, checked!, 4 * checkedCount!),
      checkedOut: await taken.take(checkedBytes),
      counts: await taken.take(4 * Math.ceil(count! / PARTED_ROWS)),
      bagHead: await taken.take(DRAWN_BYTES),
      drawn: await taken.take(draws === 1 ? 8 * dataRows : 0),
      drawnSums: await taken.take(draws === 1 ? 4 * DRAWN_SUM_WORDS * blocks : 0),
    };
    const uniform = (name: UniformName): Promise<GPUBuffer> =>
      taken.take(4 * UNIFORMS[name], "uniform");
    const uniforms = {
      gradients: await uniform("gradients"),
      quantise: await uniform("quantise"),
      leaves: await uniform("leaves"),
      add: await uniform("add"),
      checked: await uniform("checked"),
      bag: await uniform("bag"),
      drawn: await uniform("drawn"),
    };
    const most = Math.max(
      leastReadback,
      DRAWN_BYTES + 4 * (BLOCK_SUM_WORDS + DRAWN_SUM_WORDS) * blocks + checkedBytes,
      leafSumBytes(leaves!) + checkedBytes,
    );
    const sizes = { loss: lossName, count: count!, classes: classes!, leaves: leaves! };
    return new BoostingRows(
      scene,
      trees,
      { ...sizes, blocks, checked: checkedCount!, isWeighted: weights !== 0, draws: draws === 1 },
      await taken.take(most, "readback"),
      stored,
      uniforms,
    );
  }

  async asked(request: number, values: Uint32Array): Promise<Asked> {
    switch (request) {
      case GRADIENTS:
        return this.#gradients(values);
      case LEAF_SUMS:
        return this.#leafSums(values);
      case ADD_LEAVES:
        return this.#addLeaves(values);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  async #gradients(values: Uint32Array): Promise<Asked> {
    const [output, spread, stamp, isFirst, threshold] = values;
    const { loss, count, blocks, classes, isWeighted } = this.#sizes;
    const { list, scores, targets, weights, gradients, blockSums, logSums, bagHead } = this.#stored;
    const { gradients: shape } = this.#uniforms;
    const softmax = loss.startsWith("softmax");
    const isCompact = this.#scene.device.facts.isSoftware;
    const words = new Uint32Array(GRADIENT_WORDS);
    words.set([count, this.#trees.dataRows, output!, classes, isWeighted ? 1 : 0, stamp!]);
    if (softmax) new Float64Array(words.buffer)[3] = classes / (classes - 1);
    this.#write(shape, words);
    const drawn = isFirst === 1 && threshold! > 0;
    const steps = drawn ? await this.#drawBag(values.subarray(4), stamp!) : [];
    if (softmax && isFirst === 1) {
      const kernel = await this.#kernel("log sums", logSumsShader(isCompact), [
        ...[shape, list, scores, logSums],
      ]);
      steps.push({ kernel, groups: [groupsOf(count)] });
    }
    const bound = [shape, list, scores, targets, weights, gradients, blockSums];
    const kernel = await this.#kernel(
      `gradients ${spread}`,
      gradientsShader(loss, BLOCK_ROWS, { spread: spread === 1, isCompact }),
      softmax ? [...bound, logSums] : bound,
    );
    const bytes = 4 * BLOCK_SUM_WORDS * blocks;
    steps.push(
      { kernel, groups: [blocks] },
      { copy: bagHead, from: 0, to: this.readback, at: 0, bytes: DRAWN_BYTES },
      { copy: blockSums, from: 0, to: this.readback, at: DRAWN_BYTES, bytes },
    );
    const end = DRAWN_BYTES + bytes;
    if (!this.#sizes.draws) return this.#withChecked(steps, end, output!);
    steps.push(...(await this.#drawGradients(values.subarray(7), stamp!, end)));
    return this.#withChecked(steps, end + 4 * DRAWN_SUM_WORDS * blocks, output!);
  }

  /** @param at where their sums are read back */
  async #drawGradients(
    [threshold, low, high]: Uint32Array,
    stamp: number,
    at: number,
  ): Promise<Step[]> {
    const { blocks, count, isWeighted } = this.#sizes;
    const { list, weights, gradients, drawn, drawnSums } = this.#stored;
    const { drawn: shape } = this.#uniforms;
    const flags = [isWeighted ? 1 : 0, stamp, 0, 0];
    this.#write(shape, Uint32Array.of(threshold!, low!, high!, count, ...flags));
    const bound = [shape, list, weights, gradients, drawn, drawnSums];
    const kernel = await this.#kernel("drawn", drawnGradientsShader(BLOCK_ROWS), bound);
    const bytes = 4 * DRAWN_SUM_WORDS * blocks;
    return [
      { kernel, groups: [blocks] },
      { copy: drawnSums, from: 0, to: this.readback, at, bytes },
    ];
  }

  /** Gradients in whole units, before a tree begins. @param scales where the two f64 lie */
  async quantise(scales: number): Promise<Step> {
    const { list, gradients, drawn } = this.#stored;
    const { quantise: shape } = this.#uniforms;
    const words = new Uint32Array(QUANTISE_WORDS);
    words[0] = this.count;
    words.set(new Uint32Array(this.#scene.bytes(), scales, 4), 4);
    this.#write(shape, words);
    const source = this.#sizes.draws ? drawn : gradients;
    const bound = [shape, list, source, this.#trees.packed];
    const kernel = await this.#kernel("quantise", QUANTISE, bound);
    return { kernel, groups: [groupsOf(this.count)] };
  }

  async #leafSums(values: Uint32Array): Promise<Asked> {
    const [records, nodes, sets, setWords, leaves, scales, output, isBag] = values;
    const stored = this.#stored;
    const { leaves: shape } = this.#uniforms;
    const memory = this.#scene.bytes();
    this.#write(stored.nodes, new Uint32Array(memory, records!, 4 * nodes!));
    if (setWords! > 0) this.#write(stored.sets, new Uint32Array(memory, sets!, setWords!));
    const words = new Uint32Array(LEAVES_WORDS);
    const draw = isBag === 1 ? this.#draw : ALL;
    words.set([...draw, this.count, this.#trees.stride, leaves!]);
    words.set(new Uint32Array(memory, scales!, 4), 6);
    this.#write(shape, words);
    const isOwn = this.#sizes.leaves <= MOST_OWN_LEAVES;
    const kernel = await this.#kernel("leaves", leavesShader(isOwn), [
      ...[shape, stored.list, stored.nodes, stored.sets, this.#trees.bins],
      ...[stored.gradients, stored.leafOf, stored.leafSums],
    ]);
    const bytes = leafSumBytes(leaves!);
    const steps: Step[] = [
      { clear: stored.leafSums, bytes },
      { kernel, groups: [Math.min(MOST_GROUPS, Math.ceil(this.count / LEAF_ROWS))] },
      { copy: stored.leafSums, from: 0, to: this.readback, at: 0, bytes },
    ];
    return this.#withChecked(steps, bytes, output!);
  }

  async #addLeaves([values, leaves, output]: Uint32Array): Promise<Asked> {
    const { list, leafOf, values: stored, scores } = this.#stored;
    const { add: shape } = this.#uniforms;
    this.#write(stored, new Uint32Array(this.#scene.bytes(), values!, 2 * leaves!));
    this.#write(shape, Uint32Array.of(this.count, output! * this.#trees.dataRows, 0, 0));
    const kernel = await this.#kernel("add", ADD_VALUES, [shape, list, leafOf, stored, scores]);
    return { steps: [{ kernel, groups: [groupsOf(this.count)] }], bytes: 0 };
  }

  async #drawBag([threshold, low, high]: Uint32Array, stamp: number): Promise<Step[]> {
    this.#draw = [threshold!, low!, high!];
    const { list, counts, bagHead } = this.#stored;
    const { bag: shape } = this.#uniforms;
    const blockRows = Math.max(
      PARTED_ROWS,
      Math.ceil(this.count / MOST_GROUPS / THREADS) * THREADS,
    );
    const blocks = Math.ceil(this.count / blockRows);
    this.#write(shape, Uint32Array.of(...this.#draw, this.count, blockRows, blocks, stamp, 0));
    const count = await this.#kernel("count drawn", COUNT_DRAWN, [shape, list, counts]);
    const place = await this.#kernel("place drawn", PLACE_DRAWN, [shape, counts, bagHead]);
    const write = await this.#kernel("write drawn", WRITE_DRAWN, [
      ...[shape, list, counts, this.#trees.source],
    ]);
    return [
      { kernel: count, groups: [blocks] },
      { kernel: place, groups: [1] },
      { kernel: write, groups: [blocks] },
    ];
  }

  /** And what is checked of some rows, behind what is read back already. */
  async #withChecked(steps: readonly Step[], at: number, output: number): Promise<Asked> {
    const { checked } = this.#sizes;
    const { checked: list, scores, gradients, checkedOut } = this.#stored;
    const { checked: shape } = this.#uniforms;
    this.#write(shape, Uint32Array.of(checked, output * this.#trees.dataRows, 0, 0));
    const bound = [shape, list, scores, gradients, this.#trees.packed, checkedOut];
    const kernel = await this.#kernel("checked", GATHER_CHECKED, bound);
    const bytes = 4 * CHECKED_WORDS * checked;
    const own: Step[] = [
      { kernel, groups: [groupsOf(checked)] },
      { copy: checkedOut, from: 0, to: this.readback, at, bytes },
    ];
    return { steps: [...steps, ...own], bytes: at + bytes };
  }

  #write(buffer: GPUBuffer, words: Uint32Array): void {
    this.#scene.device.write(buffer, 0, words);
  }

  /** A shader with its buffers, which are the same whenever it is asked for by its name. */
  async #kernel(name: string, code: string, regions: readonly Region[]): Promise<Kernel> {
    const known = this.#kernels.get(name);
    if (known !== undefined) return known;
    const kernel = await this.#scene.device.kernel(code, regions);
    this.#kernels.set(name, kernel);
    return kernel;
  }
}

interface BoostingSizes {
  readonly loss: (typeof LOSSES)[number];
  /** Rows that are learned from. */
  readonly count: number;
  readonly blocks: number;
  readonly classes: number;
  /** Of a tree at most. */
  readonly leaves: number;
  readonly checked: number;
  readonly isWeighted: boolean;
  /** Trees' structures are chosen by gradients that are drawn. */
  readonly draws: boolean;
}

/** The bag that all rows are in: its threshold is above all 16 bits. */
const ALL: readonly number[] = [2 ** 16, 0, 0];

/** Of one dimension. */
const MOST_GROUPS = 65_535;

/** Workgroups for so many rows; of more each thread takes several. */
const groupsOf = (rows: number): number => Math.min(MOST_GROUPS, Math.ceil(rows / THREADS));
