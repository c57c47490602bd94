/** Adding up trees over rows on a device. See `trees/lane-sums.ts` for the side of who asks. */

import { THREADS } from "../../shaders/histogram.ts";
import { SUMS_WORDS, TREE_SUMS } from "../../shaders/tree-sums.ts";
import { DeviceError } from "./device-error.ts";
import type { Program, Scene, Session } from "./program.ts";
import { BEGIN_ROWS, BEGIN_SUMS, SUM_REQUESTS_END, SUM_ROWS, SUMS_HEAD } from "./sum-requests.ts";
import { TakenBuffers } from "./taken-buffers.ts";

export const sumProgram: Program = {
  from: BEGIN_SUMS,
  end: SUM_REQUESTS_END,
  open: (scene) => new Sums(scene),
};

interface Trees {
  readonly nodes: GPUBuffer;
  readonly leafValues: GPUBuffer;
  readonly sets: GPUBuffer;
  readonly trees: GPUBuffer;
  readonly count: number;
  readonly width: number;
  readonly outputs: number;
}

interface Rows {
  readonly bins: GPUBuffer;
  readonly rows: GPUBuffer;
  readonly columnBytes: number;
  readonly isListed: boolean;
}

class Sums implements Session {
  readonly #scene: Scene;
  readonly #ofTrees: TakenBuffers;
  readonly #ofRows: TakenBuffers;
  readonly #ofSums: TakenBuffers;
  #trees: Trees | null = null;
  #rows: Rows | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#ofTrees = new TakenBuffers(scene);
    this.#ofRows = new TakenBuffers(scene);
    this.#ofSums = new TakenBuffers(scene);
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_SUMS:
        return this.#beginSums(values);
      case BEGIN_ROWS:
        return this.#beginRows(values);
      case SUM_ROWS:
        return this.#sumRows(values, answer);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  close(): void {
    for (const taken of [this.#ofTrees, this.#ofRows, this.#ofSums]) taken.release();
    this.#trees = null;
    this.#rows = null;
  }

  async #beginSums(values: Uint32Array): Promise<void> {
    this.#ofTrees.release();
    this.#trees = null;
    const [nodes, nodeCount, leafValues, valueCount, sets, setWords] = values;
    const [starts, outputs, count, width, base, outputCount] = values.subarray(6);
    const { device } = this.#scene;
    const memory = this.#scene.bytes();
    const treeWords = 2 * count!;
    const trees = await this.#ofTrees.take(4 * treeWords + 8 * outputCount!);
    device.write(trees, 0, new Uint8Array(memory, starts!, 4 * count!));
    device.write(trees, 4 * count!, new Uint8Array(memory, outputs!, 4 * count!));
    device.write(trees, 4 * treeWords, new Uint8Array(memory, base!, 8 * outputCount!));
    this.#trees = {
      nodes: await this.#ofTrees.filled(memory, nodes!, 16 * nodeCount!),
      leafValues: await this.#ofTrees.filled(memory, leafValues!, 8 * valueCount!),
      sets: await this.#ofTrees.filled(memory, sets!, 4 * setWords!),
      ...{ trees, count: count!, width: width!, outputs: outputCount! },
    };
  }

  async #beginRows(values: Uint32Array): Promise<void> {
    this.#ofRows.release();
    this.#rows = null;
    const [columnMajor, columnBytes, columns, rows, count] = values;
    const memory = this.#scene.bytes();
    this.#rows = {
      bins: await this.#ofRows.filled(memory, columnMajor!, columnBytes! * columns!),
      rows: await this.#ofRows.filled(memory, rows!, rows === 0 ? 0 : 4 * count!),
      ...{ columnBytes: columnBytes!, isListed: rows !== 0 },
    };
  }

  async #sumRows([first, count, stamp]: Uint32Array, answer: Uint8Array): Promise<void> {
    const [trees, rows] = [this.#trees, this.#rows];
    if (trees === null || rows === null)
      throw new DeviceError("the trees or the rows are not there");
    const { device } = this.#scene;
    const bytes = 8 * count! * trees.outputs;
    this.#ofSums.release();
    const shape = await this.#ofSums.take(4 * SUMS_WORDS, "uniform");
    const sums = await this.#ofSums.take(bytes);
    const head = await this.#ofSums.take(SUMS_HEAD);
    const readback = await this.#ofSums.take(SUMS_HEAD + bytes, "readback");
    const words = new Uint32Array(SUMS_WORDS);
    words.set([first!, count!, trees.outputs, trees.count, trees.width, rows.columnBytes]);
    words[6] = rows.isListed ? 1 : 0;
    device.write(shape, 0, words);
    device.write(head, 0, Uint32Array.of(0, stamp!, 0, 0));
    const kernel = await device.kernel(TREE_SUMS, [
      shape,
      trees.nodes,
      trees.leafValues,
      trees.sets,
      trees.trees,
      rows.bins,
      rows.rows,
      sums,
      head,
    ]);
    await device.run(
      {
        steps: [
          { kernel, groups: [Math.ceil(count! / THREADS)] },
          { copy: head, from: 0, to: readback, at: 0, bytes: SUMS_HEAD },
          { copy: sums, from: 0, to: readback, at: SUMS_HEAD, bytes },
        ],
        read: { buffer: readback, bytes: SUMS_HEAD + bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }
}
