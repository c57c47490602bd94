/** Series with sums, through the framing: what is summed, what is said of sums, and what is refused. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Column, Table } from "../../data/table.ts";
import type { FramedRows, FramedTable, ReadOptions } from "../framing.ts";
import { forecastingFraming } from "./framing.ts";

interface Row {
  readonly land: string;
  readonly kind: string;
  readonly t: number;
  readonly y: number;
  readonly holiday?: number;
  readonly price?: number;
}

const numbers = (name: string, values: readonly number[]): Column => ({
  kind: "numeric",
  name,
  values: Float64Array.from(values),
});
const texts = (name: string, values: readonly string[]): Column => ({
  kind: "text",
  name,
  values: [...values],
});
function tableOf(rows: readonly Row[]): Table {
  const of = (name: "t" | "y" | "holiday" | "price"): Column =>
    numbers(
      name,
      rows.map((row) => row[name] ?? Number.NaN),
    );
  return {
    rows: rows.length,
    columns: [
      texts(
        "land",
        rows.map(({ land }) => land),
      ),
      texts(
        "kind",
        rows.map(({ kind }) => kind),
      ),
      of("t"),
      of("y"),
      of("holiday"),
      of("price"),
    ],
  };
}

const PAIRS = [
  ["north", "a"],
  ["north", "b"],
  ["south", "a"],
  ["south", "b"],
] as const;
const rowsOf = (steps: number, first = 0): Row[] =>
  PAIRS.flatMap(([land, kind], s) =>
    Array.from({ length: steps }, (_, i) => ({
      land,
      kind,
      t: first + i,
      y: 100 * s + first + i,
      holiday: (first + i) % 3,
      price: s,
    })),
  );

const HIERARCHY = { levels: [[], ["land"], ["kind"]] };
const KNOWN = ["holiday", "price"];

function framed(rows: readonly Row[], task: object = {}): FramedTable {
  const request = { rows: null, labelColumn: "y", beside: [], ignored: [], windows: 1 };
  return forecastingFraming.frame(tableOf(rows), {
    ...request,
    task: {
      timeColumn: "t",
      horizon: 2,
      seasonLength: 1,
      seriesColumns: ["land", "kind"],
      knownColumns: KNOWN,
      hierarchy: HIERARCHY,
      ...task,
    },
  });
}

const seriesOf = ({ frame }: Pick<FramedRows, "frame">): Map<string, number[]> => {
  if (frame.kind !== "series") throw new TypeError("no series");
  const { names, offsets, target } = frame;
  return new Map(names.map((name, s) => [name, [...target.subarray(offsets[s], offsets[s + 1])]]));
};
const cells = ({ table }: Pick<FramedRows, "table">, name: string): ArrayLike<unknown> => {
  const column = table.columns.find((each) => each.name === name);
  if (!column || column.kind === "categorical") throw new TypeError("no such column");
  return column.values;
};
const lastOf = <T>(list: ArrayLike<T>, count: number): T[] => Array.from(list).slice(-count);

function read(rows: readonly Row[], options: ReadOptions = {}, task: object = {}): FramedRows {
  return forecastingFraming.read(tableOf(rows), framed(rowsOf(12), task).saved, options);
}

describe("the sums of series", () => {
  it("are series of their own, nested or crossed, at steps where all have a value", () => {
    const rows = rowsOf(12).map((row) =>
      row.land === "north" && row.kind === "b" && row.t === 5 ? { ...row, y: Number.NaN } : row,
    );
    // A series that begins later.
    const all = seriesOf(
      framed(rows.filter(({ land, kind, t }) => land + kind !== "southa" || t > 2)),
    );
    expect([...all.keys()].slice(4)).toEqual([
      "(all) / (all)",
      "north / (all)",
      "south / (all)",
      "(all) / a",
      "(all) / b",
    ]);
    const steps = Array.from({ length: 12 }, (_, t) => t);
    expect(all.get("north / (all)")).toEqual(
      steps.map((t) => (t === 5 ? Number.NaN : 100 + 2 * t)),
    );
    expect(all.get("(all) / a")).toEqual(steps.slice(3).map((t) => 200 + 2 * t));
    expect(all.get("(all) / (all)")).toEqual(
      steps.slice(3).map((t) => (t === 5 ? Number.NaN : 600 + 4 * t)),
    );
  });

  it("are told what is known of all their series alike, and no more", () => {
    const run = framed(rowsOf(12));
    expect(lastOf(cells(run, "holiday"), 12)).toEqual(Array.from({ length: 12 }, (_, t) => t % 3));
    expect(lastOf(cells(run, "price"), 12).every((each) => Number.isNaN(each))).toBe(true);
    // The last two are of a kind, over all lands.
    expect(lastOf(cells(run, "kind"), 12)).toEqual(new Array(12).fill("b"));
    expect(lastOf(cells(run, "land"), 12)).toEqual(new Array(12).fill(null));
  });

  it("weigh what their series weigh together", () => {
    const run = framed(rowsOf(12), { knownColumns: ["holiday"], weightColumn: "price" });
    const weights = cells(run, "price");
    expect([weights[0], weights[12 * 3], weights[12 * 4], weights[12 * 6]]).toEqual([0, 3, 6, 5]);
  });
});

describe("a request's rows", () => {
  it("are all series and sums, answered where they are asked", () => {
    const given = read([], {
      series: [{}, { kind: "b" }, { land: "north", kind: "a" }],
      horizon: 1,
    });
    expect(given.keys.map(({ series }) => series)).toEqual([
      { land: "north", kind: "a" },
      {},
      { kind: "b" },
    ]);
    expect(given.rows).toHaveLength(9);
    expect([...(given.answered ?? [])]).toEqual([0, 4, 8]);
  });

  it("go on with the sums of a history", () => {
    const known = { holiday: 2, price: 1 };
    const future = PAIRS.map(([land, kind]) => ({ land, kind, t: 16, y: Number.NaN, ...known }));
    const history = rowsOf(3, 12);
    const given = read([...history, ...future], { historyRows: history.length });
    const sums = seriesOf(given);
    expect(sums.get("south / (all)")).toEqual([
      ...Array.from({ length: 15 }, (_, t) => 500 + 2 * t),
      Number.NaN,
      Number.NaN,
    ]);
    expect(given.keys).toHaveLength(9);
    expect(new Set(given.keys.map(({ time }) => time))).toEqual(new Set([16]));
    expect(lastOf(cells(given, "price"), 2)).toEqual([Number.NaN, 1]);
    expect(given.warnings).toEqual([]);
  });

  it("say what is not known of series, and nothing of their sums", () => {
    const { warnings } = read([], { series: [{}] });
    expect(warnings).toEqual([
      expect.stringMatching(/holiday.* not given for 8 of the 8 steps .* series "north \/ a"/),
      expect.stringMatching(/price.* not given for 8 of the 8 steps/),
    ]);
  });

  it.each([
    [[], { series: [{ land: "east" }] }, /"east \/ \(all\)" was not in the training data/],
    [
      rowsOf(1, 12).slice(1),
      { historyRows: 3 },
      /"north \/ b" is at 12, that of "north \/ a" at 11/,
    ],
    [
      [{ land: "east", kind: "a", t: 12, y: 1 }],
      { historyRows: 1 },
      /"east \/ a" was not .* sum up/,
    ],
    [[], { most: 10 }, /9 series sum up and are forecast together: that is 18 steps; at most 10/],
  ])("are refused where they do not fit the sums: %#", (rows, options, message) => {
    expect(() => read(rows, options)).toThrow(message);
  });
});

describe("what is predicted of them", () => {
  it("sums up by bottom_up, whatever was predicted", () => {
    const given = read([], {}, { hierarchy: { ...HIERARCHY, method: "bottom_up" } });
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 18, maxLength: 18 }),
        (list) => {
          const values = Float64Array.from(list);
          given.reconcile?.(values);
          const at = (series: number, step: number): number => values[2 * series + step];
          for (const step of [0, 1]) {
            expect(at(0, step)).toBe(list[step]);
            expect(at(4, step)).toBe(at(0, step) + at(1, step) + at(2, step) + at(3, step));
            expect(at(5, step)).toBe(at(0, step) + at(1, step));
            expect(at(8, step)).toBe(at(1, step) + at(3, step));
          }
        },
      ),
    );
  });
});

describe("a hierarchy is refused", () => {
  it.each([
    [
      { hierarchy: { levels: [["town"]] } },
      /levels\[0\] names "town", which is not among `seriesColumns`/,
    ],
    [{ hierarchy: { levels: [["land"], [], ["land"]] } }, /levels\[2\] is the same .* levels\[0\]/],
    [{ hierarchy: { levels: [["land", "land"]] } }, /levels\[0\] names a column twice/],
    [{ hierarchy: { levels: [["kind", "land"]] } }, /Add one to sum them by/],
    [{ seriesColumns: [], hierarchy: { levels: [[]] } }, /without `seriesColumns`/],
  ])("where its levels are none: %j", (task, message) => {
    expect(() => framed(rowsOf(12), task)).toThrow(
      expect.objectContaining({ member: "hierarchy", message: expect.stringMatching(message) }),
    );
  });

  it("where series end at different steps, or never have a value together", () => {
    const earlier = rowsOf(12).filter(({ land, kind, t }) => land + kind !== "northb" || t < 11);
    expect(() => framed(earlier)).toThrow(/"north \/ a" ends at 11, and "north \/ b" at 10/);
    const apart = rowsOf(12).map((row) =>
      (row.kind === "a") === row.t < 6 ? { ...row, y: Number.NaN } : row,
    );
    expect(() => framed(apart)).toThrow(/"\(all\) \/ \(all\)", a sum of 4 series, has no step/);
  });

  it("where there are too many sums for a covariance", () => {
    const many = Array.from({ length: 600 }, (_, s) =>
      [0, 1, 2, 3, 4].map((t) => ({ land: `l${s}`, kind: "a", t, y: s + t })),
    ).flat();
    expect(() => framed(many)).toThrow(
      /1202 series, 602 of them sums; mint_shrink .* at most 1000/,
    );
    const up = { ...HIERARCHY, method: "bottom_up" };
    expect(seriesOf(framed(many, { hierarchy: up })).size).toBe(1202);
  });
});
