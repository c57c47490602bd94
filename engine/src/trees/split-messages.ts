/** What is told of nodes that a device is to split (`SPLIT_NODES`), and what it answers. */

import {
  HEAD_WORDS,
  SPLIT_COUNT,
  SPLIT_FEATURE,
  SPLIT_FROM,
  SPLIT_TABLE,
  SPLIT_TO,
  SPLIT_WANTS,
} from "../compute/gpu/tree-requests.ts";

/** A node that is to be split. */
export interface NodeToSplit {
  /** Of its rows in the tree's order. */
  readonly first: number;
  readonly count: number;
  readonly feature: number;
  /** A bit a bin that goes left. */
  readonly table: readonly number[];
  readonly wantsHistogram: boolean;
}

/** What the device made of a node: its children's rows lie on the other side. */
export interface NodeSplit {
  readonly count: number;
  readonly feature: number;
  readonly left: number;
  /** Of the smaller child; null where that was not asked for, or leaves the device. */
  readonly histogram: Uint8Array | null;
  /** Rows of the children that leave the device; null of those that do not. */
  readonly leftRows: Uint32Array | null;
  readonly rightRows: Uint32Array | null;
  /** Their packed gradients, two words a row, where the device alone has those. */
  readonly leftPacked: Uint32Array | null;
  readonly rightPacked: Uint32Array | null;
}

/** What all nodes of a message have in common. */
export interface SplitForm {
  /** Children of fewer rows leave the device. */
  readonly least: number;
  readonly histogramBytes: number;
  /** Whether the gradients of rows come with them, behind all rows. */
  readonly hasGradients: boolean;
}

const wantsHistogram = (node: NodeToSplit, { least }: SplitForm): boolean =>
  node.wantsHistogram && node.count >> 1 >= least;

/** Most rows that come home from each end of a node. */
const endRows = (node: NodeToSplit, { least }: SplitForm): number =>
  Math.min(least - 1, node.count);

/** Of the gradients of one end of a node. */
const gradientBytes = ({ least, hasGradients }: SplitForm): number =>
  hasGradients ? 8 * (least - 1) : 0;

/** @param words SPLIT_WORDS of them @param from where its rows lie @param to where its children's are to lie */
export function writeSplit(
  words: Uint32Array,
  node: NodeToSplit,
  from: number,
  to: number,
  form: SplitForm,
): void {
  words.fill(0);
  words[SPLIT_FROM] = from;
  words[SPLIT_TO] = to;
  words[SPLIT_COUNT] = node.count;
  words[SPLIT_FEATURE] = node.feature;
  words[SPLIT_WANTS] = wantsHistogram(node, form) ? 1 : 0;
  words.set(node.table, SPLIT_TABLE);
}

/** Heads of all nodes, then the histograms that are wanted, then rows of both ends, then their gradients. */
export function splitAnswerBytes(nodes: readonly NodeToSplit[], form: SplitForm): number {
  return nodes.reduce(
    (sum, node) =>
      sum +
      (wantsHistogram(node, form) ? form.histogramBytes : 0) +
      8 * endRows(node, form) +
      2 * gradientBytes(form),
    4 * HEAD_WORDS * nodes.length,
  );
}

/** @param stamp of the message @returns one a node; null where it is no answer to this message */
export function readSplits(
  answer: ArrayBufferLike,
  nodes: readonly NodeToSplit[],
  form: SplitForm,
  stamp: number,
): NodeSplit[] | null {
  const { least, histogramBytes } = form;
  const wanted = nodes.filter((node) => wantsHistogram(node, form)).length;
  const heads = new Uint32Array(answer, 0, HEAD_WORDS * nodes.length);
  let histogramAt = 4 * heads.length;
  let rowsAt = histogramAt + histogramBytes * wanted;
  const endBytes = gradientBytes(form);
  let packedAt = splitAnswerBytes(nodes, form) - 2 * nodes.length * endBytes;
  const splits: NodeSplit[] = [];
  for (const [i, node] of nodes.entries()) {
    const { count, feature } = node;
    const [left, answered, summed] = heads.subarray(i * HEAD_WORDS);
    const wants = wantsHistogram(node, form);
    const right = count - left;
    const smaller = Math.min(left, right);
    const isDue = wants && smaller >= least;
    if (answered !== stamp || left > count || summed !== (isDue ? smaller : 0)) return null;
    const ends = endRows(node, form);
    const rowsFrom = (at: number, rows: number): Uint32Array | null =>
      rows < least ? new Uint32Array(answer, at, rows).slice() : null;
    const packedFrom = (at: number, rows: number): Uint32Array | null =>
      rows < least && endBytes > 0 ? new Uint32Array(answer, at, 2 * rows).slice() : null;
    splits.push({
      ...{ count, feature, left },
      histogram: isDue ? new Uint8Array(answer, histogramAt, histogramBytes).slice() : null,
      leftRows: rowsFrom(rowsAt, left),
      rightRows: rowsFrom(rowsAt + 4 * (2 * ends - right), right),
      leftPacked: packedFrom(packedAt, left),
      rightPacked: packedFrom(packedAt + 2 * endBytes - 8 * right, right),
    });
    if (wants) histogramAt += histogramBytes;
    rowsAt += 8 * ends;
    packedAt += 2 * endBytes;
  }
  return splits;
}
