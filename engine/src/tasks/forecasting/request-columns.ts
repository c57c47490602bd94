/** What a request says beside values: of the past, of steps to come, and of series that are new. */

import { isMissingCell } from "../../data/coerce.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";
import { numbersOf } from "../step-columns.ts";
import { cellOf } from "./grid-columns.ts";
import { type Cell, pastName, seriesName } from "./header.ts";
import { type AskedSeries, type OpenRequest, rowName, shownStep } from "./request-context.ts";
import { sharedRow } from "./shared-rows.ts";

/** A step that is forecast of a series that is no sum. */
export interface ToldStep {
  /** Of the frame. */
  readonly row: number;
  /** Among those that are asked. */
  readonly series: number;
  readonly time: string | number;
  /** A row of the request is of it. */
  readonly isSent: boolean;
}

/** What was sent of the past, and where nothing was, what training knew. */
export function pastOf(
  request: OpenRequest,
  asked: readonly AskedSeries[],
  offsets: Uint32Array,
): NonNullable<SeriesFrame["past"]> {
  const { offsets: from, starts } = request.trained;
  return request.header.past.map((of, p) => {
    const name = of.column;
    const column = request.table.columns.find((each) => each.name === name);
    const sent = column ? numbersOf(column, of) : null;
    // What one text of a column lacks, they all do.
    const isTold = request.header.past.findIndex((each) => each.column === name) === p;
    const values = new Float64Array(offsets[offsets.length - 1]).fill(Number.NaN);
    if (sent !== null && isTold) warnOfFuture(request, { name, sent }, asked);
    let [lacking, first] = [0, ""];
    for (const [s, { key, id, start, values: known, rowOf }] of asked.entries()) {
      for (let k = 0; k < known.length; k++) {
        const row = rowOf.get(start + k);
        const own = row === undefined || sent === null ? Number.NaN : sent(row);
        const place = id < 0 ? -1 : from[id] + start + k - starts[id];
        const isTrained = id >= 0 && place >= from[id] && place < from[id + 1];
        const value = Number.isFinite(own) || !isTrained ? own : request.past[p][place];
        values[offsets[s] + k] = Number.isFinite(value) ? value : Number.NaN;
        if (row === undefined || Number.isFinite(value) || isTrained) continue;
        if (lacking++ === 0)
          first = `${rowName(request, row)} of the series ${shown(seriesName(key))}`;
      }
    }
    if (lacking > 0 && isTold && request.options.readsPast !== false) {
      request.warnings.push(
        `${shown(name)} has no value in ${lacking} ${lacking === 1 ? "row" : "rows"} of the history, first ${first}: it is taken as missing there.`,
      );
    }
    return { name: pastName(of), values };
  });
}

/** Steps to come are forecast without such a column, whatever is sent of it. */
function warnOfFuture(
  request: OpenRequest,
  { name, sent }: { readonly name: string; readonly sent: (row: number) => number },
  asked: readonly AskedSeries[],
): void {
  const { historyRows = 0 } = request.options;
  const rows = asked.flatMap(({ start, values, rowOf }) =>
    [...rowOf].flatMap(([step, row]) =>
      row >= historyRows && step >= start + values.length && Number.isFinite(sent(row))
        ? [row]
        : [],
    ),
  );
  if (rows.length === 0) return;
  const first = rows.reduce((a, b) => Math.min(a, b));
  request.warnings.push(
    `${shown(name)} has a value in ${rows.length} ${rows.length === 1 ? "row" : "rows"} of steps to come, first ${rowName(request, first)}: the model was trained to know it of the past alone, and does not read it there. Train one that has it among the columns that are known in advance, to have it read.`,
  );
}

/**
 * Rows that name steps to come are to say what is known of these.
 *
 * @throws DataError where such a row is there
 */
export function refuseWithout(
  request: OpenRequest,
  column: string,
  asked: readonly AskedSeries[],
): void {
  for (const { key, start, values, steps, rowOf, clock } of asked) {
    for (const step of steps) {
      const row = rowOf.get(step);
      if (row === undefined || step < start + values.length) continue;
      throw new DataError(
        `${rowName(request, row)} of the series ${shown(seriesName(key))}, at ${shownStep(request, step, clock)}, lacks ${shown(column)}, as do all rows: the model was trained to know it of steps to come. Send it with the rows of \`future\`; null says that it is not known.`,
        { column, row: row + 1 },
      );
    }
  }
}

/** Columns that should be known of the steps to come, and are not. */
export function unknownAhead(
  request: OpenRequest,
  known: readonly Column[],
  steps: readonly ToldStep[],
  names: readonly string[],
): string[] {
  const ordinary = blanksOf(request);
  return known.flatMap((column) => {
    const missing = steps.filter(
      ({ row, isSent }) => isMissingCell(column, row) && !(isSent && ordinary.has(column.name)),
    );
    if (missing.length === 0) return [];
    const [first] = missing;
    const of =
      request.header.seriesColumns.length > 0 ? ` of the series ${shown(names[first.series])}` : "";
    return [
      `${shown(column.name)} is not given for ${missing.length} of the ${steps.length} steps to forecast, first ${first.time}${of}; it is taken as missing there. Send it with the rows of these steps.`,
    ];
  });
}

/** Rows of a history that goes on behind the training data, and leaves such a column out. */
export function unknownInHistory(request: OpenRequest, asked: readonly AskedSeries[]): string[] {
  const { header, trained, table, options } = request;
  if (options.readsKnownPast !== true) return [];
  const ordinary = blanksOf(request);
  return header.known.flatMap(({ name }) => {
    const column = table.columns.find((each) => each.name === name);
    const rows = asked.flatMap(({ id, start, values, rowOf }) => {
      const length = id < 0 ? 0 : trained.offsets[id + 1] - trained.offsets[id];
      const isTrained = (step: number): boolean =>
        id >= 0 && step >= trained.starts[id] && step < trained.starts[id] + length;
      return [...rowOf].flatMap(([step, row]) => {
        const isTold = column !== undefined && (ordinary.has(name) || !isMissingCell(column, row));
        return step >= start + values.length || isTrained(step) || isTold ? [] : [row];
      });
    });
    if (rows.length === 0) return [];
    const first = rows.reduce((a, b) => Math.min(a, b));
    return [
      `${shown(name)} has no value in ${rows.length} ${rows.length === 1 ? "row" : "rows"} of the history, first ${rowName(request, first)}: what it added there is not known, and is taken for the series' own change. Send it with the history.`,
    ];
  });
}

/** Columns that rows have, and in which nothing stands on ordinary days: a blank says so. */
function blanksOf({ header, table }: OpenRequest): ReadonlySet<string> {
  return new Set(
    header.known.flatMap(({ name, blank }) =>
      blank && table.columns.some((each) => each.name === name) ? [name] : [],
    ),
  );
}

/** Of a series that was not there in training: what its rows say of it. */
export function sentCell(
  request: OpenRequest,
  name: string,
  rowOf: ReadonlyMap<number, number>,
): Cell {
  const column = request.table.columns.find((each) => each.name === name);
  if (!column) return null;
  for (const row of rowOf.values()) {
    const cell = cellOf(column, row);
    if (cell !== null) return cell;
  }
  return null;
}

/** Rows of the request at each of the frame's: those of a sum say what those of all its series say alike. */
export function summedPlaces(
  column: Column,
  places: Int32Array,
  asked: readonly AskedSeries[],
  offsets: Uint32Array,
  isBlankValue: boolean,
): Int32Array {
  const found = places.slice();
  for (const [s, { start, members }] of asked.entries()) {
    if (!members) continue;
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      const step = start + row - offsets[s];
      found[row] = sharedRow(
        column,
        members.map(({ rowOf }) => rowOf.get(step) ?? -1),
        isBlankValue,
      );
    }
  }
  return found;
}
