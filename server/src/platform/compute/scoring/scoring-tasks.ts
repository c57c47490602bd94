/**
 * The module that the threads which score tables load. A part of the file is a group of rows of the
 * table: read, predicted and written by one thread, beside the parts of others.
 */

import { writeFileSync } from "node:fs";
import {
  type Column,
  DataError,
  hasClasses,
  loadOnce,
  type Model,
  type Table,
  task,
  taskType,
  withDevice,
} from "@distillery/engine";
import {
  type GroupedColumn,
  openStoredGroups,
  openStoredTable,
  orderOf,
  type StoredGroups,
  timesInOrder,
} from "@distillery/engine/reading";
import { outputFormat } from "./formats/index.ts";
import { cellsOf, type OutputColumn, type OutputType } from "./output-column.ts";
import { type Answered, type PredictionColumn, predictionColumns } from "./predictions.ts";
import { checkReads } from "./read-columns.ts";
import type {
  LearnedDateOrders,
  PartRequest,
  ScoredPart,
  ScoringPlan,
  ScoringRequest,
} from "./scoring-request.ts";
import { readableColumn } from "./unreadable-cells.ts";

/** Steps of one file, before they are predicted: what a thread holds at once. */
const MOST_FRAMED_ROWS = 20_000_000;

/** The table that was read last: all parts of a file are of one. */
let opened: { readonly path: string; readonly table: StoredGroups } | null = null;

function tableAt(path: string): StoredGroups {
  if (opened?.path !== path) opened = { path, table: openStoredGroups(path) };
  return opened.table;
}

/** In which order the model learned dates that do not tell it, by column. @param folder a local copy of the model's */
export const dateOrders = task(async (folder: string): Promise<LearnedDateOrders> => {
  const { columns } = (await loadOnce(folder)).inputs;
  return Object.fromEntries(
    columns.flatMap((column) => {
      const order = orderOf(column);
      return order === null || order === "abbreviated" ? [] : [[column.name, order] as const];
    }),
  );
});

/** @throws DataError where nothing can come of it */
export const plan = task(async (request: ScoringRequest): Promise<ScoringPlan> => {
  const model = await loadOnce(request.model);
  const { task: kind } = model.document;
  const framed = taskType(kind.kind).framing;
  if (request.table === null) {
    if (framed?.kind !== "series")
      throw new DataError("Only forecasts are made without rows; name a source of them.");
    return { rows: 0, parts: 1, cells: 0, warnings: [] };
  }
  const table = tableAt(request.table);
  const { rows, warnings } = table;
  checkReads(
    new Set(model.inputs.columns.map(({ name }) => name)),
    table.columns.map(({ name }) => name),
  );
  const cells = model.hasTrees ? rows * model.inputs.columns.length : 0;
  if (framed === null) {
    keptColumns(request, table);
    return { rows, parts: table.groups.length, cells, warnings };
  }
  if (rows > MOST_FRAMED_ROWS) {
    throw new DataError(
      `The table has ${rows} rows; a model of ${framed.kind} takes at most ${MOST_FRAMED_ROWS} at once. Send several batches, each with whole ${framed.kind}.`,
    );
  }
  return { rows, parts: 1, cells, warnings };
});

/** @throws DataError that names row and column */
export const part = task(async (request: PartRequest): Promise<ScoredPart> => {
  const model = await loadOnce(request.model);
  const framed = taskType(model.document.task.kind).framing !== null;
  const scored =
    framed || request.table === null
      ? scoreFramed(request, model)
      : scoreGroup(request, tableAt(request.table), model);
  const { columns, rows } = scored;
  const { bytes, said } = outputFormat(request.format).part(columns, rows);
  writeFileSync(request.target, bytes, { mode: 0o600 });
  const fields = columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const { read, warnings, unreadable } = scored;
  return { read, rows, bytes: bytes.length, said, fields, warnings, unreadable };
});

interface Scored extends Pick<ScoredPart, "read" | "rows" | "warnings" | "unreadable"> {
  readonly columns: readonly OutputColumn[];
}

/** Sequences and series, whose rows may lie anywhere in the table. */
function scoreFramed(request: PartRequest, model: Model): Scored {
  const table =
    request.table === null ? { rows: 0, columns: [] } : openStoredTable(request.table).table;
  const answered = answer(request, model, table);
  const made = predictionColumns(model.document, request, answered.explained?.columns);
  const columns = made.map((column) => filled(column, answered));
  return {
    read: table.rows,
    rows: answered.output.keys?.length ?? 0,
    columns,
    warnings: answered.output.warnings,
    unreadable: 0,
  };
}

function scoreGroup(request: PartRequest, stored: StoredGroups, model: Model): Scored {
  const { from } = stored.groups[request.part] ?? { from: 0 };
  const kept = keptColumns(request, stored);
  const inputs = model.inputs.columns;
  const read = new Set(inputs.map(({ name }) => name));
  const table = stored.table(request.part, new Set([...read, ...kept.map(({ name }) => name)]));
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const given: Table = {
    rows: table.rows,
    columns: table.columns.flatMap((column) =>
      read.has(column.name) ? [whole(column, stored, model)] : [],
    ),
  };
  const { table: readable, faults } =
    request.onError === "null" ? readableTable(given, model) : { table: given, faults: null };
  let answered: Answered;
  try {
    answered = answer(request, model, readable);
  } catch (error) {
    throw atRow(error, from);
  }
  const columns = [
    ...kept.map((field): OutputColumn => {
      const column = byName.get(field.name);
      if (column === undefined) throw new TypeError("a column was not read");
      return { ...field, cells: cellsOf(asLearned(column, model)) };
    }),
    ...predictionColumns(model.document, request).map((column) =>
      withoutFaults(filled(column, answered), faults),
    ),
    ...(request.onError === "null" ? [errorColumn(request, table.rows, faults, from)] : []),
  ];
  return {
    read: table.rows,
    rows: table.rows,
    columns,
    warnings: answered.output.warnings,
    unreadable: faults?.size ?? 0,
  };
}

function answer(
  { coverage, contributions, device }: PartRequest,
  model: Model,
  table: Table,
): Answered {
  const { task: kind } = model.document;
  const predictions = withDevice(device, () => model.predict(table, { coverage }));
  const labels = hasClasses(kind) ? model.decide(predictions) : null;
  const isEmpty = predictions.values.length === 0;
  return {
    output: { ...predictions, task: kind, labels },
    explained: contributions && !isEmpty ? withDevice(device, () => model.explain(table)) : null,
  };
}

const filled = (
  { name, type, nullable, of }: PredictionColumn,
  answered: Answered,
): OutputColumn => ({
  name,
  type,
  nullable,
  cells: of(answered),
});

/** @throws DataError for one that is not there, or whose name a prediction has */
function keptColumns({ columns }: ScoringRequest, { columns: all }: StoredGroups) {
  const chosen =
    columns?.map((name) => {
      const found = all.find((each) => each.name === name);
      if (found === undefined)
        throw new DataError(`The rows have no column ${JSON.stringify(name)}.`, { column: name });
      return found;
    }) ?? all;
  return chosen.map(({ name, nullable, ...column }) => ({ name, nullable, type: typeOf(column) }));
}

function typeOf({
  kind,
  integerBits,
  stamp,
}: Pick<GroupedColumn, "kind" | "integerBits" | "stamp">): OutputType {
  if (stamp !== undefined) return stamp.startsWith("yyyy") ? "integer" : "double";
  if (kind === "numeric") {
    return integerBits === null ? "double" : integerBits === 64 ? "long" : "integer";
  }
  if (kind === "boolean" || kind === "timestamp") return kind;
  return "text";
}

/** Times as the model reads them, so that rows stand beside what was predicted of them. */
function asLearned(column: Column, model: Model): Column {
  if (column.kind !== "timestamp") return column;
  const order = orderOf(model.inputs.columns.find(({ name }) => name === column.name));
  return order === null ? column : timesInOrder(column, order);
}

/** Which of day and month stands first is told by all texts of a column, not by those of a group. */
function whole(column: Column, stored: StoredGroups, model: Model): Column {
  const wanted = model.inputs.columns.find(({ name }) => name === column.name)?.kind;
  if (wanted !== "timestamp") return column;
  if (column.kind !== "categorical" && column.kind !== "text") return column;
  const all = stored.categories(column.name);
  const places = new Map(all.map((text, code) => [text, code]));
  const texts =
    column.kind === "text"
      ? column.values
      : Array.from(column.codes, (code) => column.categories[code] ?? null);
  const codes = Int32Array.from(texts, (text) => (text === null ? -1 : (places.get(text) ?? -1)));
  return { kind: "categorical", name: column.name, codes, categories: all };
}

/** What is wrong with rows, by their place; their cells are missing. */
type Faults = ReadonlyMap<number, string>;

function readableTable(
  table: Table,
  model: Model,
): { readonly table: Table; readonly faults: Faults } {
  const kinds = new Map(model.inputs.columns.map(({ name, kind }) => [name, kind]));
  const faults = new Map<number, string>();
  const columns = table.columns.map((column) => {
    const found = readableColumn(column, kinds.get(column.name) ?? column.kind);
    for (const [row, fault] of found.faults) if (!faults.has(row)) faults.set(row, fault);
    return found.column;
  });
  return { table: { ...table, columns }, faults };
}

function withoutFaults(column: OutputColumn, faults: Faults | null): OutputColumn {
  if (faults === null || faults.size === 0) return column;
  const { cells } = column;
  if (cells instanceof Float64Array || cells instanceof Uint8Array) {
    const copy = cells.slice();
    for (const row of faults.keys()) copy[row] = copy instanceof Float64Array ? Number.NaN : 255;
    return { ...column, cells: copy };
  }
  return { ...column, cells: cells.map((text, row) => (faults.has(row) ? null : text)) };
}

function errorColumn(
  { prefix }: ScoringRequest,
  rows: number,
  faults: Faults | null,
  from: number,
): OutputColumn {
  const cells = Array.from({ length: rows }, (_, row) => {
    const fault = faults?.get(row);
    // Faults are those of cells looked at one by one.
    return fault === undefined ? null : rowNamed(fault, from + row + 1);
  });
  return { name: `${prefix}prediction_error`, type: "text", nullable: true, cells };
}

const rowNamed = (message: string, row: number): string =>
  message.replace(/\bbut row \d+ holds /, `but row ${row} holds `);

/** A fault of a group's row, at its row of the table. */
function atRow(error: unknown, from: number): unknown {
  if (!(error instanceof DataError) || error.row === undefined) return error;
  const { row, column, member } = error;
  const message = error.message.replace(new RegExp(`\\brow ${row}\\b`), `row ${row + from}`);
  return new DataError(message, {
    row: row + from,
    cause: error,
    ...(column !== undefined && { column }),
    ...(member !== undefined && { member }),
  });
}
