/** Whether trees, and nodes of them, are worth the ways to a device: the CPU's kernels begin at once. */

import { isOpen, type Lane, laneRecord } from "../compute/gpu/lane.ts";

/** A fit that was refused so often asks no more: what a device has no room for it seldom has later. */
const MOST_REFUSALS = 3;

/** Nodes that share a way to the device: the 254 splits of a tree of 10M rows took 40. */
const NODES_A_WAY = 6;

/**
 * What a split on a device costs, in ways with a histogram of few rows, which the lane's least cells are measured by: its
 * histogram and the rows of small children come home. On an H200 a split of a tree of 1M rows and 255 leaves took .25
 * ms, and such a way .1 ms.
 */
const WAYS_A_SPLIT = 2;

/**
 * A tree that grows there as a whole: its gradients, its nodes, its leaves and their values are ways; and steps, two
 * a level, take as long as some. On an H200 trees of 50,000 rows × 28, of 31 leaves as of 255, took as long as two
 * threads did, where a way was worth 159,000 cells.
 */
const WAYS_A_TREE = 5;
const WAYS_A_LEVEL = 3.5;

/** What of a tree goes to the device and back at once. */
export type GrownAtOnce = "nodes" | "levels" | "trees";

export class DeviceWorth {
  readonly #lane: Lane;
  readonly #least: number;
  /** A tree's cells are worth so many ways at least, or it stays here. */
  readonly #ways: number;

  /** @param least nodes of fewer rows never go to the device @param leaves of a tree, at most */
  constructor(lane: Lane, least: number, grows: GrownAtOnce, leaves: number) {
    this.#lane = lane;
    this.#least = least;
    const levels = Math.max(1, Math.log2(leaves));
    const ways = {
      nodes: WAYS_A_SPLIT * leaves,
      levels: WAYS_A_SPLIT * levels,
      trees: WAYS_A_TREE + WAYS_A_LEVEL * levels,
    };
    // Each level of a tree reads half of its rows' cells for histograms.
    this.#ways = (2 * ways[grows]) / levels;
  }

  /** Of trees of so many rows and features that lie here. */
  takes(rowCount: number, features: number): boolean {
    const ways = this.#lane.isAsked ? 1 : this.#ways;
    return rowCount * features >= ways * this.#lane.leastCells && this.serves(rowCount, features);
  }

  /** Whether the device grows such trees at all: of rows that it has, each is worth it. */
  serves(rowCount: number, features: number): boolean {
    return (
      features > 0 &&
      rowCount >= this.leastRows(features) &&
      isOpen(this.#lane) &&
      laneRecord(this.#lane).refused < MOST_REFUSALS
    );
  }

  /** Rows that a node has at least which goes there. */
  leastRows(features: number): number {
    return Math.max(this.#least, Math.ceil(this.#lane.leastCells / NODES_A_WAY / features));
  }
}
