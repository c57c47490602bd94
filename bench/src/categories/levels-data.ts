/** Tables with a column of many levels: of noise alone, informative, or informative in a few levels. */

import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import { fitFeatureSchema } from "../../../engine/src/data/fit-feature-schema.ts";
import type { CategoricalColumn, Column } from "../../../engine/src/data/table.ts";
import type { BenchData } from "../bench-data.ts";

/** What the levels of the added column say of the label. */
export const MEANINGS = ["noise", "informative", "few informative"] as const;
export type Meaning = (typeof MEANINGS)[number];

export interface Levels {
  readonly count: number;
  readonly meaning: Meaning;
}

const TEST_ROWS = 5000;
const NUMBERS = 6;
/** Of levels that mean something. */
const SHARE_OF_FEW = 0.05;

/** The column, and what each row's level adds to the label, of variance 1. */
function levelsColumn(
  rows: number,
  { count, meaning }: Levels,
  seed: number,
): { readonly column: CategoricalColumn; readonly effect: Float64Array } {
  const random = new CounterRandom(deriveKey(seed, "bench", "levels", count));
  const few = Math.max(1, Math.round(SHARE_OF_FEW * count));
  const effects = Float64Array.from({ length: count }, (_, level) => {
    const effect = random.nextGaussian();
    if (meaning === "noise") return 0;
    return meaning === "informative" ? effect : level < few ? Math.sign(effect) * 2 : 0;
  });
  const codes = Int32Array.from({ length: rows }, () => random.nextInteger(count));
  const categories = Array.from({ length: count }, (_, level) => `level ${level}`);
  return {
    column: { kind: "categorical", name: "levels", codes, categories },
    effect: Float64Array.from(codes, (code) => effects[code]),
  };
}

/** Numbers of which a third of the label's variance is noise, and such a column. */
export function syntheticLevels(
  rows: number,
  kind: "regression" | "binclass",
  levels: Levels,
  seed: number,
): BenchData {
  const all = rows + TEST_ROWS;
  const random = new CounterRandom(deriveKey(seed, "bench", "numbers", rows));
  const numbers = Array.from({ length: NUMBERS }, () =>
    Float64Array.from({ length: all }, () => random.nextFloat()),
  );
  const { column, effect } = levelsColumn(all, levels, seed);
  const target = Float64Array.from({ length: all }, (_, i) => {
    const [a, b, c, d, e] = numbers.map((values) => values[i]);
    const signal = Math.sin(Math.PI * a * b) * 2 + 4 * (c - 0.5) ** 2 + 2 * d + e + effect[i];
    if (kind === "regression") return signal + random.nextGaussian();
    return random.nextFloat() < 1 / (1 + Math.exp(-2 * (signal - 2.75))) ? 1 : 0;
  });
  const columns: Column[] = [
    ...numbers.map((values, i): Column => ({ kind: "numeric", name: `x${i}`, values })),
    column,
  ];
  const table = { rows: all, columns };
  return {
    name: `${kind} of ${rows}`,
    label: "",
    task: { kind, classes: kind === "regression" ? [] : ["0", "1"] },
    table,
    schema: fitFeatureSchema(table),
    target,
    train: Uint32Array.from({ length: rows }, (_, i) => i),
    test: Uint32Array.from({ length: TEST_ROWS }, (_, i) => rows + i),
  };
}

/** The data with a column of noise beside its own. */
export function withNoise(data: BenchData, count: number, seed: number): BenchData {
  const { column } = levelsColumn(data.table.rows, { count, meaning: "noise" }, seed);
  const columns = [...data.table.columns, column];
  const schema = fitFeatureSchema({ rows: data.table.rows, columns: [column] });
  return {
    ...data,
    table: { ...data.table, columns },
    schema: { ...data.schema, columns: [...data.schema.columns, ...schema.columns] },
  };
}

/** The data without its column of levels. */
export function withoutLevels(data: BenchData): BenchData {
  const columns = data.schema.columns.filter(({ name }) => name !== "levels");
  return { ...data, schema: { ...data.schema, columns } };
}
