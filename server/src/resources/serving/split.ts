/**
 * Which model answers which requests. Traffic is counted in hundredths of a percent, and as many slots
 * are dealt out to the models: a request's key is hashed to a slot, so that it meets the same model each
 * time. A further split leaves every slot where it is that need not move.
 */

import { createHash, randomInt } from "node:crypto";

/** Slots of a split: one a hundredth of a percent. */
export const SLOTS = 10_000;

/** A model of a split, by the reference that the caller wrote. */
export interface Share {
  readonly model_id: string;
  /** Percent, in hundredths at most. */
  readonly traffic: number;
}

/** Runs of slots in order: the index of a model of the split, and how many slots it answers. */
export type Slots = readonly (readonly [model: number, count: number])[];

export interface Split {
  readonly models: readonly Share[];
  readonly slots: Slots;
}

/** Percent as a number of slots; null where it is finer than hundredths. */
export function slotsOf(percent: number): number | null {
  const count = Math.round(percent * 100);
  return Math.abs(percent * 100 - count) < 1e-6 ? count : null;
}

/**
 * Deals out the slots of a split so that as few as possible change hands: a model that keeps or gains
 * traffic keeps all its slots, one that loses some gives up its last ones.
 *
 * @param models whose traffic sums to 100
 * @param before the split so far; null where there is none
 */
export function dealOut(models: readonly Share[], before: Split | null): Slots {
  const wanted = models.map(({ traffic }) => slotsOf(traffic) ?? 0);
  const owners = new Int32Array(SLOTS).fill(-1);
  const held = models.map(() => 0);
  if (before !== null) {
    const indices = before.models.map((old) =>
      models.findIndex(({ model_id }) => model_id === old.model_id),
    );
    let at = 0;
    for (const [model, count] of before.slots) {
      const index = indices[model] ?? -1;
      const kept = index < 0 ? 0 : Math.min(count, wanted[index]! - held[index]!);
      if (kept > 0) {
        owners.fill(index, at, at + kept);
        held[index]! += kept;
      }
      at += count;
    }
  }
  let next = 0;
  for (const [index, count] of wanted.entries()) {
    for (let missing = count - held[index]!; missing > 0; next++) {
      if (owners[next] !== -1) continue;
      owners[next] = index;
      missing--;
    }
  }
  return runsOf(owners);
}

function runsOf(owners: Int32Array): Slots {
  const runs: [number, number][] = [];
  for (const owner of owners) {
    const last = runs.at(-1);
    if (last?.[0] === owner) last[1]++;
    else runs.push([owner, 1]);
  }
  return runs;
}

/**
 * The slot of a request: of one with a key always the same, whatever the split; of others a random one.
 *
 * @returns 0 ≤ slot < SLOTS
 */
export function slotFor(endpointId: string, key: string | null): number {
  if (key === null) return randomInt(SLOTS);
  // 48 bits: the slots' chances differ by less than 4 in 10^11.
  const digest = createHash("sha256").update(`${endpointId}\n${key}`).digest();
  return digest.readUIntBE(0, 6) % SLOTS;
}

/** The index of the model that answers a slot. */
export function modelAt(slots: Slots, slot: number): number {
  let end = 0;
  for (const [model, count] of slots) {
    end += count;
    if (slot < end) return model;
  }
  throw new RangeError(`slot ${slot} of ${end}`);
}
