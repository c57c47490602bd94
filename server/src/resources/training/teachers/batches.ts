/**
 * Rows cut into requests. Each row is written as JSON once; a row that was met before is not asked
 * again, and takes the answer of the first.
 */

import { createHash } from "node:crypto";
import type { TeacherSamples } from "@distillery/engine";

export interface Batch {
  /** From 1, over all that the teacher is asked. */
  readonly number: number;
  /** Place of each sample among the rows, from 0. */
  readonly rows: readonly number[];
  /** Where the answer of the first sample goes; those of the others follow. */
  readonly firstSlot: number;
  readonly body: string;
}

export interface BatchLimits {
  readonly samples: number;
  /** Of a body; a single row may be larger. */
  readonly bytes: number;
  /** Samples of the very first batch of the teacher, which tries it out. */
  readonly probe: number;
}

/** Which rows were asked, and where their answers lie; counts batches too. */
export class AskedRows {
  readonly #slots = new Map<string, number>();
  batches = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** The slot of a row, and whether it is a new one. */
  slot(row: string): { readonly slot: number; readonly isNew: boolean } {
    const key = createHash("sha256").update(row).digest("base64").slice(0, 22);
    const known = this.#slots.get(key);
    if (known !== undefined) return { slot: known, isNew: false };
    const slot = this.#slots.size;
    this.#slots.set(key, slot);
    return { slot, isNew: true };
  }
}

/**
 * Batches of the rows that were not asked before, made as they are taken.
 *
 * @param slots takes the slot of every row
 */
export function* cutBatches(
  { featureNames, rows: all }: Pick<TeacherSamples, "featureNames" | "rows">,
  asked: AskedRows,
  slots: Uint32Array,
  limits: BatchLimits,
): Generator<Batch, void> {
  const tail = `],"feature_names":${JSON.stringify(featureNames)}}`;
  const head = '{"samples":[';
  let rows: number[] = [];
  let texts: string[] = [];
  let firstSlot = asked.size;
  let bytes = 0;
  const flush = (): Batch => {
    asked.batches += 1;
    const batch = {
      number: asked.batches,
      rows,
      firstSlot,
      body: `${head}${texts.join(",")}${tail}`,
    };
    [rows, texts, firstSlot, bytes] = [[], [], asked.size, 0];
    return batch;
  };
  for (const [index, row] of all.entries()) {
    const text = JSON.stringify(row);
    const { slot, isNew } = asked.slot(text);
    slots[index] = slot;
    if (!isNew) continue;
    const size = Buffer.byteLength(text) + 1;
    if (rows.length > 0 && bytes + size > limits.bytes - head.length - tail.length) {
      const batch = flush();
      // This row's slot was taken already: it begins the next batch.
      firstSlot = slot;
      yield batch;
    }
    rows.push(index);
    texts.push(text);
    bytes += size;
    const most = asked.batches === 0 ? limits.probe : limits.samples;
    if (rows.length >= most) yield flush();
  }
  if (rows.length > 0) yield flush();
}
