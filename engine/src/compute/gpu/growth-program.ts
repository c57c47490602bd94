/**
 * Trees that a device grows as a whole, of those in `tree-program.ts`: which nodes are split is decided there as well, so
 * that a tree is as many steps as come together on one way, and records of its nodes come home. Trees of all fits of a
 * cohort grow by the same dispatches. The fit's side is `trees/grown-there.ts`.
 */

import { FIT_WORDS, type Fit, fitWords, MOST_FITS } from "../../shaders/fits.ts";
import { CATEGORY_SEARCH } from "../../shaders/growth/categories.ts";
import { GROWTH_WORDS } from "../../shaders/growth/layout.ts";
import { PLAN_STEP } from "../../shaders/growth/plan.ts";
import { BEGIN_ROOTS } from "../../shaders/growth/root.ts";
import { searchShader } from "../../shaders/growth/search.ts";
import { settleShader } from "../../shaders/growth/settle.ts";
import { featuresOfGroup, histogramShader, THREADS, unitsOf } from "../../shaders/histogram.ts";
import { COUNT_LEFT, mostBlocksOf, PLACE_BLOCKS, SCATTER } from "../../shaders/partition.ts";
import { type Cohort, type Kind, mostNodesOf } from "./cohort.ts";
import type { Device } from "./device.ts";
import { groupsOf, type Scene } from "./program.ts";
import type { SharedSteps } from "./shared-steps.ts";
import type { Kernel, Region, Step } from "./steps.ts";

/** What a fit asks for on one way. */
export interface Growing {
  /** Without rows of a root the tree is under way. */
  readonly fit: Fit;
  /** GROWTH_WORDS that all steps go by. */
  readonly parameters: Uint32Array;
  readonly steps: number;
  /** Brings the root's histogram to where it is read back. */
  readonly keepRoot: Step;
}

/** What splits nodes, and sums their histograms. */
export interface SplitKernels {
  readonly countLeft: Kernel;
  readonly placeBlocks: Kernel;
  readonly scatter: Kernel;
  readonly histogram: Kernel;
}

/** @param fits says where their data begin in the regions */
export async function splitKernels(
  device: Device,
  fits: GPUBuffer,
  regions: Readonly<Record<Kind, Region>>,
): Promise<SplitKernels> {
  const { bins, packed, rows, batch, counts, heads, ranges, slots, groups, sums } = regions;
  const width = featuresOfGroup(device.limits.maxComputeWorkgroupStorageSize);
  const summed = [fits, bins, packed, rows, slots, groups, ranges, sums];
  return {
    countLeft: await device.kernel(COUNT_LEFT, [fits, batch, bins, rows, counts]),
    placeBlocks: await device.kernel(PLACE_BLOCKS, [fits, batch, counts, heads, ranges]),
    scatter: await device.kernel(SCATTER, [fits, batch, bins, rows, counts, heads, sums]),
    histogram: await device.kernel(histogramShader(width), summed),
  };
}

interface Kernels extends SplitKernels {
  readonly beginRoots: Kernel;
  readonly plan: Kernel;
  readonly searches: readonly Kernel[];
  readonly settle: Kernel;
}

export class CohortGrowth implements SharedSteps {
  readonly #device: Device;
  readonly #cohort: Cohort;
  readonly #fits: GPUBuffer;
  readonly #growths: GPUBuffer;
  readonly #kernels: Kernels;
  #entered: Growing[] = [];

  private constructor(
    device: Device,
    cohort: Cohort,
    fits: GPUBuffer,
    growths: GPUBuffer,
    kernels: Kernels,
  ) {
    this.#device = device;
    this.#cohort = cohort;
    this.#fits = fits;
    this.#growths = growths;
    this.#kernels = kernels;
  }

  static async begin(device: Device, cohort: Cohort): Promise<CohortGrowth> {
    const { hasCategories } = cohort.sizes;
    const form = { hasCategories };
    const { batch, heads, ranges, sums, features } = cohort.buffers;
    const { state, records, pool, candidates } = cohort.buffers;
    const fits = await cohort.take(4 * FIT_WORDS * MOST_FITS, "uniform");
    const growths = await cohort.take(4 * GROWTH_WORDS * MOST_FITS, "uniform");
    const searched = [fits, growths, batch, features, heads, records, sums, pool, candidates];
    const kernels: Kernels = {
      ...(await splitKernels(device, fits, cohort.buffers)),
      beginRoots: await device.kernel(BEGIN_ROOTS, [fits, state, records, batch, ranges, sums]),
      plan: await device.kernel(PLAN_STEP, [fits, growths, state, records, batch]),
      searches: [
        await device.kernel(searchShader(form), searched),
        ...(hasCategories ? [await device.kernel(CATEGORY_SEARCH, searched)] : []),
      ],
      settle: await device.kernel(settleShader(form), [
        ...[fits, growths, batch, features, heads, candidates, records],
      ]),
    };
    return new CohortGrowth(device, cohort, fits, growths, kernels);
  }

  has(seat: object): boolean {
    return this.#cohort.has(seat);
  }

  enter(growing: Growing): void {
    this.#entered.push(growing);
  }

  steps(): Step[] {
    const entered = this.#entered;
    this.#entered = [];
    // Trees that begin are the first, since dispatches of roots are theirs alone.
    const beginning = entered.filter(({ fit }) => fit.rootRows > 0);
    const all = [...beginning, ...entered.filter(({ fit }) => fit.rootRows === 0)];
    this.#device.write(this.#fits, 0, Uint32Array.from(all.flatMap(({ fit }) => fitWords(fit))));
    const growths = new Uint32Array(GROWTH_WORDS * all.length);
    all.forEach(({ parameters }, i) => {
      growths.set(parameters, GROWTH_WORDS * i);
    });
    this.#device.write(this.#growths, 0, growths);
    const steps = beginning.length > 0 ? this.#beginRoots(beginning) : [];
    const step = this.#step(all);
    const count = Math.max(...all.map(({ steps }) => steps));
    for (let i = 0; i < count; i++) steps.push(...step);
    return steps;
  }

  #beginRoots(beginning: readonly Growing[]): Step[] {
    const { beginRoots, histogram, settle } = this.#kernels;
    const fits = beginning.length;
    const entries = Math.max(...beginning.map(({ fit }) => fit.entries));
    const units = Math.max(
      ...beginning.map(({ fit }) => unitsOf([fit.rootRows], fit.listedGroups)),
    );
    return [
      this.#dispatch(beginRoots, Math.ceil(entries / THREADS), fits),
      this.#dispatch(histogram, units, fits),
      ...beginning.map(({ keepRoot }) => keepRoot),
      ...this.#search(beginning, 1),
      this.#dispatch(settle, 1, fits),
    ];
  }

  /** Of all trees, those that are grown already included: they have nothing that is to be split. */
  #step(all: readonly Growing[]): Step[] {
    const { plan, countLeft, placeBlocks, scatter, histogram, settle } = this.#kernels;
    const fits = all.length;
    const { sizes } = this.#cohort;
    const most = mostNodesOf(sizes);
    const blocks = mostBlocksOf(most, sizes.capacity);
    // Small nodes have a unit each; of large ones no more rows can be summed than half of all.
    const rows = [...new Array<number>(most).fill(1), sizes.capacity >> 1];
    const units = unitsOf(rows, Math.max(...all.map(({ fit }) => fit.listedGroups)));
    return [
      this.#dispatch(plan, 1, fits),
      this.#dispatch(countLeft, blocks, fits),
      this.#dispatch(placeBlocks, most, fits),
      this.#dispatch(scatter, blocks, fits),
      this.#dispatch(histogram, units, fits),
      ...this.#search(all, most),
      this.#dispatch(settle, 2 * most, fits),
    ];
  }

  #search(growing: readonly Growing[], nodes: number): Step[] {
    const features = Math.max(...growing.map(({ fit }) => fit.listedFeatures));
    return this.#kernels.searches.map((kernel) =>
      this.#dispatch(kernel, features * nodes, growing.length),
    );
  }

  #dispatch(kernel: Kernel, units: number, fits: number): Step {
    return { kernel, groups: [groupsOf(this.#device, units, fits), fits] };
  }
}

const ofCohorts = new WeakMap<Cohort, Promise<CohortGrowth>>();

/** What grows the trees of a cohort. */
export function growthOf({ device }: Scene, cohort: Cohort): Promise<CohortGrowth> {
  const growth = ofCohorts.get(cohort) ?? CohortGrowth.begin(device, cohort);
  ofCohorts.set(cohort, growth);
  return growth;
}
