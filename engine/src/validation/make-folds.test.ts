import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deriveKey } from "../compute/random.ts";
import { DataError } from "../data/table.ts";
import type { Task } from "../tasks/index.ts";
import type { Fold } from "./fold.ts";
import { type FoldRequest, makeFolds } from "./make-folds.ts";

const regression: Task = { kind: "regression", classes: [] };
const classes = (...names: string[]): Task => ({
  kind: names.length === 2 ? "binclass" : "multiclass",
  classes: names,
});
const key = deriveKey(1, "folds");
const zeros = (rows: number) => new Float64Array(rows);
const repeat = (...counts: number[]) =>
  Float64Array.from(counts.flatMap((n, k) => Array(n).fill(k)));

const seeds = fc.nat().map((seed) => deriveKey(seed, "folds"));
const splits = fc.integer({ min: 2, max: 6 });
const splitsOrHoldout = fc.option(splits, { nil: null });

function isAscending(rows: Uint32Array): boolean {
  return rows.every((row, i) => i === 0 || rows[i - 1] < row);
}

/** Train and valid cover `rows` without overlap, in each fold; valid sides do so among folds. */
function expectPartition(folds: readonly Fold[], rows: Uint32Array, nSplits: number | null): void {
  expect(folds.length).toBe(nSplits ?? 1);
  for (const { train, valid } of folds) {
    expect(isAscending(train) && isAscending(valid)).toBe(true);
    expect(train.length).toBeGreaterThan(0);
    expect(valid.length).toBeGreaterThan(0);
    expect(Uint32Array.from([...train, ...valid]).sort()).toEqual(rows);
  }
  if (nSplits !== null) {
    expect(Uint32Array.from(folds.flatMap((fold) => [...fold.valid])).sort()).toEqual(rows);
  }
}

/** Some of the rows 0 … n − 1, ascending. */
function someRows(total: number, keep: readonly boolean[]): Uint32Array {
  return Uint32Array.from({ length: total }, (_, i) => i).filter((i) => keep[i % keep.length]);
}

describe("plain", () => {
  test("folds partition the rows, in sizes within one of each other", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12, max: 200 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }).filter((keep) => keep[0]),
        splitsOrHoldout,
        seeds,
        (total, keep, nSplits, seed) => {
          const rows = someRows(total, keep);
          fc.pre(rows.length >= (nSplits ?? 2));
          const folds = makeFolds({
            task: regression,
            target: zeros(total),
            rows,
            nSplits,
            key: seed,
          });
          expectPartition(folds, rows, nSplits);
          const sizes = folds.map((fold) => fold.valid.length);
          if (nSplits !== null) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(2);
          else expect(Math.abs(sizes[0] - rows.length / 5)).toBeLessThan(1);
        },
      ),
    );
  });

  test("equal keys give equal folds, other keys others", () => {
    const request: FoldRequest = { task: regression, target: zeros(50), nSplits: 3, key };
    expect(makeFolds(request)).toEqual(makeFolds(request));
    expect(makeFolds({ ...request, key: deriveKey(2, "folds") })).not.toEqual(makeFolds(request));
  });

  test("every row is as likely in every fold", () => {
    const held = new Uint32Array(10);
    for (let seed = 0; seed < 3000; seed++) {
      const [fold] = makeFolds({
        task: regression,
        target: zeros(10),
        nSplits: 2,
        key: deriveKey(seed, "even"),
      });
      for (const row of fold.valid) held[row]++;
    }
    // Binomial(3000, 1/2) has a standard deviation of 27.4: 5 of them either way.
    for (const count of held) expect(Math.abs(count - 1500)).toBeLessThan(137);
  });
});

describe("stratified", () => {
  test("counts of each class and sizes of folds are within one of each other", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 6, max: 40 }), { minLength: 2, maxLength: 5 }),
        splitsOrHoldout,
        seeds,
        (counts, nSplits, seed) => {
          const target = repeat(...counts);
          const task = classes(...counts.map((_, k) => `c${k}`));
          const folds = makeFolds({ task, target, nSplits, key: seed });
          expectPartition(folds, Uint32Array.from(target.keys()), nSplits);
          counts.forEach((count, k) => {
            for (const fold of folds) {
              const held = fold.valid.filter((row) => target[row] === k).length;
              expect(Math.abs(held - count / (nSplits ?? 5))).toBeLessThan(1);
            }
          });
          if (nSplits === null) return;
          const sizes = folds.map((fold) => fold.valid.length);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(2);
        },
      ),
    );
  });

  test("a class of no row in the selection is no fault", () => {
    const folds = makeFolds({
      task: classes("a", "b", "c"),
      target: repeat(5, 5),
      nSplits: 5,
      key,
    });
    expect(folds).toHaveLength(5);
  });
});

describe("grouped", () => {
  const grouped = fc.array(fc.integer({ min: -1, max: 14 }), { minLength: 30, maxLength: 120 });

  function expectGroupsWhole(folds: readonly Fold[], groups: Int32Array): void {
    for (const { train, valid } of folds) {
      const learned = new Set(Array.from(train, (row) => groups[row]).filter((id) => id >= 0));
      expect(valid.some((row) => learned.has(groups[row]))).toBe(false);
    }
  }

  test("no group is ever on both sides", () => {
    fc.assert(
      fc.property(grouped, splitsOrHoldout, seeds, (ids, nSplits, seed) => {
        const groups = Int32Array.from(ids);
        fc.pre(new Set(ids).size >= (nSplits ?? 2));
        const folds = makeFolds({
          task: regression,
          target: zeros(ids.length),
          groups,
          nSplits,
          key: seed,
        });
        expectPartition(folds, Uint32Array.from(ids.keys()), nSplits);
        expectGroupsWhole(folds, groups);
      }),
    );
  });

  test("no fold is larger than the smallest by more than the largest group", () => {
    fc.assert(
      fc.property(grouped, splits, seeds, (ids, nSplits, seed) => {
        fc.pre(new Set(ids).size >= nSplits);
        const groups = Int32Array.from(ids);
        const target = zeros(ids.length);
        const folds = makeFolds({ task: regression, target, groups, nSplits, key: seed });
        const sizes = folds.map((fold) => fold.valid.length);
        const largest = Math.max(
          1,
          ...ids.filter((id) => id >= 0).map((id) => ids.filter((o) => o === id).length),
        );
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(largest);
      }),
    );
  });

  test("classes keep whole groups and, where groups are even, are spread evenly", () => {
    fc.assert(
      fc.property(seeds, splits, (seed, nSplits) => {
        // 60 groups of 4 rows; a third of the groups is wholly of the rare class.
        const groups = Int32Array.from({ length: 240 }, (_, i) => i >> 2);
        const target = Float64Array.from(groups, (group) => (group % 3 === 0 ? 1 : 0));
        const folds = makeFolds({ task: classes("a", "b"), target, groups, nSplits, key: seed });
        expectPartition(folds, Uint32Array.from(groups.keys()), nSplits);
        expectGroupsWhole(folds, groups);
        for (const fold of folds) {
          const rare = fold.valid.filter((row) => target[row] === 1).length;
          expect(Math.abs(rare - 80 / nSplits)).toBeLessThanOrEqual(4);
        }
      }),
    );
  });

  test("stratified groups partition the rows whatever the groups hold", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -1, max: 9 }), fc.constantFrom(0, 1)), {
          minLength: 60,
          maxLength: 120,
        }),
        splitsOrHoldout,
        seeds,
        (rows, nSplits, seed) => {
          const groups = Int32Array.from(rows, ([id]) => id);
          const target = Float64Array.from(rows, ([, k]) => k);
          fc.pre(new Set(groups).size >= 7);
          const folds = makeFolds({ task: classes("a", "b"), target, groups, nSplits, key: seed });
          expectPartition(folds, Uint32Array.from(groups.keys()), nSplits);
          expectGroupsWhole(folds, groups);
        },
      ),
    );
  });
});

describe("time-ordered", () => {
  const times = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 30, maxLength: 150 });

  test("windows expand, validate only what is later, and never split a moment", () => {
    fc.assert(
      fc.property(times, splitsOrHoldout, (values, nSplits) => {
        fc.pre(new Set(values).size > (nSplits ?? 1));
        const time = Float64Array.from(values);
        const request = { task: regression, target: zeros(values.length), time, nSplits, key };
        const folds = makeFolds(request);
        expect(folds.length).toBe(nSplits ?? 1);
        const covered = [...folds[0].train, ...folds.flatMap((fold) => [...fold.valid])];
        expect(covered.sort((a, b) => a - b)).toEqual([...values.keys()]);
        let learned = 0;
        for (const { train, valid } of folds) {
          expect(isAscending(train) && isAscending(valid)).toBe(true);
          const lastLearned = Math.max(...Array.from(train, (row) => time[row]));
          const firstValidated = Math.min(...Array.from(valid, (row) => time[row]));
          expect(lastLearned).toBeLessThan(firstValidated);
          expect(train.length).toBeGreaterThan(learned);
          learned = train.length;
        }
      }),
    );
  });

  test("without ties the stretches behind the first third are equal, and the holdout is the last fifth", () => {
    const time = Float64Array.from({ length: 60 }, (_, i) => (i * 37) % 60);
    const request = { task: regression, target: zeros(60), time, key };
    const learned = makeFolds({ ...request, nSplits: 5 }).map(({ train, valid }) => {
      expect(valid.length).toBe(8);
      return train.length;
    });
    expect(learned).toEqual([20, 28, 36, 44, 52]);
    const [holdout] = makeFolds({ ...request, nSplits: null });
    expect(Array.from(holdout.valid, (row) => time[row]).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => 48 + i),
    );
  });

  test("rows of a validated group are not learned from", () => {
    const time = Float64Array.from({ length: 40 }, (_, i) => i);
    const groups = Int32Array.from({ length: 40 }, (_, i) => i >> 3);
    for (const { train, valid } of makeFolds({
      task: regression,
      target: zeros(40),
      time,
      groups,
      nSplits: 3,
      key,
    })) {
      const learned = new Set(Array.from(train, (row) => groups[row]));
      expect(valid.some((row) => learned.has(groups[row]))).toBe(false);
    }
  });
});

describe("what cannot be split is refused with the counts", () => {
  const refused: [string, Omit<FoldRequest, "key">, RegExp][] = [
    ["one fold", { task: regression, target: zeros(9), nSplits: 1 }, /at least 2, not 1/],
    ["half a fold", { task: regression, target: zeros(9), nSplits: 2.5 }, /not 2.5/],
    [
      "fewer rows than folds",
      { task: regression, target: zeros(4), nSplits: 5 },
      /4 rows.*5 folds/,
    ],
    [
      "fewer selected rows than folds",
      { task: regression, target: zeros(9), rows: Uint32Array.of(3), nSplits: 2 },
      /1 row is too few for the 2 folds/,
    ],
    ["one row held out of one", { task: regression, target: zeros(1), nSplits: null }, /1 row/],
    [
      "a class with fewer rows than folds",
      { task: classes("cat", "dog", "emu"), target: repeat(9, 2, 1), nSplits: 3 },
      /3 folds.*classes "dog" \(2 rows\), "emu" \(1 row\).*at least 3/,
    ],
    [
      "a class of one row in a holdout",
      { task: classes("no", "yes"), target: repeat(9, 1), nSplits: null },
      /class "yes" \(1 row\).*at least 2/,
    ],
    [
      "fewer groups than folds",
      {
        task: regression,
        target: zeros(8),
        groups: Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1),
        nSplits: 3,
      },
      /2 groups are too few for the 3 folds/,
    ],
    [
      "fewer times than windows",
      { task: regression, target: zeros(6), time: Float64Array.of(1, 1, 2, 2, 3, 3), nSplits: 3 },
      /3 folds in order of time need at least 4 different times; the rows have 3/,
    ],
    [
      "a row without a time",
      { task: regression, target: zeros(3), time: Float64Array.of(1, Number.NaN, 2), nSplits: 2 },
      /Row 2 has no time/,
    ],
    [
      "groups that span all times",
      {
        task: regression,
        target: zeros(8),
        time: Float64Array.from({ length: 8 }, (_, i) => i),
        groups: Int32Array.from({ length: 8 }, (_, i) => i % 2),
        nSplits: null,
      },
      /nothing to learn from/,
    ],
    [
      "a first window of one class",
      {
        task: classes("no", "yes"),
        target: repeat(6, 6),
        time: Float64Array.from({ length: 12 }, (_, i) => i),
        nSplits: 2,
      },
      /Fold 1 would learn from rows of class "no" alone/,
    ],
  ];

  test.each(refused)("%s", (_name, request, message) => {
    expect(() => makeFolds({ ...request, key })).toThrow(DataError);
    expect(() => makeFolds({ ...request, key })).toThrow(message);
  });
});
