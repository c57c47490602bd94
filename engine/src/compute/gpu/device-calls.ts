/**
 * What the kernels ask of the device that takes part in this thread's fit (`kernels/assembly/growing/device.ts`).
 * Nothing here knows of any device: predictors run the same kernels.
 */

import type { Pointer } from "../arena.ts";

export interface DeviceCalls {
  /** Writes the histogram of a range of rows; false where there is none. */
  histogram(first: number, count: number, to: Pointer): boolean;
  /**
   * Partitions a range of rows; returns how many went left, -1 where the device does not know.
   *
   * @param table a byte a bin: 1 goes left
   * @param wantsHistogram of the smaller child
   * @param others ranges that were offered and may be partitioned beside it at most
   */
  split(
    first: number,
    count: number,
    feature: number,
    table: Pointer,
    wantsHistogram: boolean,
    others: number,
  ): number;
  /** Names a range that is likely to be partitioned later on. @param gain the likelier the more */
  offer(first: number, count: number, feature: number, table: Pointer, gain: number): void;
  /** Whether the range that begins there was partitioned beside another. */
  isSplit(first: number): boolean;
  /** Copies the record of a node of a tree that was grown there; false where there is none. */
  record(record: number, to: Pointer): boolean;
  /** What it said of the tree cannot be. */
  distrust(): void;
  /** Brings the rows of leaves home that lie on the device. @param nodes of the tree */
  leaves(nodes: number): boolean;
}

let current: DeviceCalls | null = null;

/** Says which device takes part in what this thread's kernels do next. */
export function useDevice(calls: DeviceCalls | null): void {
  current = calls;
}

/** The imports of the kernels' module. */
export const deviceImports = {
  deviceHistogram: (first: number, count: number, to: Pointer): number =>
    current?.histogram(first >>> 0, count >>> 0, to >>> 0) ? 1 : 0,
  deviceSplit: (
    first: number,
    count: number,
    feature: number,
    table: Pointer,
    wantsHistogram: number,
    others: number,
  ): number =>
    current?.split(first >>> 0, count >>> 0, feature, table >>> 0, wantsHistogram !== 0, others) ??
    -1,
  deviceOffer: (
    first: number,
    count: number,
    feature: number,
    table: Pointer,
    gain: number,
  ): void => current?.offer(first >>> 0, count >>> 0, feature, table >>> 0, gain),
  deviceIsSplit: (first: number): number => (current?.isSplit(first >>> 0) ? 1 : 0),
  deviceRecord: (record: number, to: Pointer): number =>
    current?.record(record, to >>> 0) ? 1 : 0,
  deviceDistrust: (): void => current?.distrust(),
  deviceLeaves: (nodes: number): number => (current?.leaves(nodes) ? 1 : 0),
};
