/** The row that is typed into a form made of a model's columns, and what the form begins with. */

const KINDS = ["numeric", "boolean", "categorical", "timestamp", "text"] as const;
export type Kind = (typeof KINDS)[number];

/** A column that a model reads. */
export interface ModelColumn {
  readonly name: string;
  readonly kind: Kind;
}

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** What a control holds; empty = missing. */
export type Typed = Readonly<Record<string, string>>;

/** What the training data had in a column. */
export interface Known {
  /** Values to choose from, the most frequent first. */
  readonly values: readonly string[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  readonly range: readonly [least: number | string, greatest: number | string] | null;
  readonly typical: string;
}

const NOTHING: Known = { values: [], isWhole: false, range: null, typical: "" };

/** @param columns of a model's card, which are records of anything */
export function modelColumns(columns: readonly Readonly<Record<string, unknown>>[]): ModelColumn[] {
  return columns.flatMap(({ name, kind }) => {
    const known = KINDS.find((each) => each === kind);
    return typeof name === "string" ? [{ name, kind: known ?? "text" }] : [];
  });
}

/** @param profile of a dataset: a record of anything for each column */
export function knownOf(
  profile: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<string, Known> {
  return new Map(
    profile.flatMap((column) =>
      typeof column["name"] === "string" ? [[column["name"], known(column)]] : [],
    ),
  );
}

function known(column: Readonly<Record<string, unknown>>): Known {
  const { min, max, distinct } = column;
  const values = records(column["top_values"]).flatMap(({ value }) => written(value) ?? []);
  const median = records(column["quantiles"]).find(({ q }) => q === 0.5)?.["value"];
  const isScalar = (value: unknown): value is number | string =>
    typeof value === "number" || typeof value === "string";
  return {
    values,
    isWhole: values.length > 0 && values.length === distinct,
    range: isScalar(min) && isScalar(max) ? [min, max] : null,
    typical: written(median) ?? values[0] ?? written(min) ?? "",
  };
}

const written = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : null;

const records = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];

export const typicalRow = (
  columns: readonly ModelColumn[],
  of: ReadonlyMap<string, Known>,
): Typed =>
  Object.fromEntries(columns.map(({ name }) => [name, (of.get(name) ?? NOTHING).typical]));

/** The row as it is sent; what is empty is missing. */
export const rowOf = (columns: readonly ModelColumn[], typed: Typed): Row =>
  Object.fromEntries(
    columns.map((column) => [column.name, cellOf(column, typed[column.name] ?? "")]),
  );

function cellOf({ kind }: ModelColumn, text: string): Cell {
  if (text === "") return null;
  if (kind === "boolean") {
    if (text === "true") return true;
    return text === "false" ? false : text;
  }
  const number = Number(text);
  // What is no number is sent as it stands: the service says what is wrong with it.
  return kind === "numeric" && Number.isFinite(number) ? number : text;
}

/** Steps of the sequence that a form without fields begins with. */
const STEPS = 4;

/** The body that a request of a task begins with, where its rows are not predicted one by one. */
export function firstBody(
  task: Readonly<Record<string, unknown>>,
  columns: readonly ModelColumn[],
  of: ReadonlyMap<string, Known>,
): unknown {
  if (task["task_kind"] === "forecasting") return { horizon: task["horizon"] };
  const row = rowOf(columns, typicalRow(columns, of));
  const { sequence_column: id, order_column: order } = task;
  return {
    instances: Array.from({ length: STEPS }, (_, step) => ({
      ...(typeof id === "string" ? { [id]: "1" } : {}),
      ...(typeof order === "string" ? { [order]: step } : {}),
      ...row,
    })),
  };
}
