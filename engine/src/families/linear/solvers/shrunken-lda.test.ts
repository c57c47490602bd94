import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { DataError } from "../../../data/table.ts";
import { linear } from "../family.ts";
import { contextOf, encodeColumns } from "../testing/data.ts";
import { discriminants, type RowProducts } from "./shrunken-lda.ts";

const caseSchema = z.object({
  classes: z.int(),
  labels: z.array(z.int()),
  x: z.array(z.array(z.number())),
  shrinkage: z.number(),
  margins: z.array(z.array(z.number())),
});
const path = new URL("../fixtures/shrunken_lda.json", import.meta.url);
const cases = z.array(caseSchema).parse(JSON.parse(readFileSync(path, "utf8")));

function productsOf(
  x: readonly (readonly number[])[],
  labels: readonly number[],
  classes: number,
): RowProducts {
  const rows = x.length;
  const columns = x[0].length;
  const inner = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, j) => sum + value * b[j], 0);
  const products = Float64Array.from({ length: rows * rows }, (_, at) =>
    inner(x[Math.floor(at / rows)], x[at % rows]),
  );
  return {
    rows,
    columns,
    products,
    labels,
    classes,
    shares: new Float64Array(rows).fill(1 / rows),
  };
}

function marginsOf(
  { rows, products, classes }: RowProducts,
  found: ReturnType<typeof discriminants>,
) {
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: classes }, (_, k) => {
      let margin = found.intercepts[k];
      for (let j = 0; j < rows; j++) margin += found.weights[k * rows + j] * products[i * rows + j];
      return margin;
    }),
  );
}

describe("discriminants by inner products of rows", () => {
  it.each(cases.map((each) => [each.x.length, each.x[0].length, each] as const))(
    "have the shrinkage and the margins of scikit-learn's estimate, of %i rows and %i columns",
    (_rows, _columns, { x, labels, classes, shrinkage, margins }) => {
      const all = productsOf(x, labels, classes);
      const found = discriminants(all);
      expect(found.shrinkage).toBeCloseTo(shrinkage, 10);
      for (const [i, own] of marginsOf(all, found).entries()) {
        for (const [k, margin] of own.entries()) expect(margin).toBeCloseTo(margins[i][k], 7);
      }
    },
  );

  it("are numbers whatever the rows: equal ones, one of a class, a class without any", () => {
    const cell = fc.constantFrom(-1, 0, 0, 1, 1e3);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }).chain((columns) =>
          fc.record({
            x: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
              minLength: 2,
              maxLength: 9,
            }),
            labels: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 9, maxLength: 9 }),
          }),
        ),
        ({ x, labels }) => {
          const all = productsOf(x, labels.slice(0, x.length), 3);
          const found = discriminants(all);
          expect([...found.weights, ...found.intercepts].every(Number.isFinite)).toBe(true);
        },
      ),
    );
  });
});

const COLUMNS = 80;
const ROWS = 200;
const LEARNED = 40;

/** Many numbers that a label moves a little each, or not at all. */
function wide(classes: number, moved: number) {
  const random = new CounterRandom(deriveKey(classes, "wide"));
  const labels = Float64Array.from({ length: ROWS }, (_, i) => i % classes);
  const cells = Array.from({ length: COLUMNS }, () => {
    const centres = Array.from({ length: classes }, () => moved * random.nextGaussian());
    return labels.map((label) => centres[label] + random.nextGaussian());
  });
  const data = encodeColumns(cells.map((column, j) => ({ name: `x${j}`, cells: column })));
  const task =
    classes === 2
      ? ({ kind: "binclass", classes: ["a", "b"] } as const)
      : ({ kind: "multiclass", classes: ["a", "b", "c"] } as const);
  const trainRows = Uint32Array.from({ length: LEARNED }, (_, i) => i);
  return { context: contextOf(task, data, labels, { trainRows }), data, labels, task };
}

describe("the linear family as a discriminant analysis", () => {
  const asked = { regularization: "shrunken_lda", numeric_transform: "none" };

  function lossOf(classes: number, moved: number): number {
    const { context, data, labels } = wide(classes, moved);
    const said = linear.fit(context, asked).predict(data, null);
    let loss = 0;
    for (let i = LEARNED; i < ROWS; i++) {
      const own =
        classes === 2 ? (labels[i] === 1 ? said[i] : 1 - said[i]) : said[i * classes + labels[i]];
      loss -= Math.log(own) / (ROWS - LEARNED);
    }
    return loss;
  }

  it.each([2, 3])(
    "tells %i classes apart by many weak numbers, and is as sure as it may be",
    (classes) => {
      expect(lossOf(classes, 0.8)).toBeLessThan(0.25);
      // Of labels that no number knows, it says little more than their shares.
      expect(lossOf(classes, 0)).toBeLessThan(1.05 * Math.log(classes));
    },
  );

  it("is tried second of classes in wide data, and of nothing else", () => {
    const { data, task } = wide(3, 1);
    const tried = (rows: number, of: Parameters<typeof linear.portfolio>[0]["task"] = task) =>
      linear
        .portfolio({ rows, task: of, features: data.features })
        .map((each) => each["regularization"]);
    expect(tried(40)[1]).toBe("shrunken_lda");
    expect(tried(400)).not.toContain("shrunken_lda");
    expect(tried(40, { kind: "regression", classes: [] })).not.toContain("shrunken_lda");
  });

  it("says what it is for", () => {
    const { data, labels } = wide(3, 1);
    const values = contextOf({ kind: "regression", classes: [] }, data, labels);
    expect(() => linear.fit(values, asked)).toThrow(DataError);
    expect(() => linear.fit(values, asked)).toThrow(
      /`regularization: "shrunken_lda"`\) of classes alone/,
    );
  });

  it("keeps signs that are asked for, as a ridge does", () => {
    const { context, data } = wide(2, 1);
    const monotone = { x0: 1, x1: -1 } as const;
    const given = { ...context, monotone };
    const said = linear.fit(given, { ...asked, penalty: 0.1 }).predict(data, null);
    expect(said).toEqual(
      linear.fit(given, { ...asked, regularization: "l2", penalty: 0.1 }).predict(data, null),
    );
  });
});
