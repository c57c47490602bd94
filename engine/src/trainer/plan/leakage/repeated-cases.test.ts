import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import type { Column } from "../../../data/table.ts";
import { runConfigSchema } from "../../config/config.ts";
import { planTable } from "../plan.ts";
import { repeatedCases } from "./repeated-cases.ts";

const CASES = 90;
const random = new CounterRandom(deriveKey(3, "repeated cases"));
const visits = Array.from({ length: 5 * CASES }, (_, i) => (i * 7) % CASES);
const ofCase = (make: () => number): number[] => Array.from({ length: CASES }, make);
const level = ofCase(() => 2 * random.nextGaussian());
const age = ofCase(() => 20 + random.nextInteger(60));
const centre = ofCase(() => random.nextInteger(3));
const number = (name: string, make: (one: number) => number): Column => ({
  kind: "numeric",
  name,
  values: Float64Array.from(visits, make),
});
const ages = number("age", (one) => age[one]);
const centres = number("centre", (one) => centre[one]);
const dose = number("dose", () => random.nextGaussian());
const codes: Column = {
  kind: "categorical",
  name: "ward",
  codes: Int32Array.from(visits),
  categories: level.map((_, one) => `P${one}`),
};
const alike = Float64Array.from(visits, (one) => level[one] + random.nextGaussian());
const apart = Float64Array.from(visits, () => random.nextGaussian());
const said = (columns: Column[], target = alike, classes = 0): string | null =>
  repeatedCases({ columns, rows: null, target, classes });

describe("values that name cases of several rows", () => {
  it("are told with what stays the same in a case, and how alike its labels are", () => {
    expect(said([dose, codes, ages, centres])).toMatch(
      /^Column "ward" may name cases of several rows: 450 rows have 90 of its values, "age", "centre" are .* \(intraclass correlation 0\.[78]\d\).*`groupColumn`\.$/,
    );
    const classes = alike.map((value) => (value > 2 ? 2 : value > 0 ? 1 : 0));
    expect(said([dose, codes, ages], classes, 3)).toContain('"ward"');
    const texts: Column = { kind: "text", name: "ward", values: visits.map((one) => `P${one}`) };
    expect(said([texts, ages])).toContain('"ward"');
  });

  it("may be whole numbers, of which more has to tell unless the name does", () => {
    const numbered = (name: string): Column => number(name, (one) => (one * 37) % 97);
    expect(said([numbered("score"), ages, dose])).toBeNull();
    expect(said([numbered("patient_id"), ages, dose])).toContain('"patient_id"');
    expect(said([numbered("score"), ages, centres])).toContain('"score"');
  });

  it("are looked for among those that are likeliest, of many columns", () => {
    const others = Array.from({ length: 600 }, (_, c) =>
      number(`count${c}`, () => random.nextInteger(150)),
    );
    expect(said([...others, ages, codes])).toContain('"ward"');
    expect(said([...others, ages, number("patient_id", (one) => (one * 37) % 97)])).toContain(
      '"patient_id"',
    );
  });

  it("are not where labels of a case are no more alike than others, nor where a column only divides numbers", () => {
    expect(said([codes, ages, centres], apart)).toBeNull();
    expect(said([codes, dose])).toBeNull();
    const grades = number("id", (one) => one);
    const groups = number("group", (one) => Math.floor(one / 10));
    expect(said([grades, groups, number("half", (one) => Number(one > 40))])).toBeNull();
  });

  it("are looked at in some cases of many rows, each of them whole", () => {
    const many = Array.from({ length: 120_000 }, (_, i) => i % 30_000);
    const wide: Column = {
      kind: "numeric",
      name: "id",
      values: Float64Array.from(many, (one) => one * 1e7 + 5),
    };
    const sexes: Column = {
      kind: "boolean",
      name: "sex",
      values: Uint8Array.from(many, (one) => ((one * 2654435761) >>> 7) & 1),
    };
    const labels = Float64Array.from(
      many,
      (one) => ((one * 48271) % 65537) + random.nextGaussian(),
    );
    const [, rows, cases] =
      /: ([\d,]+) rows that were looked at of 120,000 have ([\d,]+) of/.exec(
        said([wide, sexes], labels) ?? "",
      ) ?? [];
    const read = (text = ""): number => Number(text.replace(",", ""));
    expect(read(rows)).toBeGreaterThan(15_000);
    expect(read(rows)).toBe(4 * read(cases));
  });

  it("are told of ignored columns too, and not where folds keep cases together or go by time", () => {
    const y: Column = { kind: "numeric", name: "y", values: alike };
    const table = { rows: visits.length, columns: [codes, ages, dose, y] };
    const warnings = (task: object): string =>
      planTable(
        table,
        runConfigSchema.parse({ task: { taskKind: "regression", labelColumn: "y", ...task } }),
        [],
      ).plan.warnings.join("\n");
    expect(warnings({ ignoreColumns: ["ward"] })).toContain('"ward" may name cases');
    expect(warnings({ groupColumn: "ward" })).not.toContain("may name cases");
    expect(warnings({ timeColumn: "dose" })).not.toContain("may name cases");
  });
});
