/**
 * Growing trees on a device: the rows of large nodes lie there, are partitioned there, and their histograms
 * are summed there. Splits are searched by the CPU's kernels, in f64. See `trees/tree-device.ts` for the
 * fit's side.
 */

import { GATHER_ENDS } from "../../shaders/gather.ts";
import { GROWTH_WORDS } from "../../shaders/growth/layout.ts";
import {
  featuresOfGroup,
  histogramShader,
  NO_FEATURE,
  THREADS,
  unitsOf,
} from "../../shaders/histogram.ts";
import {
  BLOCK_ROWS,
  COUNT_LEFT,
  PLACE_BLOCKS,
  REQUEST_WORDS,
  SCATTER,
} from "../../shaders/partition.ts";
import { BoostingRows } from "./boosting-program.ts";
import { BEGIN_BOOSTING } from "./boosting-requests.ts";
import { DeviceError } from "./device-error.ts";
import { TreeGrowth } from "./growth-program.ts";
import { groupsOf, type Program, type Scene, type Session } from "./program.ts";
import { TakenBuffers } from "./taken-buffers.ts";
import {
  AT_HOME,
  BAG_HELD,
  BATCH_WORDS,
  BEGIN_FIT,
  BEGIN_TREE,
  GROW_TREE,
  HEAD_WORDS,
  histogramBytesOf,
  LIST_BYTES,
  mostSplits,
  NODE_HISTOGRAM,
  NODE_ROWS,
  SPLIT_BLOCKS,
  SPLIT_COUNT,
  SPLIT_FIRST_BLOCK,
  SPLIT_NODES,
  SPLIT_WANTS,
  SPLIT_WORDS,
  TREE_REQUESTS_END,
} from "./tree-requests.ts";
import type { Kernel, Step } from "./work-queue.ts";

export const treeProgram: Program = {
  from: BEGIN_FIT,
  end: TREE_REQUESTS_END,
  open: (scene) => new Trees(scene),
};

/** What lies on the device for one fit. */
interface Held {
  readonly dataRows: number;
  /** Words of a row's bins. */
  readonly stride: number;
  readonly bins: GPUBuffer;
  readonly packed: GPUBuffer;
  /** Most rows of a tree. */
  readonly capacity: number;
  /** The rows of the tree as they were given, and as they are partitioned: twice. */
  readonly source: GPUBuffer;
  readonly rows: GPUBuffer;
  /** Of nodes that are split: their words, what the answer begins with. */
  readonly nodes: GPUBuffer;
  readonly heads: GPUBuffer;
  readonly request: GPUBuffer;
  readonly ranges: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly groups: GPUBuffer;
  readonly shape: GPUBuffer;
  readonly sums: GPUBuffer;
  readonly readback: GPUBuffer;
  readonly histogram: Kernel;
  readonly countLeft: Kernel;
  readonly placeBlocks: Kernel;
  readonly scatter: Kernel;
}

/** Rows that go home with a split, and their gradients. */
interface Ends {
  readonly shape: GPUBuffer;
  readonly gathered: GPUBuffer;
  readonly kernel: Kernel;
}

/** The features that a tree may use, ascending, and the first entries of the data's, up to the last of them. */
interface ListedFeatures {
  readonly list: Uint32Array;
  readonly offsets: Uint32Array;
}

/** Blocks of so many nodes at most, which have so many rows together. */
const mostBlocksOf = (nodes: number, rows: number): number => nodes + Math.ceil(rows / BLOCK_ROWS);

class Trees implements Session {
  readonly #scene: Scene;
  readonly #taken: TakenBuffers;
  #held: Held | null = null;
  /** Of boosting whose rows stay here; null where a tree's gradients come with it. */
  #boosting: BoostingRows | null = null;
  /** Of the tree: whether its gradients are here alone. */
  #isHeld = false;
  #ends: Ends | null = null;
  /** Of a tree's begin: they go with its first work, since nobody waits for them alone. */
  #begin: Step[] = [];
  #groupCount = 0;
  #entries = 0;
  /** The listed ones, with their first entries. */
  #features: readonly { readonly feature: number; readonly first: number }[] = [];
  #growth: TreeGrowth | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#taken = new TakenBuffers(scene);
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_FIT:
        return this.#beginFit(values);
      case BEGIN_TREE:
        return this.#beginTree(values);
      case NODE_HISTOGRAM:
        return this.#histogram(values, answer);
      case SPLIT_NODES:
        return this.#split(values, answer);
      case NODE_ROWS:
        return this.#rows(values, answer);
      case GROW_TREE:
        return this.#grow(values, answer);
      case BEGIN_BOOSTING:
        return this.#beginBoosting(values);
      default:
        return this.#boost(request, values, answer);
    }
  }

  close(): void {
    this.#taken.release();
    this.#held = null;
    this.#boosting = null;
    this.#ends = null;
    this.#growth = null;
    this.#begin = [];
  }

  async #beginFit([rowMajor, rowStride, dataRows, capacity, stays]: Uint32Array): Promise<void> {
    this.close();
    const { device } = this.#scene;
    const bytes = rowStride! * dataRows!;
    let bins: GPUBuffer;
    if (stays === 1) bins = await this.#scene.resident(rowMajor!, bytes);
    else {
      bins = await this.#taken.take(bytes);
      device.write(bins, 0, new Uint8Array(this.#scene.bytes(), rowMajor!, bytes));
    }
    const rowBytes = 4 * capacity!;
    const most = mostSplits(rowStride!);
    const sumBytes = most * histogramBytesOf(rowStride!);
    const mostBlocks = mostBlocksOf(most, capacity!);
    const packed = await this.#taken.take(8 * dataRows!);
    const source = await this.#taken.take(rowBytes);
    const rows = await this.#taken.take(2 * rowBytes);
    const nodes = await this.#taken.take(4 * BATCH_WORDS + LIST_BYTES);
    const counts = await this.#taken.take(4 * mostBlocks);
    const heads = await this.#taken.take(4 * HEAD_WORDS * most);
    const ranges = await this.#taken.take(8 * (1 + most));
    const slots = await this.#taken.take(4 * rowStride!);
    const groups = await this.#taken.take(4 * rowStride!);
    const shape = await this.#taken.take(16, "uniform");
    const request = await this.#taken.take(4 * REQUEST_WORDS, "uniform");
    const sums = await this.#taken.take(sumBytes);
    const readback = await this.#taken.take(
      4 * HEAD_WORDS * most + sumBytes + 2 * rowBytes,
      "readback",
    );
    const features = featuresOfGroup(device.limits.maxComputeWorkgroupStorageSize);
    this.#held = {
      dataRows: dataRows!,
      stride: rowStride! / 4,
      bins,
      packed,
      capacity: capacity!,
      source,
      rows,
      nodes,
      heads,
      request,
      ranges,
      slots,
      groups,
      shape,
      sums,
      readback,
      histogram: await device.kernel(histogramShader(features), [
        shape,
        bins,
        packed,
        rows,
        slots,
        groups,
        ranges,
        sums,
      ]),
      countLeft: await device.kernel(COUNT_LEFT, [request, nodes, bins, rows, counts]),
      placeBlocks: await device.kernel(PLACE_BLOCKS, [request, nodes, counts, heads, ranges]),
      scatter: await device.kernel(SCATTER, [request, nodes, bins, rows, counts, heads, sums]),
    };
  }

  async #beginBoosting(values: Uint32Array): Promise<void> {
    const held = this.#fit();
    // Rows that go home have their gradients with them.
    const leastReadback = held.readback.size + 4 * held.source.size;
    this.#boosting = await BoostingRows.begin(
      this.#scene,
      this.#taken,
      held,
      values,
      leastReadback,
    );
  }

  async #boost(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    if (this.#boosting === null) throw new DeviceError("nothing of this fit's rounds is there");
    const { steps, bytes } = await this.#boosting.asked(request, values);
    if (bytes === 0) this.#begin.push(...steps);
    else await this.#read(this.#boosting.readback, steps, bytes, answer);
  }

  async #beginTree(values: Uint32Array): Promise<void> {
    const held = this.#fit();
    const [packed, source, count, isOther, list, offsets, features, entries, other] = values;
    const place = values[9]!;
    const { device } = this.#scene;
    const memory = this.#scene.bytes();
    this.#isHeld = place !== AT_HOME;
    if (!this.#isHeld) {
      device.write(held.packed, 0, new Uint8Array(memory, packed!, 8 * held.dataRows));
    }
    if (!this.#isHeld && isOther === 1)
      device.write(held.source, 0, new Uint8Array(memory, source!, 4 * count!));
    if (other === 1) {
      this.#entries = entries!;
      const listed = new Uint32Array(memory, list!, features!);
      this.#useFeatures(held, {
        list: listed,
        offsets: new Uint32Array(memory, offsets!, listed.at(-1)! + 1),
      });
    }
    if (!this.#isHeld) this.#begin = [];
    else if (this.#boosting === null) throw new DeviceError("the tree's gradients are not there");
    else this.#begin.push(await this.#boosting.quantise(packed!));
    const isAll = this.#isHeld && place !== BAG_HELD;
    const given = (isAll ? this.#boosting?.list : null) ?? held.source;
    this.#begin.push({ copy: given, from: 0, to: held.rows, at: 0, bytes: 4 * count! });
  }

  /** Which entries the bytes of a row belong to, and which groups of neighbours have a listed one. */
  #useFeatures(held: Held, { list, offsets }: ListedFeatures): void {
    const { device } = this.#scene;
    const each = featuresOfGroup(device.limits.maxComputeWorkgroupStorageSize);
    const slots = new Uint32Array(4 * held.stride).fill(NO_FEATURE);
    for (const feature of list) slots[feature] = offsets[feature]!;
    const groups = [...new Set(Array.from(list, (feature) => Math.floor(feature / each)))];
    this.#groupCount = groups.length;
    this.#features = Array.from(list, (feature) => ({ feature, first: offsets[feature]! }));
    const groupsOfRow = (4 * held.stride) / each;
    device.write(held.shape, 0, Uint32Array.of(groupsOfRow, groups.length, this.#entries, 0));
    device.write(held.slots, 0, slots);
    device.write(held.groups, 0, Uint32Array.from(groups));
  }

  /** @param blocks of all nodes, and nodes, at most */
  #partitionSteps(held: Held, blocks: number, nodes: number): Step[] {
    const { device } = this.#scene;
    const groups = [groupsOf(device, blocks)] as const;
    return [
      { kernel: held.countLeft, groups },
      { kernel: held.placeBlocks, groups: [groupsOf(device, nodes)] },
      { kernel: held.scatter, groups },
    ];
  }

  /** @param rows of each node at most */
  #histogramStep({ histogram }: Held, rows: readonly number[]): Step {
    const units = unitsOf(rows, this.#groupCount);
    return { kernel: histogram, groups: [groupsOf(this.#scene.device, units)] };
  }

  async #histogram([first, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const bytes = 8 * this.#entries;
    this.#scene.device.write(held.ranges, 0, Uint32Array.of(1, 0, first!, count!));
    const steps: Step[] = [
      { clear: held.sums, bytes },
      this.#histogramStep(held, [count!]),
      { copy: held.sums, from: 0, to: held.readback, at: 0, bytes },
    ];
    await this.#read(held.readback, steps, bytes, answer);
  }

  async #split([list, count, least, stamp]: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const { device } = this.#scene;
    const words = new Uint32Array(this.#scene.bytes(), list!, count! * SPLIT_WORDS).slice();
    const nodes = Array.from({ length: count! }, (_, i) =>
      words.subarray(i * SPLIT_WORDS, (i + 1) * SPLIT_WORDS),
    );
    const rowsOf = (node: Uint32Array): number => node[SPLIT_COUNT]!;
    let blocks = 0;
    for (const node of nodes) {
      node[SPLIT_FIRST_BLOCK] = blocks;
      node[SPLIT_BLOCKS] = Math.ceil(rowsOf(node) / BLOCK_ROWS);
      blocks += node[SPLIT_BLOCKS];
    }
    const shape = [held.stride, least!, stamp!, this.#entries];
    device.write(held.request, 0, Uint32Array.from(shape));
    device.write(held.nodes, 0, Uint32Array.of(count!, blocks, 0, 0));
    device.write(held.nodes, 4 * BATCH_WORDS, words);
    const { readback } = this.#isHeld && this.#boosting ? this.#boosting : held;
    const headBytes = 4 * HEAD_WORDS * count!;
    const steps: Step[] = [
      ...this.#partitionSteps(held, blocks, count!),
      { copy: held.heads, from: 0, to: readback, at: 0, bytes: headBytes },
    ];
    let at = headBytes;
    const summed = nodes.filter((node) => node[SPLIT_WANTS] === 1);
    if (summed.length > 0) {
      const halves = summed.map((node) => rowsOf(node) >> 1);
      steps.push(this.#histogramStep(held, halves));
      const each = 8 * this.#entries;
      // Neighbours go together: each copy costs the CPU some microseconds.
      for (let first = 0; first < count!; ) {
        let end = first;
        while (end < count! && nodes[end]![SPLIT_WANTS] === 1) end++;
        const bytes = (end - first) * each;
        if (bytes > 0) steps.push({ copy: held.sums, from: first * each, to: readback, at, bytes });
        at += bytes;
        first = end + 1;
      }
    }
    if (least! > 1) {
      const ends = 2 * count! * (least! - 1);
      const words = this.#isHeld ? 3 * ends : ends;
      const { shape, gathered, kernel } = await this.#endsFor(held, words);
      device.write(shape, 0, Uint32Array.of(least! - 1, this.#isHeld ? ends : 0, 0, 0));
      steps.push(
        { kernel, groups: [Math.min(64, Math.ceil(least! / THREADS)), 2 * count!] },
        { copy: gathered, from: 0, to: readback, at, bytes: 4 * words },
      );
      at += 4 * words;
    }
    await this.#read(readback, steps, at, answer);
  }

  /** What gathers so many words. */
  async #endsFor(held: Held, words: number): Promise<Ends> {
    const known = this.#ends;
    if (known !== null && known.gathered.size >= 4 * words) return known;
    const shape = await this.#taken.take(16, "uniform");
    // Those that it grew out of stay until the fit ends: all together they are no more than the last one.
    const gathered = await this.#taken.take(4 * 2 ** Math.ceil(Math.log2(words)));
    const bound = [shape, held.nodes, held.rows, held.packed, gathered];
    const kernel = await this.#scene.device.kernel(GATHER_ENDS, bound);
    this.#ends = { shape, gathered, kernel };
    return this.#ends;
  }

  async #grow(values: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const [steps, rows, records, leaves, most, hasCategories, valueBins, kinds] = values;
    const features = this.#features.length;
    if (this.#growth === null || this.#growth.sizes.features < features) {
      const sizes = { leaves: leaves!, features, most: most! };
      const form = { hasCategories: hasCategories === 1 };
      this.#growth = await TreeGrowth.begin(this.#scene, this.#taken, held, sizes, form);
    }
    const growth = this.#growth;
    if (rows! > 0) {
      growth.useFeatures(this.#describedFeatures(valueBins!, kinds!));
      const shape = [held.stride, 1, 0, this.#entries];
      this.#scene.device.write(held.request, 0, Uint32Array.from(shape));
    }
    const blocks = mostBlocksOf(most!, held.capacity);
    // Small nodes have a unit each; of large ones no more rows can be summed than half of all.
    const units = this.#histogramStep(held, [...new Array(most!).fill(1), held.capacity >> 1]);
    const asked = growth.asked(
      values.slice(8, 8 + GROWTH_WORDS),
      { steps: steps!, rows: rows!, records: records!, features, entries: this.#entries },
      {
        histogram: this.#histogramStep(held, [rows!]),
        split: [...this.#partitionSteps(held, blocks, most!), units],
      },
    );
    await this.#read(growth.readback, asked.steps, asked.bytes, answer);
  }

  /** FEATURE_WORDS a listed feature. @param valueBins and @param kinds of the data's features in the arena */
  #describedFeatures(valueBins: number, kinds: number): Uint32Array {
    const memory = this.#scene.bytes();
    const all = this.#features.at(-1)!.feature + 1;
    const bins = new Uint32Array(memory, valueBins, all);
    const kind = new Uint8Array(memory, kinds, all);
    return Uint32Array.from(
      this.#features.flatMap(({ feature, first }) => [
        feature,
        first,
        bins[feature]!,
        kind[feature]!,
      ]),
    );
  }

  async #rows([list, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const { rows, readback } = held;
    const ranges = new Uint32Array(this.#scene.bytes(), list!, 2 * count!);
    const steps: Step[] = [];
    let at = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      const bytes = 4 * ranges[i + 1]!;
      steps.push({ copy: rows, from: 4 * ranges[i]!, to: readback, at, bytes });
      at += bytes;
    }
    await this.#read(readback, steps, at, answer);
  }

  /** Does the steps, of a tree's first work with those of its begin, and answers what they left to be read back. */
  async #read(
    readback: GPUBuffer,
    steps: readonly Step[],
    bytes: number,
    answer: Uint8Array,
  ): Promise<void> {
    const work = { steps: [...this.#begin.splice(0), ...steps], read: { buffer: readback, bytes } };
    await this.#scene.device.run(work, (read) => answer.set(new Uint8Array(read)));
  }

  #fit(): Held {
    if (this.#held === null) throw new DeviceError("nothing of this fit is there");
    return this.#held;
  }
}
