/**
 * From rows of series in long form to the steps of a regular grid, and windows to check forecasts on;
 * for the way back see `request.ts`.
 */

import type { SourceColumn } from "../../data/feature-schema.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { shown, shownNames } from "../../data/shown.ts";
import { type Column, DataError, type NumericColumn } from "../../data/table.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import { adjusted, fitAdjustment, reseason } from "../../series/seasonality/seasonal-adjustment.ts";
import type { FramedRows, FramedTable, Framing } from "../framing.ts";
import { changeWithin } from "../grouped-rows.ts";
import { findColumn } from "../named-column.ts";
import {
  inputsOf,
  MOST_LEVELS,
  numbersOf,
  type StepColumn,
  stepColumnsOf,
} from "../step-columns.ts";
import { isBlankOrdinary } from "./blank-columns.ts";
import { calendarOf } from "./calendar.ts";
import { savedClocks, shiftAt } from "./clock.ts";
import { constantColumn, warningsOfConstant } from "./constant-columns.ts";
import { describeFrequency, stepsOfYear, timeOf } from "./frequency.ts";
import { type Grid, groupSeries, layGrid, type SeriesRowsOfTable } from "./grid.ts";
import { cellOf, cellsAt, columnOfSeries, timesOf, valuesOf } from "./grid-columns.ts";
import { type Cell, type Header, pastName, type SeriesKey, seriesName } from "./header.ts";
import {
  hierarchySchema,
  layUnder,
  type SeriesSums,
  type SummedGrid,
  sumsOf,
} from "./hierarchy.ts";
import { pastRows } from "./past-rows.ts";
import { fitReconciliation } from "./reconciliation.ts";
import { readRequest } from "./request.ts";
import { savedSeries } from "./request-context.ts";
import { seasonsOf } from "./seasons.ts";
import { untoldRows } from "./shared-rows.ts";
import { boundsOfSeries, givenBounds, requireWithin } from "./value-bounds.ts";
import { type Fold, rollingOrigin, seriesRows } from "./windows.ts";

export const forecastingFraming: Framing = {
  kind: "series",
  required: ["timeColumn", "horizon"],

  frame(table, request): FramedTable {
    const { task, labelColumn, ignored } = request;
    const label = valuesOf(findColumn(table, labelColumn, "label"));
    const time = findColumn(table, String(task.timeColumn), "time");
    const names = stringsOf(task.seriesColumns);
    const keyColumns = names.map((name) => findColumn(table, name, "series"));
    if (task.groupColumn != null) {
      throw new DataError(
        "Every window of a backtest contains all series, so a group column has no use here. Leave it out.",
        { column: String(task.groupColumn), member: "groupColumn" },
      );
    }
    const past = pastRows(time, label, request.rows, table.rows);
    const grouped = groupSeries(keyColumns, time, past.rows, table.rows);
    const sums = hierarchyOf(task.hierarchy, names, grouped.keys);
    const grid = layGrid(time, grouped);
    const { source, frequency, isTime } = grid;
    const horizon = Number(task.horizon);
    const step = Number(task.windowStep ?? horizon);
    if (step < horizon) {
      throw new DataError(
        `The \`windowStep\` ${step} is below the horizon ${horizon}: a step would be forecast in two windows. Use at least the horizon.`,
        { member: "windowStep" },
      );
    }
    const observed = sharedValues(source, (row) => finite(label.values[row]));
    averageDoubles(observed, grid.doubles, label.values);
    const seriesNames = grouped.keys.map(seriesName);
    const laid: SummedGrid = sums
      ? layUnder(grid, observed, sums, {
          names: seriesNames,
          timeAt: (series, step) => shownTime(grid, series, step),
        })
      : { ...grid, target: observed, sourceOf: () => source, summed: () => {} };
    const { offsets, starts, target } = laid;
    const keys: SeriesKey[] = [...grouped.keys, ...(sums?.keys ?? [])];
    const ahead = stringsOf(task.knownColumns).map((name) => findColumn(table, name, "known"));
    const constant = ahead.flatMap((column) => constantColumn(column, source) ?? []);
    const [known, unread] = [false, true].map((isConstant) =>
      ahead.filter(({ name }) => constant.some((each) => each.name === name) === isConstant),
    );
    const blank = known.filter((column) => isBlankOrdinary(column, source)).map(({ name }) => name);
    const knownPlaces = known.map((column) => ({
      column,
      name: column.name,
      places: laid.sourceOf(column, blank.includes(column.name)),
    }));
    const year = stepsOfYear(frequency, isTime);
    const frame: SeriesFrame = {
      kind: "series",
      column: labelColumn,
      time: { column: time.name, isLong: isTime && frequency.kind === "months" },
      names: keys.map(seriesName),
      ids: sharedIds(keys.length),
      offsets: shared32(offsets),
      target,
      horizon,
      gap: Number(task.gap ?? 0),
      ...(known.length > 0 ? { known: known.map(({ name }) => name) } : {}),
      ...(blank.length > 0 ? { blank } : {}),
      ...untoldRows(knownPlaces.filter(({ name }) => blank.includes(name))),
      seasons: seasonsOf(task.seasonLength, frequency, isTime, { target, offsets }),
      // Who names seasons names all of them.
      ...(year === null || task.seasonLength != null ? {} : { year }),
    };
    requireValues(frame, labelColumn);
    const { folds, warnings } = rollingOrigin({
      ...{ frame, step, folds: request.windows, single: task.windowStep != null },
    });
    const given = givenBounds(task, sums?.members ?? []);
    const bounds = boundsOfSeries(frame, frame.offsets.subarray(1), given);
    requireWithin(frame, bounds, given);
    const series = seriesRows(frame, folds, {
      reference: (history, steps) => naive2(history, steps, frame),
      boundsBefore: (ends) => boundsOfSeries(frame, ends, given),
    });
    const windows = windowCount(folds, series);
    const weightName = typeof task.weightColumn === "string" ? task.weightColumn : null;
    const own = new Set([
      labelColumn,
      time.name,
      ...ignored,
      ...ahead.map(({ name }) => name),
      ...(weightName === null ? [] : [weightName]),
    ]);
    const fixed: Column[] = [];
    const pastInputs: StepColumn[] = [];
    const unknown: string[] = [];
    for (const column of table.columns) {
      if (own.has(column.name)) continue;
      if (changeWithin(column, grouped) === null) fixed.push(column);
      else {
        const found = names.includes(column.name) ? null : stepColumnsOf(column, grouped.rows);
        if (found === null) unknown.push(column.name);
        else pastInputs.push(...found);
      }
    }
    const ofPast = pastInputs.map((of) => ({
      name: pastName(of),
      // Of a sum nothing: it is no sum, nor the same for all of its series.
      values: sharedValues(laid.source, numbersOf(findColumn(table, of.column, "past"), of)),
    }));
    const pastColumns = inputsOf(pastInputs);
    const clocks = savedClocks(grid.clocks, sums?.members ?? []);
    const header: Header = {
      label: labelColumn,
      timeColumn: time.name,
      isTime,
      ...(time.kind === "timestamp" && time.slashed ? { slashed: time.slashed } : {}),
      frequency,
      ...(clocks ? { clocks } : {}),
      horizon,
      gap: frame.gap,
      seasons: [...frame.seasons],
      ...(frame.year === undefined ? {} : { year: frame.year }),
      seriesColumns: names,
      known: known.map(({ name, kind }) => ({
        ...{ name, kind },
        ...(blank.includes(name) ? { blank: true } : {}),
      })),
      constant,
      past: pastInputs,
      static: fixed.map((column) => ({
        name: column.name,
        kind: column.kind,
        cells: cellsOfSeries(column, grouped, sums),
      })),
      keys: keys.map((key) => [...key]),
      ...(sums
        ? {
            hierarchy: {
              method: sums.method,
              bottoms: sums.bottoms,
              members: sums.members,
            },
          }
        : {}),
    };
    const labels: NumericColumn = {
      kind: "numeric",
      name: labelColumn,
      values: filledForwards(frame),
    };
    const weight = weightName === null ? null : findColumn(table, weightName, "weights");
    const aRow = source.find((row) => row >= 0) ?? -1;
    const rowsOfTime = timesOf(header, starts, offsets);
    return {
      table: {
        rows: target.length,
        origins: { rows: laid.source, called: ["steps", "step"], names: null },
        columns: [
          labels,
          rowsOfTime,
          ...knownPlaces.map(({ column, places }) => cellsAt(column, places)),
          // At steps without a row too, so that they are seen to be constant.
          ...unread.map((column) => cellsAt(column, new Int32Array(target.length).fill(aRow))),
          ...header.static.map((column) => columnOfSeries(column, offsets)),
          ...(weight ? [weightsAt(weight, laid)] : []),
        ],
      },
      frame: { ...frame, ...bounds, ...(pastInputs.length > 0 ? { past: ofPast } : {}) },
      saved: {
        header,
        tensors: {
          target,
          offsets: frame.offsets,
          starts,
          ...bounds,
          ...Object.fromEntries(ofPast.map(({ values }, i) => [`past_${i}`, values])),
        },
      },
      rolling: {
        folds,
        observed: Uint8Array.from(target, (value) => Number(!Number.isNaN(value))),
        series,
        splitter: `${windows} ${windows === 1 ? "window" : "windows"} of ${horizon} ${horizon === 1 ? "step" : "steps"} (${describeFrequency(frequency, isTime)} each), rolling origin${windows > folds.length ? `, ${folds.length} fits` : ""}`,
        columns: {
          known: known.map(({ name }) => name),
          past: pastColumns.map(({ name }) => name),
          // Of a single series they say nothing.
          static:
            grouped.keys.length > 1
              ? fixed.map(({ name }) => name).filter((name) => !names.includes(name))
              : [],
        },
      },
      warnings: [
        ...past.warnings,
        ...grid.warnings,
        ...warningsOfValues(label, laid.source, frame),
        ...warnings,
        ...warningsOfConstant(constant),
        ...(pastInputs.length > 0
          ? [
              `${shownNames(pastColumns.map(({ name }) => name))} ${pastColumns.length === 1 ? "changes" : "change"} with time and ${pastColumns.length === 1 ? "is" : "are"} not among \`knownColumns\`: ${pastColumns.length === 1 ? "it is" : "they are"} taken as known until the last value alone, and read by families that learn from lags.`,
            ]
          : []),
        ...(unknown.length > 0
          ? [
              `${shownNames(unknown)} ${unknown.length === 1 ? "changes" : "change"} with time and ${unknown.length === 1 ? "is" : "are"} not among \`knownColumns\`, nor of numbers or of up to ${MOST_LEVELS} texts: nothing is known of ${unknown.length === 1 ? "it" : "them"} for steps to come, so ${unknown.length === 1 ? "it is" : "they are"} left out.`,
            ]
          : []),
      ],
    };
  },

  read(table, saved, options = {}): FramedRows {
    return readRequest(table, saved, options);
  },

  fitReconciliation,

  calendar: calendarOf,

  unread(saved): SourceColumn[] {
    const { constant } = savedSeries(saved).header;
    return constant.map(({ name }) => ({ kind: "text", name, parts: [], tokens: [] }));
  },

  inputs(saved): SourceColumn[] {
    const { label, timeColumn, isTime, slashed, seriesColumns, past } = savedSeries(saved).header;
    const text = (name: string): SourceColumn => ({ kind: "text", name, parts: [], tokens: [] });
    const numeric = (name: string): SourceColumn => ({ kind: "numeric", name });
    return [
      numeric(label),
      isTime
        ? { kind: "timestamp", name: timeColumn, origin: 0, parts: [], slashed }
        : numeric(timeColumn),
      ...inputsOf(past).map(({ name, isText }) => (isText ? text(name) : numeric(name))),
      ...seriesColumns.map(text),
    ];
  },
};

function windowCount(folds: readonly Fold[], { window }: SeriesRows): number {
  return new Set(folds.flatMap(({ valid }) => Array.from(valid, (row) => window[row]))).size;
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

/** Rows that are there, and whose value is not, or is infinite. */
function warningsOfValues(
  { name, values }: NumericColumn,
  source: Int32Array,
  { names, offsets }: SeriesFrame,
): string[] {
  const told = (places: readonly number[], what: string): string[] => {
    if (places.length === 0) return [];
    const [at] = places;
    const series = offsets.findLastIndex((offset) => offset <= at);
    const of = names.length > 1 ? ` of the series ${shown(names[series])}` : "";
    const [rows, are] =
      places.length === 1 ? ["1 row has", "it is"] : [`${places.length} rows have`, "they are"];
    return [
      `${rows} ${what} in ${shown(name)}, first row ${source[at] + 1}${of}: ${are} filled between ${places.length === 1 ? "its" : "their"} neighbours to learn from, and not scored.`,
    ];
  };
  const missing: number[] = [];
  const infinite: number[] = [];
  for (const [at, row] of source.entries()) {
    if (row < 0) continue;
    if (Number.isNaN(values[row])) missing.push(at);
    else if (!Number.isFinite(values[row])) infinite.push(at);
  }
  return [...told(missing, "no value"), ...told(infinite, "an infinite value")];
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

function presentCell(column: Column, { rows, offsets }: SeriesRowsOfTable, s: number): Cell {
  for (let k = offsets[s]; k < offsets[s + 1]; k++) {
    const cell = cellOf(column, rows[k]);
    if (cell !== null) return cell;
  }
  return null;
}

/** Of a sum what all of its series have alike. */
function cellsOfSeries(
  column: Column,
  grouped: SeriesRowsOfTable,
  sums: SeriesSums | null,
): Cell[] {
  const own = grouped.keys.map((_, s) => presentCell(column, grouped, s));
  return [
    ...own,
    ...(sums?.members ?? []).map((members) => {
      const present = [...new Set(members.map((s) => own[s]).filter((cell) => cell !== null))];
      return present.length === 1 ? present[0] : null;
    }),
  ];
}

/** @throws DataError for levels that are none of these columns */
function hierarchyOf(
  given: unknown,
  columns: readonly string[],
  keys: readonly (readonly string[])[],
): SeriesSums | null {
  return given == null ? null : sumsOf(hierarchySchema.parse(given), columns, keys);
}

function shownTime({ frequency, clocks, isTime }: Grid, series: number, step: number): string {
  const at = timeOf(frequency, step) + shiftAt(clocks[series], step);
  return isTime ? new Date(at).toISOString() : String(at);
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

function weightsAt(column: Column, { source, summed }: SummedGrid): Column {
  const weights = cellsAt(column, source);
  if (weights.kind === "numeric") {
    for (const [i, row] of source.entries()) if (row < 0) weights.values[i] = 0;
    summed(weights.values);
  }
  return weights;
}

/** The last value, seasonally adjusted where the history shows a season (`naive2` of the M competitions). */
function naive2(history: Float64Array, steps: number, { seasons }: SeriesFrame): Float64Array {
  const adjustment = fitAdjustment(history, seasons[0] ?? 1, "multiplicative");
  const values = adjustment ? adjusted(history, adjustment) : history;
  const forecasts = new Float64Array(steps).fill(values[values.length - 1]);
  return adjustment ? reseason(forecasts, history.length, adjustment) : forecasts;
}
