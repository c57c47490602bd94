/**
 * From rows of series in long form to the steps of a regular grid, windows to check forecasts on, and
 * back: from a request's history and known columns to the steps that are forecast.
 */

import { z } from "zod";
import { cellText, coerceColumn, isMissingCell } from "../../data/coerce.ts";
import type { SourceColumn } from "../../data/feature-schema.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError, type NumericColumn, type Table } from "../../data/table.ts";
import { seasonLengths } from "../../series/seasonality/season-lengths.ts";
import { adjusted, fitAdjustment, reseason } from "../../series/seasonality/seasonal-adjustment.ts";
import type { AnswerKey, FramedRows, FramedTable, Framing, SavedFrame } from "../framing.ts";
import { findColumn } from "../named-column.ts";
import { calendarSeasons, describeFrequency, type Frequency, stepOf, timeOf } from "./frequency.ts";
import { groupSeries, layGrid, type SeriesRowsOfTable, seriesName } from "./grid.ts";
import { rollingOrigin, seriesRows } from "./windows.ts";

const frequencySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("regular"), step: z.number(), origin: z.number() }),
  z.object({
    kind: z.literal("months"),
    step: z.int(),
    origin: z.int(),
    day: z.int(),
    end: z.boolean(),
    time: z.number(),
  }),
  z.object({ kind: z.literal("business_days"), time: z.number() }),
]);

const cellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const headerSchema = z.object({
  label: z.string(),
  timeColumn: z.string(),
  isTime: z.boolean(),
  frequency: frequencySchema,
  horizon: z.int().min(1),
  gap: z.int().min(0),
  seasons: z.array(z.int()),
  seriesColumns: z.array(z.string()),
  known: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["numeric", "boolean", "categorical", "text", "timestamp"]),
    }),
  ),
  /** Columns of one value a series, with its cells. */
  static: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["numeric", "boolean", "categorical", "text", "timestamp"]),
      cells: z.array(cellSchema),
    }),
  ),
  keys: z.array(z.array(z.string())),
});

type Header = z.infer<typeof headerSchema>;
/** Of a column, by its kind; null is missing. */
type Cell = z.infer<typeof cellSchema>;

export const forecastingFraming: Framing = {
  kind: "series",
  required: ["timeColumn", "horizon"],

  frame(table, request): FramedTable {
    const { task, labelColumn, ignored } = request;
    const label = valuesOf(findColumn(table, labelColumn, "label"));
    const time = findColumn(table, String(task.timeColumn), "time");
    const names = stringsOf(task.seriesColumns);
    const keys = names.map((name) => findColumn(table, name, "series"));
    if (task.groupColumn != null) {
      throw new DataError(
        "Windows of a backtest hold all series; a group column says nothing of them. Leave it out.",
        { column: String(task.groupColumn) },
      );
    }
    const grouped = groupSeries(keys, time, request.rows, table.rows);
    const grid = layGrid(time, grouped);
    const { offsets, source, frequency, isTime } = grid;
    const horizon = Number(task.horizon);
    const step = Number(task.windowStep ?? horizon);
    if (step < horizon) {
      throw new DataError(
        `window_step ${step} is below the horizon ${horizon}: a step would be forecast in two windows. Use at least the horizon.`,
      );
    }
    const target = sharedValues(source, (row) => finite(label.values[row]));
    averageDoubles(target, grid.doubles, label.values);
    const frame: SeriesFrame = {
      kind: "series",
      column: labelColumn,
      names: grouped.keys.map(seriesName),
      ids: sharedIds(grouped.keys.length),
      offsets: shared32(offsets),
      target,
      horizon,
      gap: Number(task.gap ?? 0),
      seasons: seasonsOf(task.seasonLength, frequency, isTime, { target, offsets }),
    };
    requireValues(frame, labelColumn);
    const { windows, warnings } = rollingOrigin({ frame, windows: request.windows, step });
    const known = stringsOf(task.knownColumns).map((name) => findColumn(table, name, "known"));
    const weightName = typeof task.weightColumn === "string" ? task.weightColumn : null;
    const own = new Set([
      labelColumn,
      time.name,
      ...ignored,
      ...known.map(({ name }) => name),
      ...(weightName === null ? [] : [weightName]),
    ]);
    const fixed: Column[] = [];
    const unknown: string[] = [];
    for (const column of table.columns) {
      if (own.has(column.name)) continue;
      if (isConstantWithin(column, grouped)) fixed.push(column);
      else unknown.push(column.name);
    }
    const header: Header = {
      label: labelColumn,
      timeColumn: time.name,
      isTime,
      frequency,
      horizon,
      gap: frame.gap,
      seasons: [...frame.seasons],
      seriesColumns: names,
      known: known.map(({ name, kind }) => ({ name, kind })),
      static: fixed.map((column) => ({
        name: column.name,
        kind: column.kind,
        cells: grouped.keys.map((_, s) => presentCell(column, grouped, s)),
      })),
      keys: grouped.keys.map((key) => [...key]),
    };
    const labels: NumericColumn = {
      kind: "numeric",
      name: labelColumn,
      values: filledForwards(frame),
    };
    const weight = weightName === null ? null : findColumn(table, weightName, "weights");
    const rowsOfTime = timesOf(header, grid.starts, offsets);
    return {
      table: {
        rows: source.length,
        columns: [
          labels,
          rowsOfTime,
          ...known.map((column) => cellsAt(column, source)),
          ...header.static.map((column) => columnOfSeries(column, offsets)),
          ...(weight ? [weightsAt(weight, source)] : []),
        ],
      },
      frame,
      saved: { header, tensors: { target, offsets: frame.offsets, starts: grid.starts } },
      rolling: {
        windows,
        observed: Uint8Array.from(target, (value) => Number(!Number.isNaN(value))),
        series: seriesRows(frame, windows, (history, steps) => naive2(history, steps, frame)),
        splitter: `${windows.length} windows of ${horizon} steps (${describeFrequency(frequency, isTime)} each), rolling origin`,
      },
      warnings: [
        ...grid.warnings,
        ...warnings,
        ...(unknown.length > 0
          ? [
              `${unknown.map(shown).join(", ")} ${unknown.length === 1 ? "changes" : "change"} with time and ${unknown.length === 1 ? "is" : "are"} not among known_columns: nothing is known of ${unknown.length === 1 ? "it" : "them"} for steps to come, so ${unknown.length === 1 ? "it is" : "they are"} left out.`,
            ]
          : []),
      ],
    };
  },

  read(table, saved, horizon): FramedRows {
    return new Request(table, saved, horizon).rows();
  },

  inputs(saved): SourceColumn[] {
    const { label, timeColumn, isTime, seriesColumns, known } = headerSchema.parse(saved.header);
    return [
      { kind: "numeric", name: label },
      isTime
        ? { kind: "timestamp", name: timeColumn, origin: 0, parts: [] }
        : { kind: "numeric", name: timeColumn },
      ...seriesColumns.map(
        (name) => ({ kind: "text", name, parts: [], tokens: [] }) satisfies SourceColumn,
      ),
      ...known.flatMap((): SourceColumn[] => []),
    ];
  },
};

/** What a request says of steps: their history where they have a value, to be forecast where not. */
class Request {
  readonly #table: Table;
  readonly #header: Header;
  readonly #saved: Pick<SeriesFrame, "target" | "offsets"> & { readonly starts: Float64Array };
  readonly #horizon: number;
  readonly #warnings: string[] = [];

  constructor(table: Table, saved: SavedFrame, horizon: number | undefined) {
    this.#table = table;
    this.#header = headerSchema.parse(saved.header);
    const { target, offsets, starts } = saved.tensors;
    if (
      !(target instanceof Float64Array) ||
      !(offsets instanceof Uint32Array) ||
      !(starts instanceof Float64Array)
    ) {
      throw new DataError("The model's file of series is damaged.");
    }
    this.#saved = { target, offsets, starts };
    this.#horizon = horizon ?? this.#header.horizon;
    if (this.#horizon > this.#header.horizon) {
      throw new DataError(
        `The model was trained to forecast ${this.#header.horizon} steps; a horizon of ${this.#horizon} needs a model of its own.`,
      );
    }
  }

  rows(): FramedRows {
    const header = this.#header;
    const asked = this.#table.rows === 0 ? this.#allSeries() : this.#askedSeries();
    const keys: AnswerKey[] = [];
    const forecast: number[] = [];
    const offsets = new Uint32Array(asked.length + 1);
    const starts = new Float64Array(asked.length);
    const target: number[] = [];
    const source: number[] = [];
    for (const [s, series] of asked.entries()) {
      const { start, values, steps, rowOf } = series;
      starts[s] = start;
      const origin = start + values.length;
      const last = Math.max(origin - 1, ...steps);
      for (let step = start; step <= last; step++) {
        target.push(step < origin ? values[step - start] : Number.NaN);
        source.push(rowOf.get(step) ?? -1);
        if (!steps.includes(step)) continue;
        forecast.push(offsets[s] + step - start);
        const at = timeOf(header.frequency, step);
        keys.push({
          series: Object.fromEntries(header.seriesColumns.map((name, i) => [name, series.key[i]])),
          time: header.isTime ? new Date(at).toISOString() : at,
        });
      }
      offsets[s + 1] = target.length;
    }
    const frame: SeriesFrame = {
      kind: "series",
      column: header.label,
      names: asked.map(({ key }) => seriesName(key)),
      ids: Int32Array.from(asked, ({ id }) => id),
      offsets,
      target: Float64Array.from(target),
      horizon: header.horizon,
      gap: header.gap,
      seasons: header.seasons,
    };
    const places = Int32Array.from(source);
    return {
      table: {
        rows: target.length,
        columns: [
          timesOf(header, starts, offsets),
          ...header.known.flatMap(({ name }) => {
            const column = this.#table.columns.find((each) => each.name === name);
            return column ? [cellsAt(column, places)] : [];
          }),
          ...header.static.map((column) =>
            columnOfSeries(
              {
                ...column,
                cells: asked.map(({ id, rowOf }) =>
                  id < 0 ? this.#sentCell(column.name, rowOf) : column.cells[id],
                ),
              },
              offsets,
            ),
          ),
        ],
      },
      frame,
      rows: Uint32Array.from(forecast),
      keys,
      warnings: this.#warnings,
    };
  }

  /** Of a series that was not there in training: what its rows say of it. */
  #sentCell(name: string, rowOf: ReadonlyMap<number, number>): Cell {
    const column = this.#table.columns.find((each) => each.name === name);
    if (!column) return null;
    for (const row of rowOf.values()) {
      const cell = cellOf(column, row);
      if (cell !== null) return cell;
    }
    return null;
  }

  #allSeries(): AskedSeries[] {
    return this.#header.keys.map((key, id) => this.#ofTraining(key, id, []));
  }

  #askedSeries(): AskedSeries[] {
    const { timeColumn, isTime, seriesColumns, label } = this.#header;
    const column = (name: string, kind: "text" | "numeric" | "timestamp"): Column => {
      const found = this.#table.columns.find((each) => each.name === name);
      if (found) return coerceColumn(found, kind);
      throw new DataError(`The rows lack ${shown(name)}, which tells where they belong.`, {
        column: name,
      });
    };
    const time = column(timeColumn, isTime ? "timestamp" : "numeric");
    const given = this.#table.columns.find((each) => each.name === label);
    const values = given ? valuesOf(coerceColumn(given, "numeric")).values : null;
    const grouped = groupSeries(
      seriesColumns.map((name) => column(name, "text")),
      time,
      null,
      this.#table.rows,
    );
    const ids = new Map(this.#header.keys.map((key, id) => [JSON.stringify(key), id]));
    return grouped.keys.map((key, s) => {
      const rows = [...grouped.rows.subarray(grouped.offsets[s], grouped.offsets[s + 1])];
      const id = ids.get(JSON.stringify(key)) ?? -1;
      return this.#fromRows(key, id, rows, time, values);
    });
  }

  #ofTraining(key: readonly string[], id: number, steps: readonly number[]): AskedSeries {
    const { target, offsets, starts } = this.#saved;
    const values = [...target.subarray(offsets[id], offsets[id + 1])];
    const end = starts[id] + values.length + this.#header.gap;
    return {
      key,
      id,
      start: starts[id],
      values,
      steps: steps.length > 0 ? steps : Array.from({ length: this.#horizon }, (_, h) => end + h),
      rowOf: new Map(),
    };
  }

  #fromRows(
    key: readonly string[],
    id: number,
    rows: readonly number[],
    time: Column,
    values: Float64Array | null,
  ): AskedSeries {
    const { frequency, gap } = this.#header;
    const history = new Map<number, number>();
    const rowOf = new Map<number, number>();
    const asked: number[] = [];
    for (const row of rows) {
      const exact =
        time.kind === "numeric" || time.kind === "timestamp"
          ? stepOf(frequency, time.values[row])
          : 0;
      const step = Math.round(exact);
      if (Math.abs(exact - step) > 1e-6) {
        throw new DataError(
          `Row ${row + 1} of the series ${shown(seriesName(key))} is at ${cellText(time, row)}, between two steps of ${describeFrequency(frequency, this.#header.isTime)}.`,
          { column: time.name, row: row + 1 },
        );
      }
      if (rowOf.has(step)) {
        throw new DataError(
          `The series ${shown(seriesName(key))} has two rows at ${cellText(time, row)}: rows ${(rowOf.get(step) ?? 0) + 1} and ${row + 1}.`,
          { column: time.name, row: row + 1 },
        );
      }
      rowOf.set(step, row);
      if (values !== null && !Number.isNaN(values[row])) history.set(step, values[row]);
      else asked.push(step);
    }
    const known = this.#known(key, id, history);
    const origin = known.start + known.values.length;
    const first = origin + gap;
    const steps = asked.filter((step) => step >= first);
    for (const step of asked) {
      if (step < first && step >= origin) {
        throw new DataError(
          `The series ${shown(seriesName(key))} is forecast from ${gap} steps after its last value on; row ${(rowOf.get(step) ?? 0) + 1} lies before.`,
          { row: (rowOf.get(step) ?? 0) + 1 },
        );
      }
      if (step < first + this.#horizon) continue;
      throw new DataError(
        `Row ${(rowOf.get(step) ?? 0) + 1} lies ${step - origin + 1} steps after the last value of the series ${shown(seriesName(key))}; the model forecasts ${gap + this.#horizon} at most. Send its later history.`,
        { column: time.name, row: (rowOf.get(step) ?? 0) + 1 },
      );
    }
    return {
      key,
      id,
      ...known,
      steps: steps.length > 0 ? steps : Array.from({ length: this.#horizon }, (_, h) => first + h),
      rowOf,
    };
  }

  /** The training data's values, gone on with by those that were sent; or these alone. */
  #known(
    key: readonly string[],
    id: number,
    sent: ReadonlyMap<number, number>,
  ): { readonly start: number; readonly values: number[] } {
    const { target, offsets, starts } = this.#saved;
    const trained = id < 0 ? [] : [...target.subarray(offsets[id], offsets[id + 1])];
    if (sent.size === 0) {
      if (id >= 0) return { start: starts[id], values: trained };
      throw new DataError(
        `The series ${shown(seriesName(key))} was not there in training and the request brings no history of it: send rows with ${shown(this.#header.label)}.`,
      );
    }
    const steps = [...sent.keys()].sort((a, b) => a - b);
    const [first, last] = [steps[0], steps[steps.length - 1]];
    const goesOn = id >= 0 && first >= starts[id] && first <= starts[id] + trained.length;
    const start = goesOn ? starts[id] : first;
    const values = goesOn ? trained.slice(0, Math.max(0, last - start + 1)) : [];
    for (let step = start + values.length; step <= last; step++) values.push(Number.NaN);
    for (const [step, value] of sent) values[step - start] = value;
    return { start, values };
  }
}

interface AskedSeries {
  readonly key: readonly string[];
  /** Its number among the training data's; -1 = it was not there. */
  readonly id: number;
  readonly start: number;
  /** From `start` on; NaN where nothing is known. */
  readonly values: readonly number[];
  /** Steps to forecast, ascending. */
  readonly steps: readonly number[];
  /** Rows of the request by their steps. */
  readonly rowOf: ReadonlyMap<number, number>;
}

function valuesOf(column: Column): NumericColumn {
  if (column.kind === "numeric") return column;
  throw new DataError(
    `The label ${shown(column.name)} is ${column.kind}, but series are of numbers.`,
    { column: column.name },
  );
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

function sharedValues(source: Int32Array, of: (row: number) => number): Float64Array {
  const values = new Float64Array(new SharedArrayBuffer(source.length * 8));
  for (const [i, row] of source.entries()) values[i] = row < 0 ? Number.NaN : of(row);
  return values;
}

function sharedIds(count: number): Int32Array {
  const ids = new Int32Array(new SharedArrayBuffer(count * 4));
  for (let i = 0; i < count; i++) ids[i] = i;
  return ids;
}

function shared32(values: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}

/** The mean of all rows of a step that have a value. */
function averageDoubles(
  target: Float64Array,
  doubles: readonly (readonly [number, number])[],
  values: Float64Array,
): void {
  const counts = new Map<number, number>();
  for (const [at, row] of doubles) {
    if (!Number.isFinite(values[row])) continue;
    const count = Number.isNaN(target[at]) ? 0 : (counts.get(at) ?? 1);
    target[at] = count === 0 ? values[row] : target[at] + (values[row] - target[at]) / (count + 1);
    counts.set(at, count + 1);
  }
}

function requireValues({ target, offsets, names }: SeriesFrame, label: string): void {
  const empty = names.filter((_, s) =>
    target.subarray(offsets[s], offsets[s + 1]).every(Number.isNaN),
  );
  if (empty.length === 0) return;
  throw new DataError(
    `${empty.length} of ${names.length} series have no value in ${shown(label)}, first ${shown(empty[0])}. Filter them out.`,
    { column: label },
  );
}

function seasonsOf(
  asked: unknown,
  frequency: Frequency,
  isTime: boolean,
  { target, offsets }: Pick<SeriesFrame, "target" | "offsets">,
): readonly number[] {
  const given =
    typeof asked === "number" ? [asked] : Array.isArray(asked) ? asked.map(Number) : null;
  if (given !== null)
    return [...new Set(given)].filter((season) => season > 1).sort((a, b) => a - b);
  if (isTime) return calendarSeasons(frequency, isTime);
  return seasonsShown(target, offsets);
}

/** Seasons that numbered steps may have: of months, weeks, days of hours, and their parts. */
const CANDIDATES = [4, 6, 7, 12, 24, 48, 52, 96, 168, 336];
/** Series that are looked at, evenly spaced, and values of each. */
const LOOKED_AT = 50;
const LOOKED_BACK = 2000;

/** Those that at least half of the series that are looked at show, the strongest two. */
function seasonsShown(target: Float64Array, offsets: Uint32Array): readonly number[] {
  const count = offsets.length - 1;
  const looked = Math.min(count, LOOKED_AT);
  const votes = new Map<number, number>();
  for (let i = 0; i < looked; i++) {
    const s = Math.floor((i * count) / looked);
    const from = Math.max(offsets[s], offsets[s + 1] - LOOKED_BACK);
    const known = target.subarray(from, offsets[s + 1]).filter((value) => !Number.isNaN(value));
    if (known.length < 3) continue;
    for (const length of seasonLengths(known, CANDIDATES).slice(0, 2)) {
      votes.set(length, (votes.get(length) ?? 0) + 1);
    }
  }
  return [...votes]
    .filter(([, voters]) => voters >= looked / 2)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, 2)
    .map(([length]) => length)
    .sort((a, b) => a - b);
}

function isConstantWithin(column: Column, { rows, offsets, keys }: SeriesRowsOfTable): boolean {
  const cells: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  for (let s = 0; s < keys.length; s++) {
    let first: unknown;
    for (let k = offsets[s]; k < offsets[s + 1]; k++) {
      if (isMissingCell(column, rows[k])) continue;
      if (first === undefined) first = cells[rows[k]];
      else if (cells[rows[k]] !== first) return false;
    }
  }
  return true;
}

function presentCell(column: Column, { rows, offsets }: SeriesRowsOfTable, s: number): Cell {
  for (let k = offsets[s]; k < offsets[s + 1]; k++) {
    const cell = cellOf(column, rows[k]);
    if (cell !== null) return cell;
  }
  return null;
}

function cellOf(column: Column, row: number): Cell {
  if (isMissingCell(column, row)) return null;
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return Number.isFinite(column.values[row]) ? column.values[row] : null;
    case "boolean":
      return column.values[row] === 1;
    default:
      return cellText(column, row);
  }
}

/** The last known value stands in for gaps; nothing is scored or learned there. */
function filledForwards({ target, offsets }: SeriesFrame): Float64Array {
  const values = new Float64Array(target.length);
  for (let s = 0; s + 1 < offsets.length; s++) {
    let last =
      target.subarray(offsets[s], offsets[s + 1]).find((value) => !Number.isNaN(value)) ?? 0;
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      if (!Number.isNaN(target[row])) last = target[row];
      values[row] = last;
    }
  }
  return values;
}

function timesOf(
  { timeColumn, isTime, frequency }: Header,
  starts: Float64Array,
  offsets: Uint32Array,
): Column {
  const values = new Float64Array(offsets[offsets.length - 1]);
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      values[row] = timeOf(frequency, starts[s] + row - offsets[s]);
    }
  }
  return { kind: isTime ? "timestamp" : "numeric", name: timeColumn, values };
}

/** @param source rows of the table; -1 = missing */
function cellsAt(column: Column, source: Int32Array): Column {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return {
        ...column,
        values: Float64Array.from(source, (row) => (row < 0 ? Number.NaN : column.values[row])),
      };
    case "boolean":
      return {
        ...column,
        values: Uint8Array.from(source, (row) => (row < 0 ? 255 : column.values[row])),
      };
    case "categorical":
      return {
        ...column,
        codes: Int32Array.from(source, (row) => (row < 0 ? -1 : column.codes[row])),
      };
    case "text":
      return {
        ...column,
        values: Array.from(source, (row) => (row < 0 ? null : column.values[row])),
      };
  }
}

function weightsAt(column: Column, source: Int32Array): Column {
  const weights = cellsAt(column, source);
  if (weights.kind === "numeric") {
    for (const [i, row] of source.entries()) if (row < 0) weights.values[i] = 0;
  }
  return weights;
}

/** One cell a series, at each of its rows. */
function columnOfSeries(
  { name, kind, cells }: Header["static"][number],
  offsets: Uint32Array,
): Column {
  const rows = offsets[offsets.length - 1];
  const each = <T>(
    out: { fill(value: T, from: number, to: number): unknown },
    of: (cell: Cell) => T,
  ): void => {
    for (const [s, cell] of cells.entries()) out.fill(of(cell), offsets[s], offsets[s + 1]);
  };
  switch (kind) {
    case "numeric":
    case "timestamp": {
      const values = new Float64Array(rows);
      each(values, (cell) => (typeof cell === "number" ? cell : Number.NaN));
      return { kind, name, values };
    }
    case "boolean": {
      const values = new Uint8Array(rows);
      each(values, (cell) => (cell === null ? 255 : Number(cell)));
      return { kind, name, values };
    }
    case "categorical": {
      const categories = [
        ...new Set(cells.flatMap((cell) => (cell === null ? [] : [String(cell)]))),
      ];
      const codeOf = new Map(categories.map((text, code) => [text, code]));
      const codes = new Int32Array(rows);
      each(codes, (cell) => (cell === null ? -1 : (codeOf.get(String(cell)) ?? -1)));
      return { kind, name, codes, categories };
    }
    case "text": {
      const values = new Array<string | null>(rows).fill(null);
      each(values, (cell) => (cell === null ? null : String(cell)));
      return { kind, name, values };
    }
  }
}

/** The last value, seasonally adjusted where the history shows a season (`naive2` of the M competitions). */
function naive2(history: Float64Array, steps: number, { seasons }: SeriesFrame): Float64Array {
  const adjustment = fitAdjustment(history, seasons[0] ?? 1, "multiplicative");
  const values = adjustment ? adjusted(history, adjustment) : history;
  const forecasts = new Float64Array(steps).fill(values[values.length - 1]);
  return adjustment ? reseason(forecasts, history.length, adjustment) : forecasts;
}
