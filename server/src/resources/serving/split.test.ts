/** Splits: every slot is dealt out once, keys stay where they may, and shares are what was asked for. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dealOut, modelAt, type Share, SLOTS, type Split, slotFor, slotsOf } from "./split.ts";

const NAMES = ["a", "b", "c", "d", "e"];

/** A split of some of the models, in any order, some with no traffic. */
const shares: fc.Arbitrary<Share[]> = fc
  .tuple(
    fc.shuffledSubarray(NAMES, { minLength: 1 }),
    fc.array(fc.integer({ min: 0, max: SLOTS }), { minLength: 4, maxLength: 4 }),
  )
  .map(([names, cuts]) => {
    const ends = [...cuts.slice(0, names.length - 1).toSorted((a, b) => a - b), SLOTS];
    return names.map((model_id, at) => ({
      model_id,
      traffic: (ends[at]! - (ends[at - 1] ?? 0)) / 100,
    }));
  });

const owners = ({ models, slots }: Split): string[] =>
  slots.flatMap(([model, count]) =>
    Array.from({ length: count }, () => models[model]?.model_id ?? "nobody"),
  );

const countsOf = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

describe("slots", () => {
  it("are dealt out by the traffic, after any row of changes, and as few as possible move", () => {
    fc.assert(
      fc.property(fc.array(shares, { minLength: 1, maxLength: 5 }), (changes) => {
        let before: Split | null = null;
        for (const models of changes) {
          const now: Split = { models, slots: dealOut(models, before) };
          const owned = owners(now);
          expect(owned.length).toBe(SLOTS);
          const counts = countsOf(owned);
          for (const { model_id, traffic } of models) {
            expect(counts.get(model_id) ?? 0).toBe(slotsOf(traffic));
          }
          if (before !== null) {
            const was: string[] = owners(before);
            const moved = owned.filter((owner, slot) => owner !== was[slot]).length;
            const had = countsOf(was);
            const gained = NAMES.map((name) =>
              Math.max(0, (counts.get(name) ?? 0) - (had.get(name) ?? 0)),
            );
            expect(moved).toBe(gained.reduce((sum, count) => sum + count, 0));
          }
          before = now;
        }
      }),
    );
  });

  it("are found by their place", () => {
    fc.assert(
      fc.property(shares, fc.integer({ min: 0, max: SLOTS - 1 }), (models, slot) => {
        const split = { models, slots: dealOut(models, null) };
        expect(models[modelAt(split.slots, slot)]?.model_id).toBe(owners(split)[slot]);
      }),
    );
  });

  it("stay where they are when the models are written in another order", () => {
    fc.assert(
      fc.property(shares, (models) => {
        const before = { models, slots: dealOut(models, null) };
        const turned = models.toReversed();
        const after = { models: turned, slots: dealOut(turned, before) };
        expect(owners(after)).toEqual(owners(before));
      }),
    );
  });
});

describe("keys", () => {
  const ENDPOINT = "0190f3f0-0000-7000-8000-000000000001";

  it("have one slot each, another one at another endpoint", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const slot = slotFor(ENDPOINT, key);
        expect(slot).toBe(slotFor(ENDPOINT, key));
        expect(slot).toBeGreaterThanOrEqual(0);
        expect(slot).toBeLessThan(SLOTS);
      }),
    );
    const elsewhere = Array.from({ length: 100 }, (_, at) => slotFor("other", `user-${at}`));
    expect(elsewhere).not.toEqual(
      Array.from({ length: 100 }, (_, at) => slotFor(ENDPOINT, `user-${at}`)),
    );
  });

  it("meet the models as often as the traffic says, within five standard deviations", () => {
    const models = [
      { model_id: "a", traffic: 89.5 },
      { model_id: "b", traffic: 10 },
      { model_id: "c", traffic: 0.5 },
    ];
    const slots = dealOut(models, null);
    const keys = 20_000;
    const met = [0, 0, 0];
    for (let key = 0; key < keys; key++) met[modelAt(slots, slotFor(ENDPOINT, `user-${key}`))]!++;
    for (const [at, { traffic }] of models.entries()) {
      const share = traffic / 100;
      const deviation = Math.sqrt(keys * share * (1 - share));
      expect(Math.abs(met[at]! - keys * share)).toBeLessThan(5 * deviation);
    }
  });
});

it("takes percent in hundredths and nothing finer", () => {
  expect([100, 0, 0.01, 33.33, 99.99, 0.07].map(slotsOf)).toEqual([10_000, 0, 1, 3333, 9999, 7]);
  expect([0.001, 33.333, 12.3456].map(slotsOf)).toEqual([null, null, null]);
});
