/** What every kind of value offers, and how its findings are made and weighed. */

import type { Conventions, Normal, TypedValue, ValueKind } from "./value.ts";

/** Finds the values of one kind in a text, in its order, none over another; linear in its length. */
export type Find = (text: string, conventions: Conventions) => TypedValue[];

/** Reads a text that was pointed at; null where it is no value of the kind. */
export type Read = (text: string, conventions: Conventions) => TypedValue | null;

export interface Kind {
  readonly find: Find;
  readonly read: Read;
}

export function typedValue(
  kind: ValueKind,
  start: number,
  end: number,
  normal: Normal,
  certainty: number,
  unit: string | null = null,
): TypedValue {
  return { kind, start, end, normal, unit, certainty };
}

/** Values in text order without those that lie over a surer (then longer, then earlier) one. */
export function withoutOverlaps(values: readonly TypedValue[]): TypedValue[] {
  const bestFirst = [...values].sort(
    (a, b) => b.certainty - a.certainty || b.end - b.start - (a.end - a.start) || a.start - b.start,
  );
  const inOrder = [...values].sort((a, b) => a.start - b.start || b.end - a.end);
  if (!inOrder.some((value, index) => index > 0 && inOrder[index - 1]!.end > value.start)) {
    return inOrder;
  }
  const kept: TypedValue[] = [];
  const taken = new Intervals();
  for (const value of bestFirst) {
    if (taken.add(value.start, value.end)) kept.push(value);
  }
  return kept.sort((a, b) => a.start - b.start);
}

const BLOCK = 64;

/** Disjoint stretches of a text; finds out in constant time for short ones whether another fits. */
export class Intervals {
  readonly #byBlock = new Map<number, [number, number][]>();

  isFree(start: number, end: number): boolean {
    for (let block = Math.floor(start / BLOCK); block <= Math.floor((end - 1) / BLOCK); block++) {
      for (const [from, to] of this.#byBlock.get(block) ?? []) {
        if (from < end && start < to) return false;
      }
    }
    return true;
  }

  /** @returns false, and adds nothing, where one is in the way */
  add(start: number, end: number): boolean {
    if (!this.isFree(start, end)) return false;
    for (let block = Math.floor(start / BLOCK); block <= Math.floor((end - 1) / BLOCK); block++) {
      const there = this.#byBlock.get(block);
      if (there === undefined) this.#byBlock.set(block, [[start, end]]);
      else there.push([start, end]);
    }
    return true;
  }
}
