/** A small model of every family, and of every kind of task, with rows to ask each of them. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createPool,
  FAMILIES,
  FolderRunStore,
  familiesFor,
  prepareRun,
  type Rows,
  RunDriver,
  runConfigSchema,
  type TaskKind,
  type train,
} from "@distillery/engine";

export interface SmallModel {
  readonly name: string;
  /** The model's own. */
  readonly folder: string;
  /** Drawn anew by each seed; some are odd. */
  rows(seed: number): Rows;
}

type Cell = string | number | boolean | null;
type Row = Record<string, Cell>;

/** Uniform in [0, 1) (Mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const DAY = 24 * 3600 * 1000;
const dateOf = (day: number): string =>
  new Date(Date.UTC(2030, 0, 1) + day * DAY).toISOString().slice(0, 10);
const pick = <T>(random: () => number, ...choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)];

function tabular(random: () => number): Row {
  return {
    area: random() < 0.1 ? null : Math.round(random() * 2000) / 10,
    rooms: Math.floor(random() * 6),
    district: pick(random, "harbour", "hill", "park", null),
    sold: random() < 0.5,
    built: dateOf(Math.floor(random() * 900)),
  };
}

/** What training never saw, in ways that rows may have. */
function odd(random: () => number): Row {
  return {
    ...tabular(random),
    ...pick<Row>(
      random,
      { district: "moon" },
      { area: "12.5" },
      { area: 1e300, rooms: -7 },
      { rooms: null, built: null },
      { unknown: 1 },
      {},
    ),
  };
}

const score = (row: Row): number =>
  Number(row["area"] ?? 60) * 3 +
    Number(row["rooms"]) * 20 +
    { harbour: 90, hill: 20, park: 55 }[String(row["district"])]! || 10;

function tabularLabel(kind: TaskKind, row: Row, random: () => number): Cell {
  const value = score(row) + random() * 60;
  if (kind === "binclass") return value > 350 ? "dear" : "cheap";
  if (kind === "multiclass") return value > 450 ? "high" : value > 250 ? "middle" : "low";
  return Math.round(value * 10) / 10;
}

/** Steps of a sequence whose slope tells the label. */
function steps(random: () => number, id: string, group: number): Row[] {
  return Array.from({ length: 20 + Math.floor(random() * 8) }, (_, step) => ({
    id,
    step,
    a: random() < 0.03 ? null : Math.round(1e4 * (group * 0.1 * step + random())) / 1e4,
    b: Math.round(1e4 * (Math.sin((group + 1) * step) + 0.3 * random())) / 1e4,
  }));
}

const sequenceLabel = (kind: TaskKind, group: number): Cell =>
  kind === "sequence_regression" ? group + 0.5 : `group ${group}`;

const SHOPS = ["north", "south"];
const soldOn = (shop: number, day: number): number =>
  Math.round(10 * (50 * (shop + 1) + 0.2 * day + 8 * Math.sin((2 * Math.PI * day) / 7))) / 10;
const DAYS = 84;
const sales = (shop: number, from: number, to: number, random: () => number): Row[] =>
  Array.from({ length: to - from }, (_, i) => ({
    shop: SHOPS[shop] ?? "new",
    day: dateOf(from + i),
    weekend: (from + i) % 7 > 4,
    sold: soldOn(shop, from + i) + Math.floor(random() * 5),
  }));

const KINDS: Readonly<Record<string, readonly TaskKind[]>> = {
  bins: ["regression", "binclass", "multiclass"],
  values: ["regression", "binclass", "multiclass"],
  sequences: ["sequence_regression", "sequence_binclass", "sequence_multiclass"],
  series: ["forecasting"],
};

/** What is smaller than by default, so that all of them are trained, sent and asked in little time. */
const SMALL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  gbdt: { n_estimators: 30 },
  random_forest: { n_estimators: 30 },
  extra_trees: { n_estimators: 30 },
  lag_gbdt: { rounds: 20 },
  minirocket: { features: 1000 },
  multirocket: { kernels: 500 },
  hydra: { groups: 8 },
  multirocket_hydra: { kernels: 500, groups: 8 },
  shapelets: { shapelets: 300 },
  interval_gbdt: { rounds: 20 },
  quant: { trees: 20 },
};

interface Data {
  readonly table: readonly Row[];
  readonly task: Parameters<typeof train>[1]["task"];
  rows(seed: number): Rows;
}

function dataOf(kind: TaskKind): Data {
  const random = randomOf(7);
  if (kind === "forecasting") {
    return {
      table: SHOPS.flatMap((_, shop) => sales(shop, 0, DAYS, random)),
      task: {
        taskKind: kind,
        labelColumn: "sold",
        timeColumn: "day",
        seriesColumns: ["shop"],
        knownColumns: ["weekend"],
        horizon: 7,
      },
      rows: forecastRows,
    };
  }
  if (kind.startsWith("sequence")) {
    const groups = kind === "sequence_binclass" ? 2 : 3;
    return {
      table: Array.from({ length: 30 }, (_, s) =>
        steps(random, `s${s}`, s % groups).map((row) => ({
          ...row,
          y: sequenceLabel(kind, s % groups),
        })),
      ).flat(),
      task: { taskKind: kind, labelColumn: "y", sequenceColumn: "id", orderColumn: "step" },
      rows(seed) {
        const own = randomOf(seed);
        const asked = ["p", "q", "r"].flatMap((id) => steps(own, id, Math.floor(own() * 3)));
        return { instances: asked };
      },
    };
  }
  const table = Array.from({ length: 240 }, () => tabular(random));
  return {
    table: table.map((row) => ({ ...row, y: tabularLabel(kind, row, random) })),
    task: { taskKind: kind, labelColumn: "y" },
    rows(seed) {
      const own = randomOf(seed);
      const instances = Array.from({ length: 1 + Math.floor(own() * 12) }, () =>
        own() < 0.4 ? odd(own) : tabular(own),
      );
      if (seed % 2 === 0) return { instances };
      const columns = Object.keys(tabular(own));
      return { columns, data: instances.map((row) => columns.map((name) => row[name])) };
    },
  };
}

function forecastRows(seed: number): Rows {
  const random = randomOf(seed);
  const future = (shop: number, from: number): Row[] =>
    sales(shop, from, from + 5, random).map(({ sold: _, ...row }) => row);
  return pick<Rows>(
    random,
    {},
    { horizon: 3 },
    { history: sales(0, DAYS, DAYS + 4, random), horizon: 4 },
    { history: sales(0, DAYS, DAYS + 3, random), future: future(0, DAYS + 3) },
    { history: sales(2, 10, 50, random), future: future(2, 50) },
    { instances: [...sales(1, DAYS, DAYS + 2, random), ...future(1, DAYS + 2)] },
    { series: [{ shop: "south" }] },
  );
}

const csvOf = (rows: readonly Row[]): string => {
  const columns = Object.keys(rows[0]);
  const lines = rows.map((row) => columns.map((name) => row[name] ?? "").join(","));
  return [columns.join(","), ...lines].join("\n");
};

/** Trains them in folders of their own. */
export async function smallModels(folder: string): Promise<SmallModel[]> {
  const plans = [
    ...FAMILIES.map((family, place) => {
      const served = KINDS[family.reads].filter((kind) => familiesFor(kind).includes(family));
      return { kind: served[place % served.length], families: [family.id] };
    }),
    ...(["regression", "binclass", "multiclass"] as const).map((kind) => ({
      kind,
      families: ["gbdt", "random_forest", "linear"],
    })),
    { kind: "quantile_regression" as const, families: ["gbdt", "linear"] },
    { kind: "sequence_multiclass" as const, families: ["minirocket", "dtw_knn"] },
    { kind: "forecasting" as const, families: ["theta", "lag_gbdt", "ets"] },
  ];
  const pool = createPool(2);
  try {
    const models: SmallModel[] = [];
    for (const { kind, families } of plans) {
      const name = `${kind} by ${families.join(", ")}`;
      const own = join(folder, name.replaceAll(/\W+/g, "-"));
      const { table, task, rows } = dataOf(kind);
      const path = `${own}.csv`;
      await writeFile(path, csvOf(table));
      const config = runConfigSchema.parse({
        task,
        hpoSpace: { models: families.map((id) => ({ family: id, fixed: SMALL[id] ?? {} })) },
        nTrials: families.length,
        nCvSplits: 2,
        ensemble: families.length > 1,
      });
      const spent = { seconds: 0, threads: pool.threads };
      const run = await prepareRun({ file: { path, format: "csv" }, config, spent }, pool);
      const store = new FolderRunStore(own);
      await new RunDriver({ run, config, store, pool, startedAt: Date.now() }).drive();
      models.push({ name, folder: join(own, "model"), rows });
    }
    return models;
  } finally {
    await pool.close();
  }
}
