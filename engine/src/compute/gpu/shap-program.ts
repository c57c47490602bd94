/** Explaining rows by trees on a device. See `trees/shap/lane-explainer.ts` for the side of who asks. */

import { THREADS } from "../../shaders/histogram.ts";
import { SHAP_WORDS, TREE_SHAP } from "../../shaders/tree-shap.ts";
import { DeviceError } from "./device-error.ts";
import type { Program, Scene, Session } from "./program.ts";
import {
  BEGIN_SHAP,
  numbersOfLevel,
  READ_SHAP,
  SHAP_HEAD,
  SHAP_REQUESTS_END,
  SHAP_TREE,
  STEP_WORDS,
} from "./shap-requests.ts";
import { TakenBuffers } from "./taken-buffers.ts";

export const shapProgram: Program = {
  from: BEGIN_SHAP,
  end: SHAP_REQUESTS_END,
  open: (scene) => new Contributions(scene),
};

/** Rows, and what has come together for them. */
interface Rows {
  readonly bins: GPUBuffer;
  readonly rowBytes: number;
  readonly sets: GPUBuffer;
  readonly cells: number;
  readonly contributions: GPUBuffer;
  readonly bytes: number;
  readonly done: GPUBuffer;
}

class Contributions implements Session {
  readonly #scene: Scene;
  readonly #ofRows: TakenBuffers;
  readonly #ofTree: TakenBuffers;
  #rows: Rows | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#ofRows = new TakenBuffers(scene);
    this.#ofTree = new TakenBuffers(scene);
  }

  async answer(request: number, values: Uint32Array, answer: Uint8Array): Promise<void> {
    switch (request) {
      case BEGIN_SHAP:
        return this.#begin(values);
      case SHAP_TREE:
        return this.#addTree(values);
      case READ_SHAP:
        return this.#read(values, answer);
      default:
        throw new DeviceError(`there is no request ${request}`);
    }
  }

  close(): void {
    this.#ofRows.release();
    this.#ofTree.release();
    this.#rows = null;
  }

  async #begin([bins, rowBytes, count, cells, sets, setWords]: Uint32Array): Promise<void> {
    this.close();
    const memory = this.#scene.bytes();
    const bytes = 8 * count! * cells!;
    const rows: Rows = {
      bins: await this.#ofRows.filled(memory, bins!, rowBytes! * count!),
      sets: await this.#ofRows.filled(memory, sets!, 4 * setWords!),
      contributions: await this.#ofRows.take(bytes),
      done: await this.#ofRows.take(SHAP_HEAD),
      ...{ rowBytes: rowBytes!, cells: cells!, bytes },
    };
    this.#scene.device.write(rows.done, 0, new Uint32Array(SHAP_HEAD / 4));
    await this.#scene.device.run({ steps: [{ clear: rows.contributions, bytes }] });
    this.#rows = rows;
  }

  async #addTree(values: Uint32Array): Promise<void> {
    const rows = this.#require();
    const [steps, stepCount, tables, tableBytes, leaves, leafBytes] = values;
    const [width, output, outputs, points, levels, first, count] = values.subarray(6);
    const { device } = this.#scene;
    const memory = this.#scene.bytes();
    const threads = count! * width!;
    this.#ofTree.release();
    const shape = await this.#ofTree.take(4 * SHAP_WORDS, "uniform");
    const words = new Uint32Array(SHAP_WORDS);
    words.set([first!, threads, stepCount!, points!, levels!, width!, output!, outputs!]);
    words.set([rows.rowBytes, rows.cells], 8);
    device.write(shape, 0, words);
    const kernel = await device.kernel(TREE_SHAP, [
      shape,
      await this.#ofTree.filled(memory, steps!, 4 * STEP_WORDS * stepCount!),
      await this.#ofTree.filled(memory, tables!, tableBytes!),
      await this.#ofTree.filled(memory, leaves!, leafBytes!),
      rows.sets,
      rows.bins,
      await this.#ofTree.take(8 * levels! * numbersOfLevel(points!) * threads),
      rows.contributions,
      rows.done,
    ]);
    await device.run({ steps: [{ kernel, groups: [Math.ceil(threads / THREADS)] }] });
  }

  async #read([stamp]: Uint32Array, answer: Uint8Array): Promise<void> {
    const { contributions, bytes, done } = this.#require();
    const { device } = this.#scene;
    this.#ofTree.release();
    const readback = await this.#ofTree.take(SHAP_HEAD + bytes, "readback");
    device.write(done, 4, Uint32Array.of(stamp!));
    await device.run(
      {
        steps: [
          { copy: done, from: 0, to: readback, at: 0, bytes: SHAP_HEAD },
          { copy: contributions, from: 0, to: readback, at: SHAP_HEAD, bytes },
        ],
        read: { buffer: readback, bytes: SHAP_HEAD + bytes },
      },
      (read) => answer.set(new Uint8Array(read)),
    );
  }

  #require(): Rows {
    if (this.#rows === null) throw new DeviceError("the rows are not there");
    return this.#rows;
  }
}
