/** How trees are grown. */

import type { Crew } from "../compute/crew.ts";
import type { DeviceShare } from "./tree-device.ts";

export type Growth = "leafwise" | "depthwise" | "symmetric";

export interface GrowthSettings {
  /** Which open node is split next: highest gain, or lowest depth; or a level by one test of all its nodes. */
  readonly growth: Growth;
  /** Of symmetric trees the depth alone counts. */
  readonly maxLeaves: number;
  /** 0 = no limit, but for symmetric trees, which need one. */
  readonly maxDepth: number;
  /** Rows in a leaf, estimated from the hessian as LightGBM does; exact where hessians are equal. */
  readonly minData: number;
  readonly minHessian: number;
  /** Least loss reduction of a split. */
  readonly minGain: number;
  readonly l1: number;
  readonly l2: number;
  readonly catSmooth: number;
  readonly catL2: number;
  /** Least rows of a group of categories that a cut may step over. */
  readonly minGroup: number;
  /** Most categories on the listed side of a split. */
  readonly maxCategories: number;
  /** Up to this many categories in a node, each is tried against the rest. */
  readonly oneVersusRest: number;
  /** One random threshold a feature instead of the best (extra trees). */
  readonly randomThresholds: boolean;
  /** -1, 0, 1 a feature; null = none constrained. */
  readonly monotone: Int8Array | null;
  /**
   * Bytes of histograms kept for subtraction (64 MiB if left out). Beyond it some are built again
   * from rows: slower, the same trees.
   */
  readonly histogramBytes?: number;
  /** Who shares the work. Absent: nobody. */
  readonly crew?: Crew;
  /** Cells (rows × features) of a unit of shared work at least. Of no matter for the tree. */
  readonly unitCells?: number;
  /** The device that takes part in this fit. Absent: none. Of no matter for the tree. */
  readonly device?: DeviceShare;
  /** Trees that are kept at once (`select`); 1 if left out. */
  readonly kept?: number;
}
