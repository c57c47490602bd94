/** Fits a forest: trees on bags of the rows, each under a key of its own. */

import { Arena } from "../../compute/arena.ts";
import { Crew } from "../../compute/crew.ts";
import { type CrewDesk, MOST_HELPERS } from "../../compute/crew-desk.ts";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { BinnedData, EncodedData } from "../../data/encoded.ts";
import { GROW_TREES } from "../../kernels/assembly/crew/crew-layout.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { ForestBuilder } from "./forest-builder.ts";
import { ForestDevice, type ForestShare } from "./forest-device.ts";
import { growTrees } from "./grow-trees.ts";
import {
  classStatistics,
  type RowStatistics,
  regressionStatistics,
  softClassStatistics,
} from "./row-statistics.ts";
import { slotLayout } from "./slot-layout.ts";
import { type Criterion, type ForestGrowth, TreeSlots } from "./tree-slots.ts";

export interface ForestSettings {
  readonly trees: number;
  /** Share of the features tried at a node; at least one is. */
  readonly featureFraction: number;
  readonly minLeaf: number;
  readonly maxLeaves: number;
  /** 0 = no limit. */
  readonly maxDepth: number;
  readonly randomCuts: boolean;
  /** Of classes; labels by degrees of two are told apart by the Gini index in any case. Absent: gini. */
  readonly criterion?: Criterion;
  readonly bootstrap: boolean;
  /** Rows of a bag as a share of all. */
  readonly sampleFraction: number;
  /** λ of hierarchical shrinkage; see `forests/values.ts` of the kernels. */
  readonly shrinkage: number;
}

export interface ForestInput {
  readonly data: EncodedData;
  /** One a row of `data`: the value, or the index of the class. */
  readonly target: Float64Array;
  /** 0 for regression; 2 gives one output, the share of the second class. */
  readonly classes: number;
  /** Labels by degrees, read in place of `target`; see `FitContext`. */
  readonly softTarget?: Float64Array | null;
  readonly weights: Float64Array | null;
  readonly trainRows: Uint32Array;
  readonly key: RandomKey;
  /** Asked before each tree: false ends the forest. Absent: it has all trees of the settings. */
  readonly mayGrow?: (() => boolean) | undefined;
  /** Asked while a tree that has been asked for waits: whether the last one is to be given up. */
  readonly givesUp?: (() => boolean) | undefined;
  /** Where threads that would help meet the fit. Absent: there are none. */
  readonly crew?: CrewDesk | undefined;
  /** A device that grows trees as well. Absent: there is none. */
  readonly device?: ForestShare | undefined;
}

/** When the trees of a forest are shared by threads. Of no matter for what is grown. */
export interface Sharing {
  /** Cells (rows × features) of a fit at least. */
  readonly cells: number;
  /** Cells that a thread looks at before it looks up: about a millisecond's, unless a node has more. */
  readonly lookCells: number;
}

const SHARING: Sharing = { cells: 2 ** 15, lookCells: 2 ** 17 };

/** Whether threads that help a forest on such data would find work. */
export function isShared(rows: number, features: number): boolean {
  return rows * features >= SHARING.cells;
}

/** Bytes of the arena for the trees of helpers, all together. */
const HELPER_BYTES = 128 * 2 ** 20;

/**
 * How many trees there is to be memory for beside the leader's: none where the fit is too small to be shared.
 * A function of the data and the settings alone, as all memory of a fit must be.
 */
function treesOfHelpers(
  binned: BinnedData,
  statistics: RowStatistics,
  growth: ForestGrowth,
  { cells }: Sharing,
): number {
  if (statistics.weight.length * binned.bins.length < cells) return 0;
  const { bytes } = slotLayout(binned, statistics, growth);
  return Math.min(2 * MOST_HELPERS, Math.max(1, Math.floor(HELPER_BYTES / bytes)));
}

export function fitForest(
  input: ForestInput,
  settings: ForestSettings,
  sharing = SHARING,
): TreeEnsemble {
  const { data, key, classes, softTarget } = input;
  const { criterion = "gini" } = settings;
  const { binned } = data;
  if (binned === null)
    throw new Error("Forests read bins, and this data was encoded without them.");
  const { rows, statistics } = statisticsOf(input);
  return withScratch(Arena.attach(data.arena), (scratch) => {
    const growth: ForestGrowth = {
      nodeFeatures: Math.max(1, Math.round(settings.featureFraction * binned.bins.length)),
      maxLeaves: settings.maxLeaves,
      maxDepth: settings.maxDepth,
      minLeaf: settings.minLeaf,
      randomCuts: settings.randomCuts,
      draws: Math.max(1, Math.round(settings.sampleFraction * rows.length)),
      withReplacement: settings.bootstrap,
      shrinkage: settings.shrinkage,
      criterion: classes > 0 && !(softTarget && classes === 2) ? criterion : "gini",
      lookCells: sharing.lookCells,
    };
    const extra = treesOfHelpers(binned, statistics, growth, sharing);
    const crew = new Crew(scratch, extra, input.crew ?? null);
    const slots = new TreeSlots(scratch, binned, rows, statistics, growth, extra);
    crew.setTask(GROW_TREES, slots.block);
    const cells = rows.length * binned.bins.length * settings.trees;
    const { device } = input;
    const isShared =
      device !== undefined &&
      growth.criterion === "gini" &&
      ForestDevice.takes(device, cells, slots);
    const builder = new ForestBuilder(Math.max(1, statistics.classes));
    const trees = crew.lead(() =>
      growTrees(slots, crew, {
        trees: settings.trees,
        keyOf: (tree) => extendKey(key, "tree", tree),
        mayGrow: input.mayGrow ?? (() => true),
        givesUp: input.givesUp ?? (() => false),
        take: (tree, grown) => builder.put(tree, grown),
        device: isShared ? new ForestDevice(device, slots) : null,
      }),
    );
    return builder.build(trees);
  });
}

/** The share of the second of two classes is a number like any, and its Gini index a variance. */
function statisticsOf({ target, softTarget, classes, weights, trainRows }: ForestInput): {
  readonly rows: Uint32Array;
  readonly statistics: RowStatistics;
} {
  if (!softTarget) {
    return classes === 0
      ? regressionStatistics(target, trainRows, weights)
      : classStatistics(target, classes, trainRows, weights);
  }
  return classes > 2
    ? softClassStatistics(softTarget, classes, trainRows, weights)
    : regressionStatistics(softTarget, trainRows, weights);
}
