/** What the fit's side and the device's side of growing trees say to each other: requests, with their values. */

import { RECORD_WORDS } from "../../kernels/assembly/growing/record-layout.ts";
import { STATE_HEAD_WORDS } from "../../shaders/growth/layout.ts";
import { MOST_NODES } from "../../shaders/partition.ts";

/**
 * [bins by rows, bytes of a row, rows of the data, most rows of a tree, 1 = the bins stay; of trees that grow there as a
 * whole their leaves at most, of others 0, and 1 = features of categories may be listed]
 */
export const BEGIN_FIT = 1;
/**
 * [packed, rows, their count, 1 = other rows than of the last tree, list of features, offsets,
 * features, entries, 1 = other features, where gradients are: AT_HOME or on the device with the rows listed there]
 *
 * On the device `packed` are the scales of gradients and of hessians (f64), and `rows` are not read.
 */
export const BEGIN_TREE = 2;
/** [place of the first row, rows] → the histogram. */
export const NODE_HISTOGRAM = 3;
/**
 * [nodes as SPLIT_WORDS each, their number, least rows of a child on the device, stamp] → HEAD_WORDS a node; the
 * histograms of the smaller children of those that want one; as many of the first and of the last rows of each
 * node as a child that leaves the device can have; where gradients are on the device, those of these rows, packed.
 */
export const SPLIT_NODES = 4;
/** [ranges as place of the first row and rows, their number] → the rows of one behind those of the other. */
export const NODE_ROWS = 5;
// 6 to 9 are of boosting (`boosting-requests.ts`).
/**
 * [steps, rows of the tree where it begins, or 0; records that come home, value bins and kinds of the data's features, then
 * the words that all steps go by] → how far the tree is, STATE_HEAD_WORDS; the records; where it begins, the
 * root's histogram. See `shaders/growth/form.ts`.
 */
export const GROW_TREE = 10;
export const TREE_REQUESTS_END = 16;

/** Where gradients and rows of a tree are. */
export const AT_HOME = 0;
/** On the device: all rows that are learned from, or those of the bag that was drawn there. */
export const ALL_HELD = 1;
export const BAG_HELD = 2;

/*
 * Rows lie on the device twice: at places from 0, and from the most rows of a tree on. A split reads them on one
 * side and writes them to the other, so that nodes may be split before it is known that the tree will have them.
 */

/** u32 of a node that is split. */
export const SPLIT_WORDS = 16;
/** Of them: places of its first row, read and written, its rows, its feature, 1 = wants a histogram. */
export const SPLIT_FROM = 0;
export const SPLIT_TO = 1;
export const SPLIT_COUNT = 2;
export const SPLIT_FEATURE = 3;
export const SPLIT_WANTS = 4;
/** Of the device: its first block among all, and its blocks; a word behind them is of trees that grow there as a whole. */
export const SPLIT_FIRST_BLOCK = 5;
export const SPLIT_BLOCKS = 6;
/** 8 words: a bit a bin that goes left. */
export const SPLIT_TABLE = 8;

/** u32 of a node in the answer: rows that went left, the stamp, rows of its histogram; one is unused. */
export const HEAD_WORDS = 4;

const MOST_HISTOGRAM_BYTES = 2 ** 24;

/** A histogram at most, by the bytes of a row: a feature has 256 entries at most. */
export function histogramBytesOf(rowStride: number): number {
  return rowStride * 256 * 8;
}

/** Nodes of a request at most. */
export function mostSplits(rowStride: number): number {
  const fitting = Math.floor(MOST_HISTOGRAM_BYTES / histogramBytesOf(rowStride));
  return Math.max(1, Math.min(MOST_NODES, fitting));
}

/** Ranges that NODE_ROWS takes at most: what the words of MOST_NODES have room for. */
export const MOST_RANGES = (MOST_NODES * SPLIT_WORDS) / 2;
/** Of the words of nodes or of ranges. */
export const LIST_BYTES = 4 * MOST_NODES * SPLIT_WORDS;

/** What comes home of a tree that grows there as a whole. @param entries of the root's histogram, or 0 */
export const growthBytes = (records: number, entries: number): number =>
  4 * STATE_HEAD_WORDS + 4 * RECORD_WORDS * records + 8 * entries;
