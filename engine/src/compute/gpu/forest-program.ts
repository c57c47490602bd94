/** Growing trees of forests on a device, side by side. See `trees/forest/forest-device.ts` for the fit's side. */

import { forestShader } from "../../shaders/forest.ts";
import {
  FOREST_NODE_WORDS,
  FOREST_SHAPE_WORDS,
  type ForestForm,
  HEAD_KEY,
  HEAD_ROWS,
  hasLocalSums,
  sumWords,
  TREE_HEAD_WORDS,
} from "../../shaders/forest-form.ts";
import { DeviceError } from "./device-error.ts";
import {
  BEGIN_FOREST,
  FOREST_REQUESTS_END,
  FOREST_TREE,
  GROW_FOREST,
  READ_TREE,
} from "./forest-requests.ts";
import type { Program, Scene, Session } from "./program.ts";
import type { Kernel } from "./steps.ts";
import { TakenBuffers } from "./taken-buffers.ts";

export const forestProgram: Program = {
  from: BEGIN_FOREST,
  end: FOREST_REQUESTS_END,
  open: (scene) => new Forest(scene),
};

/** Trees that grow side by side. */
interface Batch {
  readonly form: ForestForm;
  readonly trees: number;
  readonly capacity: number;
  readonly nodes: number;
  /** Where the shape's words end that all dispatches share. */
  readonly words: Uint32Array;
  readonly shape: GPUBuffer;
  readonly rows: GPUBuffer;
  readonly stats: GPUBuffer;
  readonly nodeRecords: GPUBuffer;
  readonly sums: GPUBuffer;
  readonly state: GPUBuffer;
  readonly readback: GPUBuffer;
  readonly kernel: Kernel;
}

/** Of a tree; a software device changes between threads at each barrier. */
const THREADS = 256;
const FEW_THREADS = 16;

const HEAD_BYTES = 4 * TREE_HEAD_WORDS;
const NODE_BYTES = 4 * FOREST_NODE_WORDS;

class Forest implements Session {
  readonly #scene: Scene;
  readonly #taken: TakenBuffers;
  #batch: Batch | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#taken = new TakenBuffers(scene);
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_FOREST:
        return this.#begin(values, answer);
      case FOREST_TREE:
        return this.#addTree(values);
      case GROW_FOREST:
        return this.#grow(values, answer);
      case READ_TREE:
        return this.#read(values, answer);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  close(): void {
    this.#taken.release();
    this.#batch = null;
  }

  async #begin(values: Uint32Array, answer: Uint8Array): Promise<void> {
    this.close();
    const [columns, columnBytes, features, missing, categories, width, hasClasses] = values;
    const [asked, capacity, nodeFeatures, maxLeaves, maxDepth, minLeaf] = values.subarray(7);
    const [bestFirst, randomCuts, gainLow, gainHigh, stays] = values.subarray(13);
    const threads = this.#scene.device.facts.isSoftware ? FEW_THREADS : THREADS;
    const form: ForestForm = { width: width!, hasClasses: hasClasses === 1, threads };
    const nodes = 2 * maxLeaves! - 1;
    const stateStride = features! + maxLeaves! + 1;
    const ofTree = {
      rows: 8 * capacity!,
      stats: 32 * capacity!,
      nodes: NODE_BYTES * nodes,
      sums: 8 * form.width * nodes,
      state: HEAD_BYTES + 4 * stateStride,
      tally: hasLocalSums(form) ? 0 : 4 * sumWords(form),
    };
    const trees = this.#roomFor(asked!, Object.values(ofTree));
    const take = (bytes: number): Promise<GPUBuffer> => this.#taken.take(bytes * trees);
    const bins = await this.#binsAt(columns!, columnBytes! * features!, stays === 1);
    const kinds = await this.#taken.take(4 * features!);
    this.#scene.device.write(kinds, 0, this.#kindsAt(missing!, categories!, features!));
    const shape = await this.#taken.take(4 * FOREST_SHAPE_WORDS, "uniform");
    const [rows, stats] = [await take(ofTree.rows), await take(ofTree.stats)];
    const [nodeRecords, sums] = [await take(ofTree.nodes), await take(ofTree.sums)];
    const state = await take(ofTree.state);
    const bound = [shape, bins, kinds, rows, stats, nodeRecords, sums, state];
    if (ofTree.tally > 0) bound.push(await take(ofTree.tally));
    const words = new Uint32Array(FOREST_SHAPE_WORDS);
    words.set([capacity!, nodes, stateStride, trees, features!, columnBytes!, nodeFeatures!]);
    words.set([maxLeaves!, maxDepth!, minLeaf!, bestFirst!, randomCuts!, gainLow!, gainHigh!], 7);
    this.#batch = {
      ...{ form, trees, capacity: capacity!, nodes, words, shape },
      ...{ rows, stats, nodeRecords, sums, state },
      readback: await this.#taken.take(
        Math.max(HEAD_BYTES * trees, HEAD_BYTES + ofTree.nodes + ofTree.sums),
        "readback",
      ),
      kernel: await this.#scene.device.kernel(forestShader(form), bound),
    };
    answer.set(new Uint8Array(Uint32Array.of(trees).buffer));
  }

  /** Trees that fit beside each other. @param bytes of each buffer, of a tree */
  #roomFor(asked: number, bytes: readonly number[]): number {
    const { limits, memoryBytes } = this.#scene.device;
    const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
    const all = bytes.reduce((sum, each) => sum + each, 0);
    // Buffers are up to a sixteenth larger than what is asked for; other fits have theirs.
    const trees = Math.floor(
      Math.min(
        asked,
        limits.maxComputeWorkgroupsPerDimension,
        (0.9 * most) / Math.max(...bytes),
        memoryBytes / 2 / all,
      ),
    );
    if (trees < 1) throw new DeviceError("it has no room for a tree of the forest");
    return trees;
  }

  async #binsAt(columns: number, bytes: number, stay: boolean): Promise<GPUBuffer> {
    if (stay) return this.#scene.resident(columns, bytes);
    return this.#taken.filled(this.#scene.bytes(), columns, bytes);
  }

  #kindsAt(missing: number, categories: number, features: number): Uint32Array {
    const memory = this.#scene.bytes();
    const isCategorical = new Uint8Array(memory, categories, features);
    const bins = new Uint32Array(memory, missing, features);
    return Uint32Array.from(bins, (bin, f) => bin + 256 * isCategorical[f]!);
  }

  async #addTree([tree, rows, stats, count, low, high]: Uint32Array): Promise<void> {
    const batch = this.#require();
    if (tree! >= batch.trees || count! > batch.capacity) {
      throw new DeviceError("there is no place for the tree");
    }
    const { device } = this.#scene;
    const memory = this.#scene.bytes();
    const at = 2 * batch.capacity * tree!;
    device.write(batch.rows, 4 * at, new Uint8Array(memory, rows!, 4 * count!));
    device.write(batch.stats, 16 * at, new Uint8Array(memory, stats!, 16 * count!));
    const head = new Uint32Array(TREE_HEAD_WORDS);
    head[HEAD_ROWS] = count!;
    head.set([low!, high!], HEAD_KEY);
    device.write(batch.state, HEAD_BYTES * tree!, head);
  }

  async #grow([trees, cells, stamp]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { words, shape, kernel, state, readback } = this.#require();
    words.set([cells!, stamp!], 14);
    this.#scene.device.write(shape, 0, words);
    const bytes = HEAD_BYTES * trees!;
    await this.#scene.device.run(
      {
        steps: [
          { kernel, groups: [trees!] },
          { copy: state, from: 0, to: readback, at: 0, bytes },
        ],
        read: { buffer: readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  async #read([tree, count]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { form, nodes, nodeRecords, sums, state, readback } = this.#require();
    const nodeBytes = NODE_BYTES * count!;
    const sumBytes = 8 * form.width * count!;
    const bytes = HEAD_BYTES + nodeBytes + sumBytes;
    const first = nodes * tree!;
    const to = readback;
    await this.#scene.device.run(
      {
        steps: [
          { copy: state, from: HEAD_BYTES * tree!, to, at: 0, bytes: HEAD_BYTES },
          { copy: nodeRecords, from: NODE_BYTES * first, to, at: HEAD_BYTES, bytes: nodeBytes },
          {
            ...{ copy: sums, from: 8 * form.width * first, to },
            ...{ at: HEAD_BYTES + nodeBytes, bytes: sumBytes },
          },
        ],
        read: { buffer: readback, bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  #require(): Batch {
    if (this.#batch === null) throw new DeviceError("the forest is not there");
    return this.#batch;
  }
}
