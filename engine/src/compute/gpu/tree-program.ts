/**
 * Growing trees on a device: the rows of large nodes lie there, are partitioned there, and their histograms
 * are summed there. Splits are searched by the CPU's kernels, in f64. See `trees/tree-device.ts` for the
 * fit's side.
 */

import { RECORD_WORDS } from "../../kernels/assembly/growing/record-layout.ts";
import { FIT_WORDS, type Fit, fitWords, MOST_FITS } from "../../shaders/fits.ts";
import { GATHER_ENDS } from "../../shaders/gather.ts";
import { GROWTH_WORDS, mostRecords, STATE_HEAD_WORDS } from "../../shaders/growth/layout.ts";
import { featuresOfGroup, NO_FEATURE, THREADS, unitsOf } from "../../shaders/histogram.ts";
import { BATCH_WORDS, BLOCK_ROWS } from "../../shaders/partition.ts";
import { BoostingRows } from "./boosting-program.ts";
import { BEGIN_BOOSTING } from "./boosting-requests.ts";
import { joinCohort, type Kind, mostNodesOf, type Seat } from "./cohort.ts";
import { DeviceError } from "./device-error.ts";
import { growthOf, type SplitKernels, splitKernels } from "./growth-program.ts";
import { groupsOf, type Program, type Scene, type Session } from "./program.ts";
import type { Kernel, Slice, Step } from "./steps.ts";
import { TakenBuffers } from "./taken-buffers.ts";
import {
  AT_HOME,
  BAG_HELD,
  BEGIN_FIT,
  BEGIN_TREE,
  GROW_TREE,
  growthBytes,
  HEAD_WORDS,
  histogramBytesOf,
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
import type { Work } from "./work-queue.ts";

export const treeProgram: Program = {
  from: BEGIN_FIT,
  end: TREE_REQUESTS_END,
  open: (scene) => new Trees(scene),
};

/** What lies on the device for one fit. */
interface Held extends Readonly<Record<Kind, Slice>> {
  readonly dataRows: number;
  /** Words of a row's bins. */
  readonly stride: number;
  /** Most rows of a tree. */
  readonly capacity: number;
  readonly seat: Seat;
  /** The rows of the tree as they were given; \`rows\` are they as they are partitioned, twice. */
  readonly source: GPUBuffer;
  readonly readback: GPUBuffer;
}

/** What splits nodes and sums histograms of one fit alone. */
interface Alone extends SplitKernels {
  readonly fit: GPUBuffer;
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

class Trees implements Session {
  readonly #scene: Scene;
  readonly #taken: TakenBuffers;
  #held: Held | null = null;
  #alone: Alone | null = null;
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
  /** Whether the growth of trees knows them. */
  #areDescribed = false;
  /** Of trees that grow here as a whole: where they are read back. */
  #grown: GPUBuffer | null = null;
  /** Of the tree, that were asked for so far. */
  #lastStep = 0;

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
    this.#held?.seat.cohort.leave(this.#held.seat);
    this.#taken.release();
    this.#held = null;
    this.#alone = null;
    this.#boosting = null;
    this.#ends = null;
    this.#grown = null;
    this.#begin = [];
  }

  async #beginFit(values: Uint32Array): Promise<void> {
    const [rowMajor, rowStride, dataRows, capacity, stays, leaves, hasCategories] = values;
    this.close();
    const { device } = this.#scene;
    const bytes = rowStride! * dataRows!;
    const uploaded = new Uint8Array(this.#scene.bytes(), rowMajor!, bytes);
    const brought = async (): Promise<GPUBuffer> => {
      if (stays === 1) return this.#scene.resident(rowMajor!, bytes);
      const own = await this.#taken.take(bytes);
      device.write(own, 0, uploaded);
      return own;
    };
    const sizes = {
      ...{ rowStride: rowStride!, dataRows: dataRows!, capacity: capacity!, leaves: leaves! },
      hasCategories: hasCategories === 1,
    };
    const seat = await joinCohort(this.#scene, sizes, brought);
    try {
      if (seat.cohort.isShared) {
        const { bins } = seat.slices;
        if (stays !== 1) device.write(bins, 0, uploaded);
        else {
          // Of several fits of the same data the way there is one.
          const copy = await brought();
          await device.run({ steps: [{ copy, from: 0, to: bins, at: 0, bytes }] });
        }
      }
      const rowBytes = 4 * capacity!;
      const most = mostNodesOf(sizes);
      const sumBytes = most * histogramBytesOf(rowStride!);
      const source = await this.#taken.take(rowBytes);
      const readback = await this.#taken.take(
        4 * HEAD_WORDS * most + sumBytes + 2 * rowBytes,
        "readback",
      );
      const own = { dataRows: dataRows!, stride: rowStride! / 4, capacity: capacity! };
      this.#held = { ...own, ...seat.slices, seat, source, readback };
    } catch (error) {
      seat.cohort.leave(seat);
      throw error;
    }
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
    const each = this.#featuresOfGroup;
    const slots = new Uint32Array(4 * held.stride).fill(NO_FEATURE);
    for (const feature of list) slots[feature] = offsets[feature]!;
    const groups = [...new Set(Array.from(list, (feature) => Math.floor(feature / each)))];
    this.#groupCount = groups.length;
    this.#features = Array.from(list, (feature) => ({ feature, first: offsets[feature]! }));
    this.#areDescribed = false;
    device.write(held.slots, 0, slots);
    device.write(held.groups, 0, Uint32Array.from(groups));
  }

  get #featuresOfGroup(): number {
    return featuresOfGroup(this.#scene.device.limits.maxComputeWorkgroupStorageSize);
  }

  /** What shaders are told of the fit, beside where its data lie. @param least rows of a child on the device */
  #facts({ stride }: Held, least: number, stamp: number) {
    return {
      ...{ stride, least, stamp, entries: this.#entries },
      ...{ rowGroups: (4 * stride) / this.#featuresOfGroup, listedGroups: this.#groupCount },
      listedFeatures: this.#features.length,
    };
  }

  /** What splits nodes and sums histograms of this fit alone: its slices begin where they are bound. */
  async #kernels(held: Held, facts: Partial<Fit>): Promise<Alone> {
    const { device } = this.#scene;
    if (this.#alone === null) {
      const fit = await this.#taken.take(4 * FIT_WORDS * MOST_FITS, "uniform");
      this.#alone = { fit, ...(await splitKernels(device, fit, held)) };
    }
    device.write(this.#alone.fit, 0, Uint32Array.from(fitWords(facts)));
    return this.#alone;
  }

  /** @param rows of each node at most */
  #histogramStep({ histogram }: Alone, rows: readonly number[]): Step {
    const units = unitsOf(rows, this.#groupCount);
    return { kernel: histogram, groups: [groupsOf(this.#scene.device, units)] };
  }

  async #histogram([first, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const bytes = 8 * this.#entries;
    const kernels = await this.#kernels(held, this.#facts(held, 1, 0));
    this.#scene.device.write(held.ranges, 0, Uint32Array.of(1, 0, first!, count!));
    const steps: Step[] = [
      { clear: held.sums, bytes },
      this.#histogramStep(kernels, [count!]),
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
    const kernels = await this.#kernels(held, this.#facts(held, least!, stamp!));
    device.write(held.batch, 0, Uint32Array.of(count!, blocks, 0, 0));
    device.write(held.batch, 4 * BATCH_WORDS, words);
    const { readback } = this.#isHeld && this.#boosting ? this.#boosting : held;
    const headBytes = 4 * HEAD_WORDS * count!;
    const steps: Step[] = [
      { kernel: kernels.countLeft, groups: [groupsOf(device, blocks)] },
      { kernel: kernels.placeBlocks, groups: [groupsOf(device, count!)] },
      { kernel: kernels.scatter, groups: [groupsOf(device, blocks)] },
      { copy: held.heads, from: 0, to: readback, at: 0, bytes: headBytes },
    ];
    let at = headBytes;
    const summed = nodes.filter((node) => node[SPLIT_WANTS] === 1);
    if (summed.length > 0) {
      const halves = summed.map((node) => rowsOf(node) >> 1);
      steps.push(this.#histogramStep(kernels, halves));
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
    const bound = [shape, held.batch, held.rows, held.packed, gathered];
    const kernel = await this.#scene.device.kernel(GATHER_ENDS, bound);
    this.#ends = { shape, gathered, kernel };
    return this.#ends;
  }

  async #grow(values: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const [steps, rows, records, valueBins, kinds] = values;
    const { cohort } = held.seat;
    const growth = await growthOf(this.#scene, cohort);
    const { leaves, rowStride } = cohort.sizes;
    const entries = histogramBytesOf(rowStride) / 8;
    this.#grown ??= await this.#taken.take(growthBytes(mostRecords(leaves), entries), "readback");
    if (!this.#areDescribed) {
      this.#scene.device.write(held.features, 0, this.#describedFeatures(valueBins!, kinds!));
      this.#areDescribed = true;
    }
    const to = this.#grown;
    const headBytes = 4 * STATE_HEAD_WORDS;
    const recordBytes = 4 * RECORD_WORDS * records!;
    const rootBytes = 8 * this.#entries;
    this.#lastStep = (rows! > 0 ? 0 : this.#lastStep) + steps!;
    const facts = { ...this.#facts(held, 1, 0), rootRows: rows!, lastStep: this.#lastStep };
    const growing = {
      fit: { ...held.seat.places, ...facts },
      parameters: values.slice(5, 5 + GROWTH_WORDS),
      steps: steps!,
      // Before the next histograms take its place.
      keepRoot: { copy: held.sums, from: 0, to, at: headBytes + recordBytes, bytes: rootBytes },
    };
    const after: Step[] = [
      { copy: held.state, from: 0, to, at: 0, bytes: headBytes },
      { copy: held.records, from: 0, to, at: headBytes, bytes: recordBytes },
    ];
    const share = { of: growth, by: held.seat, enter: () => growth.enter(growing) };
    const bytes = growthBytes(records!, rows! > 0 ? this.#entries : 0);
    await this.#read(to, [], bytes, answer, { share, after });
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
    shared: Pick<Work, "share" | "after"> = {},
  ): Promise<void> {
    const work = {
      ...{ steps: [...this.#begin.splice(0), ...steps], read: { buffer: readback, bytes } },
      ...shared,
    };
    await this.#scene.device.run(work, (read) => answer.set(new Uint8Array(read)));
  }

  #fit(): Held {
    if (this.#held === null) throw new DeviceError("nothing of this fit is there");
    return this.#held;
  }
}
