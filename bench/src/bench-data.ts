/** Data for comparisons: a table whose label is read and whose rows are split once, for all. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Arena } from "../../engine/src/compute/arena.ts";
import { CounterRandom, deriveKey } from "../../engine/src/compute/random.ts";
import { binsToFit } from "../../engine/src/data/binning/column-binner.ts";
import { fitBinning } from "../../engine/src/data/binning/fit-binning.ts";
import { shareColumns } from "../../engine/src/data/binning/shared-binning.ts";
import { isMissingCell } from "../../engine/src/data/coerce.ts";
import { encodeFeatures, withBundles } from "../../engine/src/data/encode.ts";
import type { EncodedData } from "../../engine/src/data/encoded.ts";
import { featureColumns } from "../../engine/src/data/feature-columns.ts";
import type { FeatureSchema } from "../../engine/src/data/feature-schema.ts";
import { fitFeatureSchema } from "../../engine/src/data/fit-feature-schema.ts";
import { readTableFromFile } from "../../engine/src/data/readers/read-table.ts";
import type { Column, Table } from "../../engine/src/data/table.ts";
import { takeRows } from "../../engine/src/data/table-rows.ts";
import { TASK_KINDS, type Task, type TaskKind } from "../../engine/src/tasks/index.ts";
import { readTask } from "../../engine/src/tasks/label.ts";
import { type Helpers, helpedFit } from "./helped-fit.ts";

export interface BenchData {
  readonly name: string;
  /** The label's column; empty where the table has none. */
  readonly label: string;
  readonly task: Task;
  readonly table: Table;
  readonly schema: FeatureSchema;
  readonly target: Float64Array;
  /** Rows of the table, ascending. */
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

/** Tables of all tasks, small and large, of numbers and of categories, with much noise and with little. */
export const VARIED_DATASETS: readonly string[] = [
  "abalone",
  "airfoil_noise",
  "california_housing",
  "cpu_act",
  "insurance_charges",
  "power_plant_ccpp",
  "wine_quality",
  "credit_g",
  "lgbm_binary_higgs",
  "spambase",
  "telco_churn",
  "titanic",
  "car_evaluation",
  "digits_8x8",
  "letter",
  "vowel",
];

/** As `encodeBenchData`, with threads that share it. The training rows must be the first ones. */
export function encodeHelped(data: BenchData, helpers: Helpers): Promise<EncodedData> {
  if (!isFirst(data.train)) throw new Error("Training rows come first.");
  const arena = Arena.create();
  return helpedFit(
    helpers,
    arena.handle(),
    (desk) =>
      withBundles(
        encodeFeatures(data.schema, data.table, arena, {
          ...{ bins: binsToFit(FIT, data.train.length), values: false, share: shareColumns(desk) },
        }),
      ),
    "helpBinning",
  );
}

const FIT = { key: deriveKey(0, "bench", "binning") };

function isFirst(rows: Uint32Array): boolean {
  return rows.length === 0 || rows[rows.length - 1] === rows.length - 1;
}

/** The whole table, binned by its training rows. */
export function encodeBenchData(data: BenchData, values = false): EncodedData {
  const bins = isFirst(data.train)
    ? binsToFit(FIT, data.train.length)
    : fitBinning(featureColumns(data.schema, data.table, data.train), FIT);
  return withBundles(encodeFeatures(data.schema, data.table, Arena.create(), { bins, values }));
}

/** One row in five is held out, drawn by a fixed seed; of more than `most` rows only so many stay. */
function splitRows(rows: number, most: number): { train: Uint32Array; test: Uint32Array } {
  const random = new CounterRandom(deriveKey(0, "bench", "split"));
  const order = random.shuffle(Uint32Array.from({ length: rows }, (_, i) => i)).subarray(0, most);
  const held = Math.floor(order.length / 5);
  return { test: order.slice(0, held).sort(), train: order.slice(held).sort() };
}

/** Columns of independent normals whose products, ranges and sums make the log-odds of the label. */
export function syntheticColumns(rows: number, features: number): Float64Array[] {
  return Array.from({ length: features }, (_, f) => syntheticColumn(rows, f));
}

export function syntheticColumn(rows: number, feature: number): Float64Array {
  const random = new CounterRandom(deriveKey(0, "bench", "column", feature));
  return Float64Array.from({ length: rows }, () => Math.fround(random.nextGaussian()));
}

export function syntheticTarget(columns: readonly Float64Array[], rows: number): Float64Array {
  const random = new CounterRandom(deriveKey(0, "bench", "label"));
  const at = (f: number, i: number): number => columns[f % columns.length][i];
  return Float64Array.from({ length: rows }, (_, i) => {
    const margin =
      at(0, i) * at(1, i) +
      Math.sin(2 * at(2, i)) +
      (Math.abs(at(3, i)) < 0.7 ? 1 : -0.5) +
      0.5 * at(4, i) * (at(5, i) > 0 ? 1 : -1) +
      0.3 * at(6, i) -
      0.2 * at(7, i) ** 2;
    return random.nextFloat() < 1 / (1 + Math.exp(-1.5 * margin)) ? 1 : 0;
  });
}

/** Binary labels, `rows` to learn from and a tenth as many held out. */
export function syntheticData(rows: number, features: number): BenchData {
  const all = rows + Math.floor(rows / 10);
  const columns = syntheticColumns(all, features);
  const table: Table = {
    rows: all,
    columns: columns.map((values, f): Column => ({ kind: "numeric", name: `x${f}`, values })),
  };
  return {
    name: `synthetic ${rows} × ${features}`,
    label: "",
    task: { kind: "binclass", classes: ["0", "1"] },
    table,
    schema: fitFeatureSchema(table),
    target: syntheticTarget(columns, all),
    train: Uint32Array.from({ length: rows }, (_, i) => i),
    test: Uint32Array.from({ length: all - rows }, (_, i) => rows + i),
  };
}

export interface DatasetMeta {
  readonly name: string;
  readonly task: string;
  readonly target: string;
  readonly files: readonly string[];
  readonly leaks: readonly string[];
}

export function readMeta(folder: string): DatasetMeta {
  const raw: unknown = JSON.parse(readFileSync(join(folder, "meta.json"), "utf8"));
  const record: Record<string, unknown> = typeof raw === "object" && raw !== null ? { ...raw } : {};
  const text = (name: string): string => {
    const value = record[name];
    if (typeof value === "string") return value;
    throw new Error(`${join(folder, "meta.json")} has no text "${name}".`);
  };
  const texts = (name: string): string[] => {
    const value = record[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  };
  return {
    name: text("name"),
    task: text("task"),
    target: text("target"),
    files: texts("files"),
    leaks: [...texts("leak_columns"), ...texts("id_columns")],
  };
}

/** Names and tasks of the data sets that an INDEX.csv lists, those of `TASK_KINDS` only. */
export function listDatasets(folder: string): { name: string; task: TaskKind }[] {
  const lines = readFileSync(join(folder, "INDEX.csv"), "utf8").split(/\r?\n/).slice(1);
  return lines.flatMap((line) => {
    const [name, kind] = line.split(",");
    const task = TASK_KINDS.find((each) => each === kind);
    return task && existsSync(join(folder, name, "meta.json")) ? [{ name, task }] : [];
  });
}

/**
 * A folder with data.csv(.gz), or train and test files with a split of their own.
 *
 * @param most rows kept at most, drawn by a fixed seed
 * @param meta what to predict, from what; default: as meta.json in the folder says
 */
export async function readFolder(
  folder: string,
  most: number,
  meta: DatasetMeta = readMeta(folder),
): Promise<BenchData> {
  const kind = TASK_KINDS.find((each) => each === meta.task);
  if (kind === undefined) throw new Error(`${meta.name} is of the task "${meta.task}".`);
  const file = (start: string) => meta.files.find((each) => each.startsWith(start));
  const [trainFile, testFile] = [file("train"), file("test")];
  const wholeFile = file("data");
  let table: Table;
  let split: { train: Uint32Array; test: Uint32Array };
  if (trainFile && testFile) {
    const first = await readCsvTable(join(folder, trainFile), {});
    // The second file's columns are of the first one's kinds, whatever its own rows look like.
    const kinds = Object.fromEntries(first.columns.map((column) => [column.name, column.kind]));
    const second = await readCsvTable(join(folder, testFile), kinds);
    table = appendTable(first, second);
    const rows = Uint32Array.from({ length: table.rows }, (_, i) => i);
    split = { train: rows.slice(0, first.rows), test: rows.slice(first.rows) };
  } else {
    table = labelledRows(
      await readCsvTable(join(folder, wholeFile ?? "data.csv.gz"), {}),
      meta.target,
    );
    split = splitRows(table.rows, most);
  }
  const { task, target } = readTask(table, { taskKind: kind, labelColumn: meta.target });
  const exclude = [meta.target, ...meta.leaks];
  return {
    name: meta.name,
    label: meta.target,
    task,
    table,
    schema: fitFeatureSchema(table, { exclude }),
    target,
    ...split,
  };
}

/** The rows that have a label: others are nothing to learn from, for whoever is held beside us either. */
function labelledRows(table: Table, label: string): Table {
  const column = table.columns.find(({ name }) => name === label);
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row).filter(
    (row) => column === undefined || !isMissingCell(column, row),
  );
  const names = table.columns.map(({ name }) => name);
  return rows.length === table.rows ? table : takeRows(table, names, rows);
}

async function readCsvTable(path: string, kinds: Record<string, Column["kind"]>): Promise<Table> {
  return (await readTableFromFile(path, { format: "csv", kinds })).table;
}

/** The rows of `first`, then those of `second`, by the columns of `first`. */
function appendTable(first: Table, second: Table): Table {
  const columns = first.columns.map((column): Column => {
    const other = second.columns.find(({ name }) => name === column.name);
    if (!other || other.kind !== column.kind) {
      throw new Error(`The column ${column.name} is not the same in both files.`);
    }
    return appendColumn(column, other);
  });
  return { rows: first.rows + second.rows, columns };
}

function appendColumn(first: Column, second: Column): Column {
  if (first.kind === "categorical" && second.kind === "categorical") {
    const categories = [...new Set([...first.categories, ...second.categories])];
    const places = new Map(categories.map((category, code) => [category, code]));
    const moved = second.codes.map((code) =>
      code < 0 ? -1 : (places.get(second.categories[code]) ?? -1),
    );
    const codes = new Int32Array(first.codes.length + moved.length);
    codes.set(first.codes);
    codes.set(moved, first.codes.length);
    return { ...first, codes, categories };
  }
  if (first.kind === "text" && second.kind === "text") {
    return { ...first, values: [...first.values, ...second.values] };
  }
  if (first.kind === "boolean" && second.kind === "boolean") {
    return { ...first, values: Uint8Array.from([...first.values, ...second.values]) };
  }
  if (
    (first.kind === "numeric" && second.kind === "numeric") ||
    (first.kind === "timestamp" && second.kind === "timestamp")
  ) {
    const values = new Float64Array(first.values.length + second.values.length);
    values.set(first.values);
    values.set(second.values, first.values.length);
    return { ...first, values };
  }
  throw new Error(`The column ${first.name} is of two kinds.`);
}
