/**
 * Trees that a device grows as a whole, of those in `tree-program.ts`: which nodes are split is decided there as well, so
 * that a tree is as many steps as come together on one way, and records of its nodes come home. The fit's side is
 * `trees/grown-there.ts`.
 */

import { RECORD_COUNT, RECORD_WORDS } from "../../kernels/assembly/growing/record-layout.ts";
import { CATEGORY_SEARCH } from "../../shaders/growth/categories.ts";
import type { GrowthForm } from "../../shaders/growth/form.ts";
import {
  CANDIDATE_WORDS,
  FEATURE_WORDS,
  GROWTH_WORDS,
  mostHistograms,
  mostRecords,
  STATE_HEAD_WORDS,
  stateWords,
} from "../../shaders/growth/layout.ts";
import { PLAN_STEP } from "../../shaders/growth/plan.ts";
import { searchShader } from "../../shaders/growth/search.ts";
import { settleShader } from "../../shaders/growth/settle.ts";
import { groupsOf, type Scene } from "./program.ts";
import type { TakenBuffers } from "./taken-buffers.ts";
import { growthBytes, SPLIT_COUNT, SPLIT_WANTS, SPLIT_WORDS } from "./tree-requests.ts";
import type { Kernel, Step } from "./work-queue.ts";

/** Of the session that the trees grow in. */
export interface GrowthBuffers {
  readonly nodes: GPUBuffer;
  readonly heads: GPUBuffer;
  readonly ranges: GPUBuffer;
  readonly sums: GPUBuffer;
}

/** What is sized by the leaves and the features of the trees. */
export interface GrowthSizes {
  readonly leaves: number;
  /** Listed ones. */
  readonly features: number;
  /** Nodes of a step at most. */
  readonly most: number;
}

/** Of one way to the device. */
export interface GrowthRequest {
  readonly steps: number;
  /** Of the tree, where it begins; 0: it is under way. */
  readonly rows: number;
  /** That come home. */
  readonly records: number;
  /** Listed ones. */
  readonly features: number;
  /** Of a histogram. */
  readonly entries: number;
}

/** Steps of all trees. */
export interface GrowthWork {
  /** Of the nodes that are listed. */
  readonly histogram: Step;
  /** Parts the nodes that are listed, and sums their smaller children. */
  readonly split: readonly Step[];
}

export class TreeGrowth {
  readonly readback: GPUBuffer;
  readonly sizes: GrowthSizes;
  readonly #scene: Scene;
  readonly #buffers: GrowthBuffers;
  readonly #shape: GPUBuffer;
  readonly #features: GPUBuffer;
  readonly #state: GPUBuffer;
  readonly #records: GPUBuffer;
  readonly #plan: Kernel;
  readonly #searches: readonly Kernel[];
  readonly #settle: Kernel;

  private constructor(
    scene: Scene,
    buffers: GrowthBuffers,
    sizes: GrowthSizes,
    own: Readonly<Record<"readback" | "shape" | "features" | "state" | "records", GPUBuffer>>,
    kernels: Readonly<Record<"plan" | "settle", Kernel>> & { readonly searches: readonly Kernel[] },
  ) {
    this.#scene = scene;
    this.#buffers = buffers;
    this.sizes = sizes;
    this.readback = own.readback;
    this.#shape = own.shape;
    this.#features = own.features;
    this.#state = own.state;
    this.#records = own.records;
    this.#plan = kernels.plan;
    this.#searches = kernels.searches;
    this.#settle = kernels.settle;
  }

  static async begin(
    scene: Scene,
    taken: TakenBuffers,
    buffers: GrowthBuffers,
    sizes: GrowthSizes,
    form: GrowthForm,
  ): Promise<TreeGrowth> {
    const { leaves, features: count, most } = sizes;
    const { device } = scene;
    const { nodes, heads, sums } = buffers;
    const shape = await taken.take(4 * GROWTH_WORDS, "uniform");
    const features = await taken.take(4 * FEATURE_WORDS * count);
    const state = await taken.take(4 * stateWords(leaves));
    const records = await taken.take(4 * RECORD_WORDS * mostRecords(leaves));
    // A feature has 256 entries at most.
    const pool = await taken.take(8 * 256 * count * mostHistograms(leaves));
    const candidates = await taken.take(4 * CANDIDATE_WORDS * 2 * most * count);
    const readback = await taken.take(growthBytes(mostRecords(leaves), 256 * count), "readback");
    const searched = [shape, nodes, features, heads, records, sums, pool, candidates];
    const settled = [shape, nodes, features, heads, candidates, records];
    const kernels = {
      plan: await device.kernel(PLAN_STEP, [shape, state, records, nodes]),
      searches: [
        await device.kernel(searchShader(form), searched),
        ...(form.hasCategories ? [await device.kernel(CATEGORY_SEARCH, searched)] : []),
      ],
      settle: await device.kernel(settleShader(form), settled),
    };
    const own = { readback, shape, features, state, records };
    return new TreeGrowth(scene, buffers, sizes, own, kernels);
  }

  /** The listed features, FEATURE_WORDS each. */
  useFeatures(features: Uint32Array): void {
    this.#scene.device.write(this.#features, 0, features);
  }

  /** @param parameters the words that all steps go by */
  asked(
    parameters: Uint32Array,
    { steps: count, rows, records, features, entries }: GrowthRequest,
    { histogram, split }: GrowthWork,
  ): { readonly steps: Step[]; readonly bytes: number } {
    const { device } = this.#scene;
    const to = this.readback;
    const headBytes = 4 * STATE_HEAD_WORDS;
    const recordBytes = 4 * RECORD_WORDS * records;
    const steps: Step[] = [];
    device.write(this.#shape, 0, parameters);
    if (rows > 0) {
      this.#beginRoot(rows);
      const bytes = 8 * entries;
      steps.push(
        { clear: this.#buffers.sums, bytes },
        histogram,
        { copy: this.#buffers.sums, from: 0, to, at: headBytes + recordBytes, bytes },
        ...this.#search(features, 1),
        { kernel: this.#settle, groups: [1] },
      );
    }
    const { most } = this.sizes;
    for (let i = 0; i < count; i++) {
      steps.push({ kernel: this.#plan, groups: [1] }, ...split, ...this.#search(features, most), {
        kernel: this.#settle,
        groups: [groupsOf(device, 2 * most)],
      });
    }
    steps.push(
      { copy: this.#state, from: 0, to, at: 0, bytes: headBytes },
      { copy: this.#records, from: 0, to, at: headBytes, bytes: recordBytes },
    );
    return { steps, bytes: growthBytes(records, rows > 0 ? entries : 0) };
  }

  #search(features: number, nodes: number): Step[] {
    const groups = [groupsOf(this.#scene.device, features * nodes)] as const;
    return this.#searches.map((kernel) => ({ kernel, groups }));
  }

  /** The root is the only node, and open. */
  #beginRoot(rows: number): void {
    const { device } = this.#scene;
    const record = new Uint32Array(RECORD_WORDS);
    record[RECORD_COUNT] = rows;
    device.write(this.#records, 0, record);
    // One of each: a record, a histogram, an open node, which is the first, a leaf and a number.
    device.write(this.#state, 0, Uint32Array.of(1, 1, 1, 1, 1, 0, 0, 0, 0));
    const node = new Uint32Array(SPLIT_WORDS);
    node[SPLIT_COUNT] = rows;
    node[SPLIT_WANTS] = 1;
    // One node, of no blocks: it is searched, and not split.
    device.write(this.#buffers.nodes, 0, Uint32Array.of(1, 0, 1, 0, ...node));
    device.write(this.#buffers.ranges, 0, Uint32Array.of(1, 0, 0, rows));
  }
}
