import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { readCsv } from "../../data/readers/csv.ts";
import { metricByName } from "../fitting-metrics.ts";
import {
  answersOf,
  fieldOfAnotherKind,
  outputCount,
  type Task,
  taskSchema,
  typeOf,
} from "../index.ts";
import { readTask } from "../label.ts";
import { levelsSchema, middleOf } from "./levels.ts";
import { rearrange } from "./rearrange.ts";

const task: Task = { kind: "quantile_regression", classes: [], quantiles: [0.1, 0.4, 0.9] };

async function read(fields?: Readonly<Record<string, unknown>>) {
  const { table } = await readCsv([new TextEncoder().encode("y\n3\n1\n2\n")]);
  const options = { taskKind: "quantile_regression", labelColumn: "y" } as const;
  return readTask(table, fields ? { ...options, fields } : options);
}

describe("levels", () => {
  it("are the request's, or three", async () => {
    expect((await read()).task.quantiles).toEqual([0.1, 0.5, 0.9]);
    const { task: asked, target } = await read({ quantiles: [0.25, 0.75] });
    expect(asked).toEqual({ kind: "quantile_regression", classes: [], quantiles: [0.25, 0.75] });
    expect([...target]).toEqual([3, 1, 2]);
    expect(outputCount(asked)).toBe(2);
    expect(taskSchema.parse(JSON.parse(JSON.stringify(asked)))).toEqual(asked);
  });

  it.each([
    [[0.5, 0.1], "levels must be ascending and distinct"],
    [[0.5, 0.5], "levels must be ascending and distinct"],
    [[], /expected array to have >=1/],
    [[0], />0/],
    [[1], /<1/],
    ["0.5", /array/],
  ])("%j are refused", (levels, message) => {
    const [issue] = levelsSchema.safeParse(levels).error?.issues ?? [];
    expect(issue?.message).toMatch(message);
  });

  it("belong to this kind alone", () => {
    const given = { quantiles: [0.5] };
    expect(fieldOfAnotherKind("quantile_regression", given)).toBeNull();
    expect(fieldOfAnotherKind("regression", { quantiles: null })).toBeNull();
    expect(fieldOfAnotherKind("regression", given)).toEqual({
      field: "quantiles",
      kinds: ["quantile_regression", "forecasting"],
    });
  });

  test.each([
    [[0.1, 0.5, 0.9], 1],
    [[0.1, 0.2], 1],
    [[0.4, 0.6], 0],
    [[0.7, 0.8, 0.95], 0],
  ])("the middle of %j is at %i", (levels, place) => {
    expect(middleOf(levels)).toBe(place);
  });
});

describe("rearrangement", () => {
  const rows = fc.integer({ min: 1, max: 6 }).chain((levels) =>
    fc.record({
      levels: fc.constant(levels),
      truth: fc.array(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: levels, maxLength: levels }),
        { maxLength: 8 },
      ),
      given: fc.array(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: levels, maxLength: levels }),
        { maxLength: 8 },
      ),
    }),
  );

  it("sorts each row and nothing across rows", () => {
    fc.assert(
      fc.property(rows, ({ levels, given }) => {
        const sorted = given.flatMap((row) => row.toSorted((a, b) => a - b));
        expect([...rearrange(Float64Array.from(given.flat()), levels)]).toEqual(sorted);
      }),
    );
  });

  it("takes no row further from quantiles that rise", () => {
    fc.assert(
      fc.property(rows, ({ levels, truth, given }) => {
        for (const [i, row] of given.entries()) {
          const rising = truth[i]?.toSorted((a, b) => a - b);
          if (!rising) continue;
          const distance = (values: Iterable<number>): number =>
            [...values].reduce((sum, value, k) => sum + Math.abs(value - rising[k]), 0);
          const arranged = rearrange(Float64Array.from(row), levels);
          expect(distance(arranged)).toBeLessThanOrEqual(distance(row));
        }
      }),
    );
  });
});

describe("answers", () => {
  it("have the level nearest the median as their value", () => {
    const output = {
      values: Float64Array.of(1, 2, 3, -1, 0, 1e6),
      outputs: 3,
      labels: null,
      intervals: null,
      sets: null,
    };
    expect(answersOf(task, output)).toEqual([
      { value: 2, quantiles: { "0.1": 1, "0.4": 2, "0.9": 3 } },
      { value: 0, quantiles: { "0.1": -1, "0.4": 0, "0.9": 1e6 } },
    ]);
  });

  it("of no column are the quantiles of the rows that are learned from", () => {
    const target = Float64Array.from({ length: 20 }, (_, i) => i + 1);
    const train = Uint32Array.from({ length: 10 }, (_, i) => i);
    const [constant] = typeOf(task).constants(task, { target, weights: null });
    expect([...constant.of(train)]).toEqual([1, 4, 9]);
  });
});

test("its metrics need the levels", () => {
  const rows = {
    target: Float64Array.of(1),
    predictions: Float64Array.of(1),
    outputs: 1,
    weights: null,
  };
  for (const { name } of typeOf(task).metrics) {
    expect(() => metricByName(name).score(rows)).toThrow(/metricOf/);
  }
});
