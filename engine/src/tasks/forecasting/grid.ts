/**
 * Rows of several series, put on a regular grid: one row a step from a series' first stamp to its last,
 * and what had to be done for it.
 */

import { cellText, isMissingCell } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";
import { type GroupedRows, groupRows } from "../grouped-rows.ts";
import { rowsOfRun } from "../labels/label-rows.ts";
import { refuseKind } from "../needed-kind.ts";
import { type Clock, shiftFrom } from "./clock.ts";
import { checkDatesInNumbers } from "./dates-in-numbers.ts";
import {
  describeFrequency,
  type Frequency,
  hintOfNumbers,
  inferFrequency,
  type Stamps,
  stepOf,
} from "./frequency.ts";
import { warningsOfGrid } from "./grid-report.ts";
import { seriesName } from "./header.ts";
import { clocksOf, stepsOfChanges } from "./series-clocks.ts";

/** Beyond, they are to be trained in parts. */
export const MOST_SERIES = 100_000;
/** Rows that share a stamp within a series, of all; more are series that are not told apart. */
const DUPLICATE_SHARE = 0.01;
/** Of a series' steps; fewer rows are of another frequency than the other series. */
const FILLED_SHARE = 0.5;
export const MOST_ROWS = 20_000_000;

export interface SeriesRowsOfTable extends GroupedRows {
  /** Of each series, by first sight; its rows ascend by time. */
  readonly keys: readonly (readonly string[])[];
}

/**
 * @param rows of the table; null = all
 * @param nameOf how a row is called, counted from 0
 * @throws DataError for a row without a key or a time
 */
export function groupSeries(
  columns: readonly Column[],
  time: Column,
  rows: Uint32Array | null,
  count: number,
  nameOf = (row: number): string => `Row ${row + 1}`,
): SeriesRowsOfTable {
  if (time.kind !== "numeric" && time.kind !== "timestamp") {
    const role = `The time column ${shown(time.name)}`;
    const needed = { role, needs: "times or numbers", member: "timeColumn" } as const;
    refuseKind(time, rowsOfRun({ rows: count }, rows), needed);
  }
  const keys: string[][] = [];
  const keyOf = (row: number): string[] =>
    columns.map((column) => {
      const text = cellText(column, row);
      if (text !== null) return text;
      throw new DataError(
        `${nameOf(row)} has no value in ${shown(column.name)}, so it belongs to no series. Filter such rows out.`,
        { column: column.name, row: row + 1 },
      );
    });
  const grouped = groupRows(
    count,
    rows,
    (row) => {
      const key = keyOf(row);
      if (!isMissingCell(time, row)) return key.length === 1 ? key[0] : JSON.stringify(key);
      throw new DataError(
        `${nameOf(row)}${key.length > 0 ? ` of the series ${shown(seriesName(key))}` : ""} has no time in ${shown(time.name)}. Filter such rows out.`,
        { column: time.name, row: row + 1 },
      );
    },
    (_, row) => {
      if (keys.length === MOST_SERIES) {
        throw new DataError(
          `There are more than ${MOST_SERIES} series in ${columns.map(({ name }) => shown(name)).join(", ")}. Train them in parts by a filter, or check that these columns identify series and not rows.`,
          { column: columns[0].name },
        );
      }
      keys.push(keyOf(row));
    },
  );
  for (let s = 0; s < keys.length; s++) {
    grouped.rows
      .subarray(grouped.offsets[s], grouped.offsets[s + 1])
      .sort((a, b) => time.values[a] - time.values[b] || a - b);
  }
  return { keys, ...grouped };
}

export interface Grid {
  readonly frequency: Frequency;
  /** Of each series; absent: steps are at the instants that the frequency gives. */
  readonly clocks: readonly (Clock | undefined)[];
  readonly isTime: boolean;
  /** Of each series, the step of its first row on the scale of the frequency. */
  readonly starts: Float64Array;
  /** count + 1 places in rows of the grid. */
  readonly offsets: Uint32Array;
  /** Of each row of the grid, the row of the table; -1 where there is none. */
  readonly source: Int32Array;
  /** Further rows of the table at the same steps: pairs of a row of the grid and one of the table. */
  readonly doubles: readonly (readonly [number, number])[];
  readonly warnings: readonly string[];
}

/** @throws DataError for stamps that are not those of one frequency, or that many rows share */
export function layGrid(time: Column, grouped: SeriesRowsOfTable): Grid {
  if (time.kind !== "numeric" && time.kind !== "timestamp") throw new TypeError("no times");
  const isTime = time.kind === "timestamp";
  const { keys, rows, offsets: from } = grouped;
  const instants: Stamps[] = keys.map((key, s) => ({
    name: seriesName(key),
    times: distinct(rows.subarray(from[s], from[s + 1]), time.values),
  }));
  const mayBeDates = isTime ? [] : checkDatesInNumbers(time.name, instants);
  checkDoubles(time, grouped);
  const found = isTime ? clocksOf(instants) : null;
  const wallOf = (series: number, instant: number): number => {
    const right = found?.mistakes.get(series)?.get(instant) ?? instant;
    const changes = found?.clocks[found.of[series]];
    return changes ? right - shiftFrom(changes, right) : right;
  };
  const stamps = found
    ? instants.map(({ name, times }, s) => ({ name, times: times.map((at) => wallOf(s, at)) }))
    : instants;
  const byClock = stamps.filter((_, s) => found && found.of[s] >= 0);
  const frequency = inferFrequency(byClock.length > 0 ? byClock : stamps, isTime);
  const known = found?.clocks.map((changes) => stepsOfChanges(frequency, changes));
  const clocks = keys.map((_, s) => known?.[found?.of[s] ?? -1]);
  const starts = new Float64Array(keys.length);
  const offsets = new Uint32Array(keys.length + 1);
  for (const [s, { name, times }] of stamps.entries()) {
    starts[s] = Math.round(stepOf(frequency, times[0]));
    const length = Math.round(stepOf(frequency, times[times.length - 1])) - starts[s] + 1;
    const others = stamps.length - 1;
    checkFilled({ name, times, others }, length, frequency, isTime);
    if (offsets[s] + length > MOST_ROWS) {
      throw new DataError(
        `The series span more than ${MOST_ROWS} steps of ${describeFrequency(frequency, isTime)}. Aggregate the rows to longer steps, or train the series in parts.`,
        { column: time.name },
      );
    }
    offsets[s + 1] = offsets[s] + length;
  }
  const source = new Int32Array(offsets[keys.length]).fill(-1);
  const doubles: [number, number][] = [];
  let [moved, firstMoved] = [0, -1];
  for (let s = 0; s < keys.length; s++) {
    for (let k = from[s]; k < from[s + 1]; k++) {
      const exact = stepOf(frequency, wallOf(s, time.values[rows[k]]));
      const step = Math.round(exact);
      if (Math.abs(exact - step) > 1e-6 && moved++ === 0) firstMoved = rows[k];
      const at = offsets[s] + step - starts[s];
      if (source[at] < 0) source[at] = rows[k];
      else doubles.push([at, rows[k]]);
    }
  }
  return {
    frequency,
    clocks,
    isTime,
    starts,
    offsets,
    source,
    doubles,
    warnings: [
      ...mayBeDates,
      ...warningsOfGrid({
        time,
        grouped,
        frequency,
        clocks,
        found,
        isTime,
        starts,
        source,
        offsets,
        doubles,
        moved,
        firstMoved,
      }),
    ],
  };
}

function distinct(rows: Uint32Array, times: Float64Array): Float64Array {
  const found: number[] = [];
  for (const row of rows) if (times[row] !== found.at(-1)) found.push(times[row]);
  return Float64Array.from(found);
}

function checkDoubles(
  time: Extract<Column, { kind: "numeric" | "timestamp" }>,
  { keys, rows, offsets }: SeriesRowsOfTable,
): void {
  let count = 0;
  let first: { series: number; rows: [number, number] } | null = null;
  for (let s = 0; s < keys.length; s++) {
    for (let k = offsets[s] + 1; k < offsets[s + 1]; k++) {
      if (time.values[rows[k]] !== time.values[rows[k - 1]]) continue;
      first ??= { series: s, rows: [rows[k - 1], rows[k]] };
      count++;
    }
  }
  if (first === null || count <= Math.max(1, DUPLICATE_SHARE * rows.length)) return;
  const [a, b] = first.rows;
  const key = keys[first.series];
  throw new DataError(
    `${count} of ${rows.length} rows have the time of another row of their series: ${key.length > 0 ? `of ${shown(seriesName(key))} ` : ""}rows ${a + 1} and ${b + 1} are both at ${cellText(time, a)}. Name the columns that tell series apart in \`seriesColumns\`, or aggregate the rows to one per step.${hintOfNumbers(time.kind === "timestamp")}`,
    { column: time.name, row: b + 1 },
  );
}

function checkFilled(
  { name, times, others }: Stamps & { readonly others: number },
  length: number,
  frequency: Frequency,
  isTime: boolean,
): void {
  if (times.length < 4 || times.length >= FILLED_SHARE * length) return;
  const rows = `${times.length} rows in ${length} steps of ${describeFrequency(frequency, isTime)}`;
  throw new DataError(
    others > 0
      ? `The series ${shown(name)} has ${rows}, the step of the others: it has a different frequency, or is mostly missing. Forecast it separately, or aggregate the others.`
      : `The series has ${rows}, the commonest distance between its rows: its frequency changes, or it is mostly missing. Aggregate it to one frequency, or leave out the rows before it is regular.${hintOfNumbers(isTime)}`,
  );
}
