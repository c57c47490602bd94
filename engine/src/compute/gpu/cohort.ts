/**
 * Fits of like sizes whose data lie side by side on the device, one buffer a kind, so that dispatches can do work of all
 * of them (`growth-program.ts`): work of few rows takes a device as long for one fit as for many. A fit of many rows, and
 * one whose splits the CPU searches, is in a cohort of its own.
 */

import { isDeepStrictEqual } from "node:util";
import { RECORD_WORDS } from "../../kernels/assembly/growing/record-layout.ts";
import { MOST_FITS } from "../../shaders/fits.ts";
import {
  candidateBytes,
  FEATURE_WORDS,
  mostHistograms,
  mostRecords,
  stateWords,
} from "../../shaders/growth/layout.ts";
import { BATCH_BYTES, mostBlocksOf } from "../../shaders/partition.ts";
import type { BufferUse, Device } from "./device.ts";
import { DeviceError } from "./device-error.ts";
import type { Scene } from "./program.ts";
import type { Slice } from "./steps.ts";
import { TakenBuffers } from "./taken-buffers.ts";
import { HEAD_WORDS, histogramBytesOf, mostSplits } from "./tree-requests.ts";

/** What the data of a fit are sized by. */
export interface FitSizes {
  /** Bytes of a row. */
  readonly rowStride: number;
  readonly dataRows: number;
  /** Most rows of a tree. */
  readonly capacity: number;
  /** Of a tree that grows there as a whole at most; 0: the CPU searches splits. */
  readonly leaves: number;
  /** Features of categories may be listed. */
  readonly hasCategories: boolean;
}

/** What lies side by side. */
const KINDS = [
  ...(["bins", "packed", "rows", "batch", "counts", "heads", "ranges", "slots"] as const),
  ...(["groups", "sums", "features", "state", "records", "pool", "candidates"] as const),
];
export type Kind = (typeof KINDS)[number];

/** Of each kind. */
type Of<T> = Readonly<Record<Kind, T>>;
const ofKinds = <T>(value: (kind: Kind) => T): Of<T> =>
  // Every kind is there, which its type does not know.
  Object.fromEntries(KINDS.map((kind) => [kind, value(kind)])) as Of<T>;

/** What may be bound by itself begins at a multiple of it. */
const ALIGNMENT = 256;

/** Cells of a fit whose work fills a device by itself. */
const MOST_CELLS = 2 ** 24;
/** Of the device's memory. */
const MOST_SHARE = 1 / 2;
/** Of a device of software, which gains nothing. */
const MOST_SOFTWARE_FITS = 3;
/** Leaves that trees of fewer are taken to have. */
const LEAST_LEAVES = 256;

/** A fit's place in a cohort. */
export interface Seat {
  readonly cohort: Cohort;
  readonly slices: Of<Slice>;
  /** Where they begin, as shaders count. */
  readonly places: Of<number>;
}

export class Cohort {
  readonly sizes: FitSizes;
  /** Of all fits. */
  readonly buffers: Of<GPUBuffer>;
  readonly #taken: TakenBuffers;
  readonly #fits: number;
  readonly #free: number[];
  readonly #seats = new Set<object>();

  private constructor(sizes: FitSizes, taken: TakenBuffers, buffers: Of<GPUBuffer>, fits: number) {
    this.sizes = sizes;
    this.buffers = buffers;
    this.#taken = taken;
    this.#fits = fits;
    this.#free = Array.from({ length: fits }, (_, fit) => fits - 1 - fit);
  }

  /**
   * @param fits that it has room for
   * @param bins of the one fit that it is for; null: they are to be brought to its place
   * @throws DeviceError where there is no room
   */
  static async begin(
    scene: Scene,
    sizes: FitSizes,
    fits: number,
    bins: GPUBuffer | null,
  ): Promise<Cohort> {
    const taken = new TakenBuffers(scene);
    const bytes = bytesOf(sizes);
    const buffers = new Map<Kind, GPUBuffer>();
    try {
      for (const kind of KINDS) {
        const given = kind === "bins" ? bins : null;
        buffers.set(kind, given ?? (await taken.take(fits * bytes[kind])));
      }
    } catch (error) {
      taken.release();
      throw error;
    }
    return new Cohort(
      sizes,
      taken,
      ofKinds((kind) => buffers.get(kind)!),
      fits,
    );
  }

  get isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  has(seat: object): boolean {
    return this.#seats.has(seat);
  }

  /** Whether it is for several; else its fit's bins are where they were given. */
  get isShared(): boolean {
    return this.#fits > 1;
  }

  get hasRoom(): boolean {
    return this.#free.length > 0;
  }

  /** Where there is room. */
  join(): Seat {
    const fit = this.#free.pop()!;
    const sizes = bytesOf(this.sizes);
    const elements = elementBytesOf(this.sizes);
    const slices = ofKinds((kind) => ({
      ...{ buffer: this.buffers[kind], offset: fit * sizes[kind] },
      // Of one fit it is as much as there is: bins that lie elsewhere may be more than its rows.
      size: this.#fits === 1 ? this.buffers[kind].size : sizes[kind],
    }));
    const places = ofKinds((kind) => slices[kind].offset / elements[kind]);
    const seat = { cohort: this, slices, places };
    this.#seats.add(seat);
    return seat;
  }

  /** What goes with its buffers. */
  take(bytes: number, use: BufferUse): Promise<GPUBuffer> {
    return this.#taken.take(bytes, use);
  }

  leave(seat: Seat): void {
    this.#seats.delete(seat);
    this.#free.push(seat.slices.rows.offset / bytesOf(this.sizes).rows);
    if (this.isEmpty) this.#taken.release();
  }
}

/** The cohorts of a device. */
class Cohorts {
  #open: Cohort[] = [];
  /** One fit after another, so that those that come together find each other. */
  #last: Promise<void> = Promise.resolve();

  join(scene: Scene, sizes: FitSizes, bins: () => Promise<GPUBuffer>): Promise<Seat> {
    const joined = this.#last.then(() => this.#join(scene, sizes, bins));
    this.#last = joined.then(
      () => undefined,
      // Whoever asked is told; the next one goes on.
      () => undefined,
    );
    return joined;
  }

  async #join(scene: Scene, sizes: FitSizes, bins: () => Promise<GPUBuffer>): Promise<Seat> {
    const taken = roomy(sizes);
    const fits = fitsTogether(scene.device, taken);
    // One that nobody is in any more has no buffers.
    this.#open = this.#open.filter(({ isEmpty }) => !isEmpty);
    if (fits > 1) {
      const found = this.#open.find(
        (cohort) => cohort.hasRoom && isDeepStrictEqual(cohort.sizes, taken),
      );
      if (found) return found.join();
      try {
        const cohort = await Cohort.begin(scene, taken, fits, null);
        this.#open.push(cohort);
        return cohort.join();
      } catch (error) {
        // There may be room for one.
        if (!(error instanceof DeviceError)) throw error;
      }
    }
    return (await Cohort.begin(scene, sizes, 1, await bins())).join();
  }
}

const ofDevices = new WeakMap<Device, Cohorts>();

/**
 * A place for a fit among those of like sizes.
 *
 * @param bins the fit's, where it gets buffers of its own; else they are to be brought to its slice
 * @throws DeviceError where there is no room
 */
export function joinCohort(
  scene: Scene,
  sizes: FitSizes,
  bins: () => Promise<GPUBuffer>,
): Promise<Seat> {
  const cohorts = ofDevices.get(scene.device) ?? new Cohorts();
  ofDevices.set(scene.device, cohorts);
  return cohorts.join(scene, sizes, bins);
}

/** Nodes of a step at most. */
export const mostNodesOf = ({ rowStride, leaves }: FitSizes): number =>
  leaves === 0 ? mostSplits(rowStride) : Math.min(mostSplits(rowStride), leaves - 1);

/** Bytes of a fit. */
function bytesOf(sizes: FitSizes): Of<number> {
  const { rowStride, dataRows, capacity, leaves } = sizes;
  const nodes = mostNodesOf(sizes);
  // A tree has no more features than a row has bytes, and a feature 256 entries at most.
  const grown = leaves === 0 ? 0 : rowStride;
  const counts: Of<number> = {
    ...{ bins: (rowStride / 4) * dataRows, packed: dataRows, rows: 2 * capacity, batch: 1 },
    ...{ counts: mostBlocksOf(nodes, capacity), heads: nodes, ranges: 1 + nodes },
    ...{ slots: rowStride, groups: rowStride, sums: (nodes * histogramBytesOf(rowStride)) / 8 },
    ...{ features: grown, state: leaves === 0 ? 0 : stateWords(leaves) },
    ...{ records: leaves === 0 ? 0 : mostRecords(leaves) },
    ...{ pool: grown * 256 * mostHistograms(leaves), candidates: 2 * nodes * grown },
  };
  const elements = elementBytesOf(sizes);
  return ofKinds((kind) => {
    const grain = kind === "batch" ? BATCH_BYTES : ALIGNMENT;
    return Math.ceil((counts[kind] * elements[kind]) / grain) * grain;
  });
}

const elementBytesOf = ({ hasCategories }: FitSizes): Of<number> => ({
  ...{ bins: 4, packed: 8, rows: 4, batch: BATCH_BYTES, counts: 4, heads: 4 * HEAD_WORDS },
  ...{ ranges: 8, slots: 4, groups: 4, sums: 8, features: 4 * FEATURE_WORDS, state: 4 },
  ...{ records: 4 * RECORD_WORDS, pool: 8, candidates: candidateBytes(hasCategories) },
});

/** Few sizes, so that fits of one search have the same: a quarter more of everything at most, but for leaves. */
function roomy({ rowStride, dataRows, capacity, leaves, hasCategories }: FitSizes): FitSizes {
  const rounded = (count: number): number => {
    const grain = 2 ** Math.max(0, Math.floor(Math.log2(count)) - 2);
    return Math.ceil(count / grain) * grain;
  };
  return {
    ...{ rowStride, hasCategories, dataRows: rounded(dataRows), capacity: rounded(capacity) },
    leaves: leaves === 0 ? 0 : Math.max(LEAST_LEAVES, 4 ** Math.ceil(Math.log2(leaves) / 2)),
  };
}

/** Of so large fits. */
function fitsTogether(device: Device, sizes: FitSizes): number {
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  if (sizes.leaves === 0 || sizes.dataRows * sizes.rowStride > MOST_CELLS) return 1;
  const bytes = Object.values(bytesOf(sizes));
  const together = bytes.reduce((sum, each) => sum + each);
  const most = Math.min(device.fits, device.facts.isSoftware ? MOST_SOFTWARE_FITS : MOST_FITS);
  const fitting = Math.floor((MOST_SHARE * device.memoryBytes) / together);
  const bound = Math.floor(
    Math.min(maxBufferSize, maxStorageBufferBindingSize) / Math.max(...bytes),
  );
  return Math.max(1, Math.min(most, fitting, bound));
}
