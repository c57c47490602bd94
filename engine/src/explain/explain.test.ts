import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { EncodedData, Feature } from "../data/encoded.ts";
import { mae } from "../metrics/mae.ts";
import { r2 } from "../metrics/r2.ts";
import { rmse } from "../metrics/rmse.ts";
import { groupByColumn, sumGroups } from "./feature-group.ts";
import { blendImportance } from "./importance.ts";
import {
  type PermutationInput,
  permutationImportance,
  ShuffledFeatures,
} from "./permutation-importance.ts";

const FEATURES: readonly Feature[] = [
  { kind: "numeric", name: "day.month", column: "day" },
  { kind: "numeric", name: "noise", column: "noise" },
  { kind: "numeric", name: "day.hour", column: "day" },
  { kind: "numeric", name: "wind", column: "wind" },
];

/** One a feature. */
const GROUPS = FEATURES.map(({ name }, index) => ({ name, features: [index] }));
const ROWS = 400;

/** Bins and values of the same random rows; value = bin / 10. */
function encoded(seed = 1): EncodedData {
  const random = new CounterRandom(deriveKey(seed, "explain-test"));
  const arena = Arena.create(16 << 20);
  const width = FEATURES.length;
  const rowMajor = arena.allocate(ROWS * 16);
  const columnMajor = arena.allocate(ROWS * width);
  const values = arena.allocate(ROWS * width * 8);
  const cells = arena.u8(rowMajor, ROWS * 16).fill(0);
  for (let feature = 0; feature < width; feature++) {
    for (let row = 0; row < ROWS; row++) {
      const bin = random.nextInteger(20);
      cells[row * 16 + feature] = bin;
      arena.u8(columnMajor, ROWS * width)[feature * ROWS + row] = bin;
      arena.f64(values, ROWS * width)[feature * ROWS + row] = bin / 10;
    }
  }
  const bins = FEATURES.map(() => {
    return { kind: "numeric", valueBins: 20, edges: new Float64Array(19) } as const;
  });
  const binned = { rowMajor, rowStride: 16, columnMajor, columnStride: ROWS, bins };
  return { arena: arena.handle(), rows: ROWS, features: FEATURES, binned, values };
}

function valuesOf(data: EncodedData, feature: number): Float64Array {
  if (data.values === null) throw new Error("no values");
  return Arena.attach(data.arena)
    .f64(data.values + feature * data.rows * 8, data.rows)
    .slice();
}

/** 3 month + hour + 0 noise + wind / 2. */
function linear(data: EncodedData): Float64Array {
  const [month, , hour, wind] = FEATURES.map((_, feature) => valuesOf(data, feature));
  return month.map((value, row) => 3 * value + hour[row] + wind[row] / 2);
}

function input(changes: Partial<PermutationInput> = {}): PermutationInput {
  const data = encoded();
  return {
    data,
    rows: Uint32Array.from({ length: ROWS }, (_, row) => row),
    target: linear(data),
    weights: null,
    predict: linear,
    metric: rmse,
    groups: GROUPS,
    repeats: 5,
    key: deriveKey(3, "importance"),
    ...changes,
  };
}

describe("groups of features", () => {
  it("are one a source column in order of appearance", () => {
    expect(groupByColumn(FEATURES)).toEqual([
      { name: "day", features: [0, 2] },
      { name: "noise", features: [1] },
      { name: "wind", features: [3] },
    ]);
  });

  it("keep the sum of a row's contributions per output", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.array(fc.integer(), { minLength: 12, maxLength: 12 }), { maxLength: 5 }),
        (outputs, rows) => {
          const width = FEATURES.length * outputs;
          const values = Float64Array.from(rows.flatMap((row) => row.slice(0, width)));
          const groups = groupByColumn(FEATURES);
          const sums = sumGroups(values, FEATURES.length, groups, outputs);
          expect(sums.length).toBe(rows.length * groups.length * outputs);
          for (let row = 0; row < rows.length; row++) {
            for (let k = 0; k < outputs; k++) {
              const at = (array: Float64Array, n: number, i: number) =>
                array[(row * n + i) * outputs + k];
              expect(at(sums, 3, 0)).toBe(at(values, 4, 0) + at(values, 4, 2));
              expect(at(sums, 3, 1)).toBe(at(values, 4, 1));
              expect(at(sums, 3, 2)).toBe(at(values, 4, 3));
            }
          }
        },
      ),
    );
  });
});

describe("blendImportance", () => {
  it("weighs members, sums columns and puts the most important first", () => {
    const members = [
      { weight: 3, importance: Float64Array.of(0.2, 0.1, 0.3, 0.4) },
      { weight: 1, importance: Float64Array.of(0, 1, 0, 0) },
    ];
    const found = blendImportance(members, groupByColumn(FEATURES));
    expect(found.map(({ name }) => name)).toEqual(["day", "noise", "wind"]);
    expect(found.map(({ importance }) => importance)).toEqual([
      expect.closeTo(0.375, 12),
      expect.closeTo(0.325, 12),
      expect.closeTo(0.3, 12),
    ]);
  });
});

describe("permutationImportance", () => {
  it("finds the expected rise of the squared error of an additive model", () => {
    const found = permutationImportance(input({ repeats: 20 }));
    // Shuffling x independently changes 3 x by an error of variance 2 · 9 · var(x).
    const variance = (values: Float64Array): number => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    };
    const data = encoded();
    [3, 0, 1, 0.5].forEach((slope, feature) => {
      const expected = slope * Math.sqrt(2 * variance(valuesOf(data, feature)));
      expect(Math.abs(found[feature].importance - expected)).toBeLessThan(0.05 * expected + 1e-12);
      expect(found[feature].deviation > 0).toBe(slope > 0);
    });
  });

  it("is the difference of the metric over a shuffle done by hand", () => {
    const each = input({ repeats: 1, metric: r2, groups: [{ name: "day", features: [0, 2] }] });
    const seen: Float64Array[] = [];
    const [found] = permutationImportance({
      ...each,
      predict: (data) => {
        // The rows as they are, then the shuffled copy of them.
        for (const from of [0, ROWS]) {
          for (const feature of [0, 2, 1]) {
            seen.push(valuesOf(data, feature).slice(from, from + ROWS));
          }
        }
        return linear(data);
      },
    });
    const [month, hour, noise, month2, hour2, noise2] = seen;
    // Both features of the column moved by one order, and nothing else did.
    expect(month2).not.toEqual(month);
    expect(noise2).toEqual(noise);
    const pairs = (a: Float64Array, b: Float64Array) => Array.from(a, (v, i) => `${v} ${b[i]}`);
    expect(pairs(month2, hour2).toSorted()).toEqual(pairs(month, hour).toSorted());
    const wind = valuesOf(each.data, 3);
    const predictions = month2.map((value, row) => 3 * value + hour2[row] + wind[row] / 2);
    const score = r2.score({ target: each.target, predictions, outputs: 1, weights: null });
    expect(found.importance).toBeCloseTo(1 - score, 12);
    expect(found.deviation).toBe(0);
  });

  it("depends on the key and not on the other groups", () => {
    const all = permutationImportance(input());
    expect(permutationImportance(input())).toEqual(all);
    const alone = permutationImportance(input({ groups: GROUPS.slice(2, 3) }));
    expect(alone).toEqual([all[2]]);
    const other = permutationImportance(input({ key: deriveKey(4, "importance") }));
    expect(other[0].importance).not.toBe(all[0].importance);
  });

  it("does not shuffle what no prediction depends on", () => {
    const all = permutationImportance(input({ groups: groupByColumn(FEATURES) }));
    let predicted = 0;
    const predict = (data: EncodedData) => {
      predicted += data.rows;
      return linear(data);
    };
    const reads = Uint8Array.of(1, 0, 1, 0);
    const some = { reads, predict, target: linear(encoded()) };
    const found = permutationImportance(input({ ...some, groups: groupByColumn(FEATURES) }));
    // The rows as they are, and a shuffled copy for each repeat of the one column that is read.
    expect(predicted).toBe(ROWS * (1 + 5));
    expect(found[1]).toEqual(all[1]);
    for (const { importance, deviation } of found.slice(1)) {
      expect([importance, deviation]).toEqual([0, 0]);
    }
  });

  it("gives the same however many copies are predicted at once", () => {
    const few = permutationImportance(input());
    const one = permutationImportance(input({ cellsAtOnce: ROWS * FEATURES.length }));
    const three = permutationImportance(input({ cellsAtOnce: 3 * ROWS * FEATURES.length }));
    expect(one).toEqual(few);
    expect(three).toEqual(few);
  });

  it("scores the listed rows only, weighted, and as many of them as allowed", () => {
    const lengths = new Set<number>();
    const data = encoded();
    const weights = new Float64Array(ROWS).fill(0);
    const rows = Uint32Array.from({ length: 100 }, (_, i) => 4 * i + 1);
    // Only row 5 counts, so the loss is that row's error.
    weights[5] = 2;
    const before = Arena.attach(data.arena).liveBytes;
    const found = permutationImportance(
      input({
        data,
        rows,
        weights,
        metric: mae,
        repeats: 1,
        groups: [{ name: "day.month", features: [0] }],
        predict: (copy) => {
          lengths.add(copy.rows);
          return linear(copy);
        },
      }),
    );
    const steps = found[0].importance / 0.3;
    expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-9);
    // The rows as they are and one shuffled copy, in one call.
    expect([...lengths]).toEqual([200]);
    expect(Arena.attach(data.arena).liveBytes).toBe(before);

    const capped: number[] = [];
    const predict = (copy: EncodedData) => {
      capped.push(copy.rows);
      return linear(copy);
    };
    permutationImportance(input({ predict, maximumRows: 37, repeats: 1 }));
    expect(capped).toEqual([37 * (1 + FEATURES.length)]);
  });
});

describe("ShuffledFeatures", () => {
  it("keeps both forms of the data in step, and puts back what it moved", () => {
    const source = encoded(2);
    const rows = Uint32Array.of(7, 9, 300, 12, 7);
    const order = Uint32Array.of(4, 2, 0, 1, 3);
    ShuffledFeatures.over(source, rows, (copy) => {
      const forms = () => {
        const { data } = copy;
        const { binned } = data;
        if (binned === null) throw new Error("no bins");
        const arena = Arena.attach(data.arena);
        return FEATURES.map((_, f) => {
          const values = Array.from(valuesOf(data, f), (value) => Math.round(value * 10));
          const column = [...arena.u8(binned.columnMajor + f * binned.columnStride, rows.length)];
          expect(column).toEqual(values);
          return values;
        });
      };
      const start = forms();
      start.forEach((values, f) => {
        const all = valuesOf(source, f);
        expect(values).toEqual(Array.from(rows, (row) => Math.round(all[row] * 10)));
      });
      copy.shuffle([1, 3], order);
      const moved = forms();
      expect(moved[0]).toEqual(start[0]);
      expect(moved[2]).toEqual(start[2]);
      expect(moved[1]).toEqual(Array.from(order, (i) => start[1][i]));
      expect(moved[3]).toEqual(Array.from(order, (i) => start[3][i]));
      copy.restore([1, 3]);
      expect(forms()).toEqual(start);
    });
  });

  it("shuffles each of several copies by itself, and leaves out what is not read", () => {
    const source = encoded(2);
    const rows = Uint32Array.of(7, 9, 300, 12, 7);
    const order = Uint32Array.of(4, 2, 0, 1, 3);
    const once = ShuffledFeatures.over(source, rows, ({ data }) =>
      FEATURES.map((_, f) => valuesOf(data, f)),
    );
    const copied = (reads?: Uint8Array) =>
      ShuffledFeatures.over(
        source,
        rows,
        (copy) => {
          copy.shuffle([1], order, 2);
          const { binned, rows: count } = copy.data;
          const arena = Arena.attach(copy.data.arena);
          return FEATURES.map((_, f) => {
            const values = valuesOf(copy.data, f);
            const column = (binned?.columnMajor ?? 0) + f * (binned?.columnStride ?? 0);
            expect([...arena.u8(column, count)]).toEqual(
              Array.from(values, (value) => Math.round(value * 10)),
            );
            return values;
          });
        },
        { times: 3, ...(reads && { reads }) },
      );
    const all = copied();
    for (const [f, own] of once.entries()) {
      const moved = f === 1 ? Float64Array.from(order, (i) => own[i]) : own;
      expect([...all[f]]).toEqual([...own, ...own, ...moved]);
    }
    const read = copied(Uint8Array.of(0, 1, 0, 1));
    expect(read[1]).toEqual(all[1]);
    expect(read[3]).toEqual(all[3]);
    for (const f of [0, 2]) expect([...read[f]]).toEqual(new Array(15).fill(0));
  });
});
