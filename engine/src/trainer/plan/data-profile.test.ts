import { expect, test } from "vitest";
import { profileColumn } from "../../data/profile.ts";
import type { Column, Table } from "../../data/table.ts";
import {
  DataProfiling,
  evenlySpaced,
  type ProfiledColumns,
  unpackDataProfile,
} from "./data-profile.ts";

const columns: Column[] = [
  { kind: "numeric", name: "n", values: Float64Array.of(1, Number.NaN, 3, Infinity) },
  { kind: "boolean", name: "b", values: Uint8Array.of(0, 1, 255, 1) },
  { kind: "categorical", name: "c", codes: Int32Array.of(1, 0, -1, 1), categories: ["x", "y"] },
  { kind: "text", name: "t", values: ["one", null, "</script>", "four"] },
  { kind: "timestamp", name: "when", values: Float64Array.of(0, Number.NaN, 864e5, 2 * 864e5) },
  { kind: "numeric", name: "label", values: Float64Array.of(5, 6, 7, 8) },
];
const table: Table = { rows: 4, columns };
const features = ["n", "b", "c", "t", "when"];

function packed(wanted: ProfiledColumns): Uint8Array {
  const profiling = new DataProfiling(table, wanted);
  for (const column of columns) if (wanted.features.includes(column.name)) profiling.add(column);
  return profiling.pack();
}

test("profiles the label and the features, and keeps rows as a request would give them", () => {
  const bytes = packed({ rows: null, count: 4, features, label: "label" });
  expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  const profile = unpackDataProfile(bytes);
  expect(profile.columns).toEqual(
    JSON.parse(JSON.stringify([columns[5], ...columns.slice(0, 5)].map(profileColumn))),
  );
  expect(profile.sample).toEqual({
    columns: features,
    data: [
      [1, false, "y", "one", "1970-01-01"],
      [null, true, "x", null, null],
      [3, null, null, "</script>", "1970-01-02"],
      [null, true, "y", "four", "1970-01-03"],
    ],
    rows: [0, 1, 2, 3],
  });
});

test("knows only the run's rows", () => {
  const rows = Uint32Array.of(1, 3);
  const bytes = packed({ rows, count: 2, features: ["n"], label: "label" });
  const profile = unpackDataProfile(bytes);
  expect(profile.columns[0]).toMatchObject({ name: "label", count: 2, summary: { mean: 7 } });
  expect(profile.sample).toEqual({ columns: ["n"], data: [[null], [null]], rows: [0, 1] });
});

test("spaces rows evenly and takes each once", () => {
  expect([...evenlySpaced(10, 4)]).toEqual([0, 2, 5, 7]);
  expect([...evenlySpaced(3, 400)]).toEqual([0, 1, 2]);
  const places = evenlySpaced(1_000_003, 50_000);
  expect(new Set(places).size).toBe(50_000);
  expect(Math.max(...places)).toBeLessThan(1_000_003);
});
