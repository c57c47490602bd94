/** Small models of every tabular kind and family, and rows with everything that a cell can be. */

import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Row } from "../../data/records.ts";
import type { Column, Table } from "../../data/table.ts";
import type { ModelDocument } from "../../model/document.ts";
import type { TaskKind } from "../../tasks/index.ts";

const CITIES = Array.from({ length: 300 }, (_, i) => `city ${i}`);
const KINDS = ["ash", "birch", "NA-ish", "déjà vu"];
const DAY = 86_400_000;

const stepOf = (i: number): number => (i * 7) % 290;

/** Rows to learn from, with a label of each kind. */
export function learnedRows(): Row[] {
  const random = new CounterRandom(deriveKey(0, "export", "rows"));
  return Array.from({ length: 400 }, (_, i) => {
    const amount = random.nextFloat() * 200 - 100;
    const level = Math.floor(random.nextFloat() * 5);
    const kind = KINDS[Math.floor(random.nextFloat() * KINDS.length)];
    const city = CITIES[Math.floor(random.nextFloat() ** 2 * CITIES.length)];
    const time = (random.nextFloat() - 0.2) * 40_000 * DAY;
    const missing = (share: number): boolean => random.nextFloat() < share;
    const signal =
      Math.sin(amount / 20) * 3 +
      level * (kind === "ash" ? 1 : -0.5) +
      (city.length % 3) +
      new Date(time).getUTCMonth() / 6 +
      random.nextGaussian() * 0.3;
    return {
      amount: missing(0.1) ? null : amount,
      level,
      flag: missing(0.1) ? null : random.nextFloat() < 0.5,
      kind: missing(0.1) ? null : kind,
      city: missing(0.05) ? null : city,
      day: missing(0.1) ? null : new Date(time).toISOString(),
      spread: Math.exp(random.nextGaussian() * 2),
      // So often the same that quantiles between equal ones stray by a rounding error.
      tied: ((i * 37) % 61) * 0.021277,
      y: signal,
      two: signal > 1.5 ? "yes" : "no",
      many: ["low", "middle", "high"][signal < 0.5 ? 0 : signal < 2.5 ? 1 : 2],
      row: i,
      // Some three hundred, each of which has a level of its own.
      step: i % 20 === 3 ? null : stepOf(i),
      stepped: signal + 2 * (stepOf(i) % 3),
      // Some three hundred, and with them more than a byte tells apart.
      street: i % 20 === 7 ? null : `street ${Math.round(signal * 50)}`,
    };
  });
}

const times = (values: readonly number[]): Float64Array => Float64Array.from(values);

/** The first learned rows, and cells that none of them has. */
export function askedTable(): Table {
  const rows = learnedRows().slice(0, 40);
  const odd = {
    amount: [Infinity, -Infinity, -0, 1e300, Number.NaN, 0, -1e-310],
    level: [7, -3, 2.5, Number.NaN, 0, Infinity, 4],
    flag: [1, 0, 255, 1, 0, 255, 1],
    kind: ["unseen", "", "NA", "birch", "ash ", "déjà vu", "null"],
    city: ["nowhere", "", "city 299", "city 0", "?", "city 1", "city 150"],
    street: ["nowhere", "", "street 0", "street 100", "?", "street -50", "street 7"],
    day: [
      Date.UTC(2000, 1, 29, 23, 59, 59, 999),
      Date.UTC(1900, 1, 28),
      -1,
      Number.NaN,
      Infinity,
      Date.UTC(2100, 11, 31, 12),
      0.5,
    ],
    spread: [0, -1, 1e-12, 1e12, Number.NaN, 1, 2],
    step: [-1, 500, 0.5, Number.NaN, 145, 1e9, -1e9],
    tied: [0.021277, 60 * 0.021277, -1, 2, Number.NaN, 0.03, 30 * 0.021277],
  };
  const numbers = (name: "amount" | "level" | "spread" | "step" | "tied"): Float64Array =>
    times([
      ...rows.map((row) => (row[name] === null ? Number.NaN : Number(row[name]))),
      ...odd[name],
    ]);
  const texts = (name: "kind" | "city" | "street"): Column => {
    const cells = [...rows.map((row) => String(row[name] ?? "")), ...odd[name]];
    const missing = new Set(["", "NA", "?", "null"]);
    const categories = [...new Set(cells)].filter((cell) => !missing.has(cell));
    const codes = Int32Array.from(cells, (cell) => categories.indexOf(cell));
    return { kind: "categorical", name, codes, categories };
  };
  const flags = rows.map(({ flag }) => (flag === null ? 255 : flag === true ? 1 : 0));
  const days = rows.map(({ day }) => (day === null ? Number.NaN : Date.parse(String(day))));
  return {
    rows: rows.length + odd.amount.length,
    columns: [
      { kind: "numeric", name: "amount", values: numbers("amount") },
      { kind: "numeric", name: "level", values: numbers("level") },
      { kind: "boolean", name: "flag", values: Uint8Array.from([...flags, ...odd.flag]) },
      texts("kind"),
      texts("city"),
      texts("street"),
      { kind: "timestamp", name: "day", values: times([...days, ...odd.day]) },
      { kind: "numeric", name: "spread", values: numbers("spread") },
      { kind: "numeric", name: "tied", values: numbers("tied") },
      { kind: "numeric", name: "step", values: numbers("step") },
    ],
  };
}

/** Cells as the formats take them: numbers as text, so that all of them survive JSON. */
export function askedCells(table: Table): Record<string, string[]> {
  return Object.fromEntries(
    table.columns.map((column) => {
      switch (column.kind) {
        case "categorical":
          return [column.name, [...column.codes].map((code) => column.categories[code] ?? "")];
        case "boolean":
          return [column.name, [...column.values].map((v) => (v === 255 ? "NaN" : String(v)))];
        case "text":
          return [column.name, column.values.map((text) => text ?? "")];
        default:
          return [
            column.name,
            [...column.values].map((v) => (Object.is(v, -0) ? "-0" : String(v))),
          ];
      }
    }),
  );
}

type Fixed = Readonly<Record<string, string | number | boolean>>;

export interface Case {
  readonly name: string;
  readonly taskKind: TaskKind;
  readonly families: readonly { readonly family: string; readonly fixed: Fixed }[];
  readonly blend: boolean;
  /** Without times, which some formats cannot say. */
  readonly timeless?: boolean;
  /** With the streets, which others leave out. */
  readonly streets?: boolean;
  /** With the steps, which others leave out, and a label that goes by them. */
  readonly steps?: boolean;
  /** Columns that it does not read either, so that models of a number a bin stay small. */
  readonly ignored?: readonly string[];
  /** What a search over so few rows would seldom come to. */
  readonly changed?: (document: ModelDocument) => ModelDocument;
  /** How near answers are, in units of values of 1 and beyond; absent: 1e-9. */
  readonly within?: number;
}

const LABELS: Partial<Record<TaskKind, string>> = { binclass: "two", multiclass: "many" };
export const labelOf = ({ taskKind, steps }: Case): string =>
  steps ? "stepped" : (LABELS[taskKind] ?? "y");

const gbdt = {
  family: "gbdt",
  fixed: { n_estimators: 8, num_leaves: 6, max_cat_to_onehot: 2, min_data_per_group: 2 },
};
const oblivious = { family: "oblivious", fixed: { n_estimators: 8, depth: 3 } };
const forest = (family: string) => ({
  family,
  fixed: { n_estimators: 5, max_leaf_nodes: 8, min_samples_leaf: 1 },
});
const linear = (numeric_transform: string, more: Fixed = {}) => ({
  family: "linear",
  fixed: { numeric_transform, ...more },
});

const mlp = (more: Fixed) => ({
  family: "mlp",
  fixed: { hidden_width: 8, hidden_layers: 2, epochs: 20, ...more },
});

const gam = { family: "gam", fixed: { n_estimators: 40, pair_rounds: 20, bags: 3, pairs: 1 } };

const KINDS_OF_TASK: readonly TaskKind[] = ["regression", "binclass", "multiclass"];

const temperature = (bias: number) => ({ kind: "temperature", scale: 0.8, bias }) as const;
const isotonic = (curves: number) =>
  ({
    kind: "isotonic",
    curves: Array.from({ length: curves }, (_, k) => ({
      x: [0.05, 0.2, 0.2 + 0.1 * (k + 1), 0.9],
      y: [0.02, 0.3, 0.45, 0.97],
    })),
  }) as const;

export const CASES: readonly Case[] = [
  ...KINDS_OF_TASK.flatMap((taskKind): Case[] => [
    { name: `gbdt ${taskKind}`, taskKind, families: [gbdt], blend: false },
    {
      name: `gbdt ${taskKind} without times`,
      taskKind,
      families: [gbdt],
      blend: false,
      timeless: true,
    },
    {
      name: `random_forest ${taskKind}`,
      taskKind,
      families: [forest("random_forest")],
      blend: false,
    },
    { name: `extra_trees ${taskKind}`, taskKind, families: [forest("extra_trees")], blend: false },
    { name: `linear ${taskKind}`, taskKind, families: [linear("spline")], blend: false },
    { name: `mlp ${taskKind}`, taskKind, families: [mlp({})], blend: false, within: 1e-5 },
  ]),
  {
    name: "gbdt with a bin a number",
    taskKind: "regression",
    families: [{ family: "gbdt", fixed: { n_estimators: 8, num_leaves: 40, min_data_in_leaf: 2 } }],
    blend: false,
    timeless: true,
    steps: true,
    ignored: ["city", "spread", "tied"],
  },
  {
    name: "mlp of plain numbers and embedded categories",
    taskKind: "multiclass",
    families: [
      mlp({
        numeric_embedding: "none",
        one_hot_max_categories: 1,
        embedding_min_rows: 0,
        activation: "mish",
      }),
    ],
    blend: false,
    within: 1e-5,
  },
  {
    name: "mlp of pieces and statistics of categories",
    taskKind: "multiclass",
    families: [mlp({ numeric_embedding: "piecewise", one_hot_max_categories: 1 })],
    blend: false,
    within: 1e-5,
  },
  {
    name: "mlp quantiles",
    taskKind: "quantile_regression",
    families: [mlp({})],
    blend: false,
    within: 1e-5,
  },
  ...["matern_1_2", "matern_3_2", "matern_5_2", "rbf"].map(
    (smoothness): Case => ({
      name: `gaussian_process ${smoothness}`,
      taskKind: "regression",
      families: [{ family: "gaussian_process", fixed: { smoothness, max_rows: 60 } }],
      blend: false,
      within: 1e-5,
    }),
  ),
  ...(["binclass", "multiclass"] as const).map(
    (taskKind): Case => ({
      name: `gaussian_process ${taskKind}`,
      taskKind,
      families: [{ family: "gaussian_process", fixed: { max_rows: 60 } }],
      blend: false,
      within: 1e-5,
    }),
  ),
  ...["none", "clip", "signed_log", "quantile_normal"].map((transform): Case => {
    const families = [linear(transform, { one_hot_max_categories: 10 })];
    return { name: `linear ${transform}`, taskKind: "regression", families, blend: false };
  }),
  {
    name: "linear held within its reach",
    taskKind: "regression",
    families: [linear("spline", { penalty: 1e-9, spline_knots: 12 })],
    blend: false,
  },
  {
    name: "linear over tied quantiles",
    taskKind: "binclass",
    families: [linear("quantile_normal", { one_hot_small_integers: false })],
    blend: false,
  },
  { name: "oblivious", taskKind: "multiclass", families: [oblivious], blend: false },
  {
    name: "oblivious without times",
    taskKind: "binclass",
    families: [oblivious],
    blend: false,
    timeless: true,
  },
  ...KINDS_OF_TASK.map(
    (taskKind): Case => ({
      name: `gam ${taskKind}`,
      taskKind,
      families: [gam],
      blend: false,
      ignored:
        taskKind === "regression" ? ["city", "spread", "tied"] : ["city", "day", "spread", "tied"],
    }),
  ),
  {
    name: "gam of many categories",
    taskKind: "regression",
    families: [gam],
    blend: false,
    timeless: true,
    ignored: ["amount", "spread", "tied"],
  },
  { name: "gbdt quantiles", taskKind: "quantile_regression", families: [gbdt], blend: false },
  {
    name: "linear quantiles",
    taskKind: "quantile_regression",
    families: [linear("none")],
    blend: false,
  },
  {
    name: "blend regression",
    taskKind: "regression",
    families: [gbdt, forest("random_forest"), linear("none")],
    blend: true,
    changed: (document) => ({ ...document, layer: { intercepts: [0.25] } }),
  },
  ...(["binclass", "multiclass"] as const).flatMap((taskKind): Case[] => {
    const outputs = taskKind === "binclass" ? 1 : 3;
    const families = [gbdt, forest("extra_trees"), linear("clip")];
    const calibrated = (document: ModelDocument): ModelDocument => ({
      ...document,
      threshold: document.threshold === null ? null : 0.37,
      members: document.members.map((member, index) => ({
        ...member,
        calibration:
          index % 3 === 0
            ? temperature(outputs === 1 ? 0.2 : 0)
            : index % 3 === 1
              ? isotonic(outputs)
              : null,
      })),
    });
    const intercepts = Array.from({ length: outputs }, (_, k) => 0.1 * k - 0.05);
    return [
      { name: `blend ${taskKind}`, taskKind, families, blend: true, changed: calibrated },
      {
        name: `layer ${taskKind}`,
        taskKind,
        families,
        blend: true,
        changed: (document) => ({ ...calibrated(document), layer: { intercepts } }),
      },
    ];
  }),
  ...(["gbdt", "oblivious"] as const).flatMap((family): Case[] =>
    KINDS_OF_TASK.map((taskKind) => ({
      name: `${family} ${taskKind} of streets`,
      taskKind,
      families: [family === "gbdt" ? gbdt : oblivious],
      blend: false,
      timeless: true,
      streets: true,
      ignored: ["amount", "level", "spread", "tied", "city"],
    })),
  ),
  {
    name: "gbdt with a temperature",
    taskKind: "binclass",
    families: [gbdt],
    blend: false,
    timeless: true,
    changed: (document) => ({
      ...document,
      members: document.members.map((member) => ({ ...member, calibration: temperature(0.2) })),
    }),
  },
];
