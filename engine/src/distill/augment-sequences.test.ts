import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKey } from "../compute/random.ts";
import type { Table } from "../data/table.ts";
import { type AugmentedSequences, augmentSequences } from "./augment-sequences.ts";

const OPTIONS = { swapProbability: 0.25, localVariance: 5, key: deriveKey(1, "augment") } as const;

/** Sequences of the given lengths: a place, a curve, a text that changes, and a site that does not. */
function steps(lengths: readonly number[]): { table: Table; offsets: Uint32Array } {
  const offsets = Uint32Array.from([0, ...lengths]);
  for (let i = 1; i < offsets.length; i++) offsets[i] += offsets[i - 1];
  const rows = lengths.flatMap((length, s) => Array.from({ length }, (_, t) => ({ s, t })));
  return {
    offsets,
    table: {
      rows: rows.length,
      columns: [
        { kind: "numeric", name: "t", values: Float64Array.from(rows, ({ t }) => t) },
        {
          kind: "numeric",
          name: "x",
          values: Float64Array.from(rows, ({ s, t }) => Math.sin(s + 0.7311 * t) * (s + 1)),
        },
        {
          kind: "categorical",
          name: "gear",
          codes: Int32Array.from(rows, ({ s, t }) => (s + t) % 3),
          categories: ["a", "b", "c"],
        },
        { kind: "numeric", name: "site", values: Float64Array.from(rows, ({ s }) => 1.5 * s) },
      ],
    },
  };
}

const numbers = ({ table }: Pick<AugmentedSequences, "table">, name: string): Float64Array => {
  const column = table.columns.find((each) => each.name === name);
  if (column?.kind !== "numeric") throw new Error("It holds numbers.");
  return column.values;
};

describe.each(["munge", "spunge"] as const)("%s", (augmentation) => {
  it("makes sequences of their first parent's length and places, between both parents", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 1, max: 30 }),
        (lengths, rows) => {
          const given = steps(lengths);
          const made = augmentSequences(given, new Set(["t"]), { ...OPTIONS, augmentation, rows });
          expect(made.parents).toHaveLength(2 * rows);
          const [x, own] = [numbers(made, "x"), numbers(given, "x")];
          for (let i = 0; i < rows; i++) {
            const [first, second] = [made.parents[2 * i], made.parents[2 * i + 1]];
            const [from, to] = [made.offsets[i], made.offsets[i + 1]];
            expect(to - from).toBe(lengths[first]);
            expect([...numbers(made, "t").slice(from, to)]).toEqual([...Array(to - from).keys()]);
            // A column that is one a sequence stays so.
            expect(new Set(numbers(made, "site").slice(from, to)).size).toBe(1);
            const bounds = [first, second].flatMap((s) => [
              ...own.slice(given.offsets[s], given.offsets[s + 1]),
            ]);
            for (const value of x.slice(from, to)) {
              expect(value).toBeGreaterThanOrEqual(Math.min(...bounds) - 1e-9);
              expect(value).toBeLessThanOrEqual(Math.max(...bounds) + 1e-9);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("moves at least one column of each, and none where nothing is to be perturbed", () => {
    const given = steps([8, 9, 10, 11, 12, 13]);
    const of = (swapProbability: number): AugmentedSequences =>
      augmentSequences(given, new Set(["t"]), {
        ...OPTIONS,
        augmentation,
        swapProbability,
        rows: 40,
      });
    const none = of(0);
    for (let i = 0; i < 40; i++) {
      const start = given.offsets[none.parents[2 * i]];
      const length = none.offsets[i + 1] - none.offsets[i];
      expect(numbers(none, "x").slice(none.offsets[i], none.offsets[i + 1])).toEqual(
        numbers(given, "x").slice(start, start + length),
      );
    }
    const all = of(1);
    const changed = Array.from({ length: 40 }, (_, i) => {
      const start = given.offsets[all.parents[2 * i]];
      return numbers(all, "x")[all.offsets[i]] !== numbers(given, "x")[start];
    });
    const apart = Array.from(
      { length: 40 },
      (_, i) => all.parents[2 * i] !== all.parents[2 * i + 1],
    );
    expect(changed).toEqual(apart);
  });

  it("is a function of its key", () => {
    const given = steps([5, 6, 7, 8]);
    const made = (seed: number): unknown =>
      augmentSequences(given, new Set(["t"]), {
        ...OPTIONS,
        augmentation,
        rows: 9,
        key: deriveKey(seed, "augment"),
      });
    expect(made(1)).toEqual(made(1));
    expect(made(2)).not.toEqual(made(1));
  });
});
