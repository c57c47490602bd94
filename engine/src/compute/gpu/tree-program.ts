/**
 * Growing trees on a device: the rows of large nodes lie there, are partitioned there, and their histograms
 * are summed there. Splits are searched by the CPU's kernels, in f64. See `trees/tree-device.ts` for the
 * fit's side.
 */

import { entriesOfGroup, histogramShader, NO_FEATURE, THREADS } from "../../shaders/histogram.ts";
import {
  COUNT_LEFT,
  LEAST_BLOCK_ROWS,
  PLACE_BLOCKS,
  SCATTER,
  SPLIT_WORDS,
} from "../../shaders/partition.ts";
import { DeviceError, type Kernel, type Step } from "./device.ts";
import type { Program, Scene, Session } from "./program.ts";
import {
  ANSWER_HEAD,
  BEGIN_FIT,
  BEGIN_TREE,
  NODE_HISTOGRAM,
  NODE_ROWS,
  SPLIT_NODE,
  SPLIT_STAMP,
} from "./tree-requests.ts";

/** Rows that a workgroup takes: what it adds to the sums of all is worth them. */
const ROWS_OF_WORKGROUP = 8192;
const MOST_PARTS = 512;

export const treeProgram: Program = { from: BEGIN_FIT, end: 16, open: (scene) => new Trees(scene) };

/** What lies on the device for one fit. */
interface Held {
  readonly dataRows: number;
  /** Words of a row's bins. */
  readonly stride: number;
  readonly packed: GPUBuffer;
  /** The rows of the tree as they were given, as they are partitioned, and room for moving them. */
  readonly source: GPUBuffer;
  readonly rows: GPUBuffer;
  readonly moved: GPUBuffer;
  readonly counts: GPUBuffer;
  readonly outcome: GPUBuffer;
  readonly range: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly groups: GPUBuffer;
  readonly strides: GPUBuffer;
  readonly split: GPUBuffer;
  readonly sums: GPUBuffer;
  readonly readback: GPUBuffer;
  readonly histogram: Kernel;
  readonly countLeft: Kernel;
  readonly placeBlocks: Kernel;
  readonly scatter: Kernel;
}

class Trees implements Session {
  readonly #scene: Scene;
  readonly #taken: {
    readonly buffer: GPUBuffer;
    readonly use: "storage" | "uniform" | "readback";
  }[] = [];
  #held: Held | null = null;
  #groupCount = 0;
  #entries = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_FIT:
        return this.#beginFit(values);
      case BEGIN_TREE:
        return this.#beginTree(values);
      case NODE_HISTOGRAM:
        return this.#histogram(values, answer);
      case SPLIT_NODE:
        return this.#split(values, answer);
      case NODE_ROWS:
        return this.#rows(values, answer);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  close(): void {
    for (const { buffer, use } of this.#taken.splice(0)) this.#scene.device.release(buffer, use);
    this.#held = null;
  }

  async #take(bytes: number, use: "storage" | "uniform" | "readback" = "storage") {
    const buffer = await this.#scene.device.buffer(bytes, use);
    this.#taken.push({ buffer, use });
    return buffer;
  }

  async #beginFit([rowMajor, rowStride, dataRows, capacity, stays]: Uint32Array): Promise<void> {
    this.close();
    const { device } = this.#scene;
    const bytes = rowStride! * dataRows!;
    let bins: GPUBuffer;
    if (stays === 1) bins = await this.#scene.resident(rowMajor!, bytes);
    else {
      bins = await this.#take(bytes);
      device.write(bins, 0, new Uint8Array(this.#scene.bytes(), rowMajor!, bytes));
    }
    const rowBytes = 4 * capacity!;
    const features = rowStride!;
    // A feature has 256 entries at most.
    const sumBytes = features * 256 * 8;
    const packed = await this.#take(8 * dataRows!);
    const source = await this.#take(rowBytes);
    const rows = await this.#take(rowBytes);
    const moved = await this.#take(rowBytes);
    const counts = await this.#take(4 * Math.ceil(capacity! / LEAST_BLOCK_ROWS));
    const outcome = await this.#take(ANSWER_HEAD);
    const range = await this.#take(8);
    const slots = await this.#take(4 * rowStride!);
    const groups = await this.#take(4 * rowStride!);
    const strides = await this.#take(16, "uniform");
    const split = await this.#take(4 * SPLIT_WORDS, "uniform");
    const sums = await this.#take(sumBytes);
    const readback = await this.#take(ANSWER_HEAD + sumBytes + 2 * rowBytes, "readback");
    device.write(strides, 0, Uint32Array.of(rowStride! / 4, 0, 0, 0));
    const entries = entriesOfGroup(device.limits.maxComputeWorkgroupStorageSize);
    this.#held = {
      dataRows: dataRows!,
      stride: rowStride! / 4,
      packed,
      source,
      rows,
      moved,
      counts,
      outcome,
      range,
      slots,
      groups,
      strides,
      split,
      sums,
      readback,
      histogram: await device.kernel(histogramShader(entries), [
        strides,
        bins,
        packed,
        rows,
        slots,
        groups,
        range,
        sums,
      ]),
      countLeft: await device.kernel(COUNT_LEFT, [split, bins, rows, counts]),
      placeBlocks: await device.kernel(PLACE_BLOCKS, [split, counts, outcome, range]),
      scatter: await device.kernel(SCATTER, [split, bins, rows, counts, outcome, moved]),
    };
  }

  async #beginTree(values: Uint32Array): Promise<void> {
    const held = this.#fit();
    const [packed, source, count, isOther, list, offsets, valueBins, features, entries, other] =
      values;
    const { device } = this.#scene;
    const memory = this.#scene.bytes();
    device.write(held.packed, 0, new Uint8Array(memory, packed!, 8 * held.dataRows));
    if (isOther === 1) device.write(held.source, 0, new Uint8Array(memory, source!, 4 * count!));
    if (other === 1) {
      this.#entries = entries!;
      const listed = new Uint32Array(memory, list!, features!);
      this.#useFeatures(held, {
        list: listed,
        offsets: new Uint32Array(memory, offsets!, listed.at(-1)! + 1),
        valueBins: new Uint32Array(memory, valueBins!, listed.at(-1)! + 1),
      });
    }
    await device.run({
      steps: [{ copy: held.source, from: 0, to: held.rows, at: 0, bytes: 4 * count! }],
    });
  }

  /** Which entries the bytes of a row belong to, and which neighbouring words one workgroup takes. */
  #useFeatures(
    held: Held,
    { list, offsets, valueBins }: Readonly<Record<"list" | "offsets" | "valueBins", Uint32Array>>,
  ): void {
    const { device } = this.#scene;
    const most = entriesOfGroup(device.limits.maxComputeWorkgroupStorageSize);
    const slots = new Uint32Array(4 * held.stride).fill(NO_FEATURE);
    const groups: number[] = [];
    let first = -1;
    let start = 0;
    let end = 0;
    let words = 0;
    for (let i = 0; i < list.length; ) {
      const word = list[i]! >> 2;
      const entry = offsets[list[i]!]!;
      let wordEnd = entry;
      for (; i < list.length && list[i]! >> 2 === word; i++) {
        slots[list[i]!] = offsets[list[i]!]!;
        wordEnd = offsets[list[i]!]! + valueBins[list[i]!]! + 1;
      }
      if (first >= 0 && wordEnd - start <= most) {
        words = word - first + 1;
        end = wordEnd;
        continue;
      }
      if (first >= 0) groups.push(first, words, start, end - start);
      first = word;
      words = 1;
      start = entry;
      end = wordEnd;
    }
    groups.push(first, words, start, end - start);
    this.#groupCount = groups.length / 4;
    device.write(held.slots, 0, slots);
    device.write(held.groups, 0, Uint32Array.from(groups));
  }

  #histogramSteps({ sums, histogram }: Held, mostRows: number): Step[] {
    const parts = Math.ceil(mostRows / ROWS_OF_WORKGROUP);
    return [
      { clear: sums, bytes: 8 * this.#entries },
      { kernel: histogram, groups: [Math.min(MOST_PARTS, parts), this.#groupCount] },
    ];
  }

  async #histogram([first, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const bytes = 8 * this.#entries;
    this.#scene.device.write(held.range, 0, Uint32Array.of(first!, count!));
    await this.#scene.device.run(
      {
        steps: [
          ...this.#histogramSteps(held, count!),
          { copy: held.sums, from: 0, to: held.readback, at: 0, bytes },
        ],
        read: { buffer: held.readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  async #split(values: Uint32Array, answer: Uint8Array): Promise<void> {
    const held = this.#fit();
    const [first, count, feature, least, wants] = values;
    const { device } = this.#scene;
    const grain = LEAST_BLOCK_ROWS;
    const mostBlocks = Math.min(
      device.limits.maxComputeWorkgroupsPerDimension,
      Math.ceil(count! / grain),
    );
    const blockRows = Math.ceil(count! / mostBlocks / THREADS) * THREADS;
    const blocks = Math.ceil(count! / blockRows);
    const words = new Uint32Array(SPLIT_WORDS);
    words.set([first!, count!, blockRows, blocks, held.stride, feature! >> 2, 8 * (feature! & 3)]);
    words[7] = wants === 1 ? least! : NO_FEATURE;
    words[8] = values[SPLIT_STAMP]!;
    words.set(values.subarray(5, 13), 12);
    device.write(held.split, 0, words);
    const steps: Step[] = [
      { kernel: held.countLeft, groups: [blocks] },
      { kernel: held.placeBlocks, groups: [1] },
      { kernel: held.scatter, groups: [blocks] },
      { copy: held.moved, from: 0, to: held.rows, at: 4 * first!, bytes: 4 * count! },
      { copy: held.outcome, from: 0, to: held.readback, at: 0, bytes: ANSWER_HEAD },
    ];
    let at = ANSWER_HEAD;
    if (wants === 1) {
      const bytes = 8 * this.#entries;
      steps.push(...this.#histogramSteps(held, count! >> 1));
      steps.push({ copy: held.sums, from: 0, to: held.readback, at, bytes });
      at += bytes;
    }
    const ends = Math.min(least! - 1, count!);
    const { rows, readback } = held;
    for (const row of [first!, first! + count! - ends]) {
      steps.push({ copy: rows, from: 4 * row, to: readback, at, bytes: 4 * ends });
      at += 4 * ends;
    }
    await device.run({ steps, read: { buffer: readback, bytes: at } }, (read) =>
      answer.set(new Uint8Array(read)),
    );
  }

  async #rows([first, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { rows, readback } = this.#fit();
    const bytes = 4 * count!;
    await this.#scene.device.run(
      {
        steps: [{ copy: rows, from: 4 * first!, to: readback, at: 0, bytes }],
        read: { buffer: readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  #fit(): Held {
    if (this.#held === null) throw new DeviceError("nothing of this fit is there");
    return this.#held;
  }
}
