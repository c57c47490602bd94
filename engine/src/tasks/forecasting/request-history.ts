/**
 * Rows of a request, series by series: those with a value go on with what training knew, and those without
 * name steps to come.
 */

import { cellText, coerceColumn } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";
import { LARGEST_LABEL } from "../labels/largest-label.ts";
import { describeFrequency } from "./frequency.ts";
import { groupSeries } from "./grid.ts";
import { valuesOf } from "./grid-columns.ts";
import { clockOfSeries, type SeriesKey, seriesName } from "./header.ts";
import { clockOfNew, goneOn, warnOfClock } from "./request-clock.ts";
import {
  type AskedSeries,
  allFrom,
  type OpenRequest,
  rowName,
  shownStep,
} from "./request-context.ts";
import { type RowValues, stepOfRow } from "./request-steps.ts";

/** A history of so many rows may span so many times more steps, and a few beyond. */
const MOST_GAPS = 10;
const FEW_STEPS = 100;

interface Known {
  readonly start: number;
  readonly values: number[];
}

/** @param wanted the series that there may be rows of; absent = any */
export function seriesOfRows(
  request: OpenRequest,
  wanted: readonly SeriesKey[] | undefined,
): AskedSeries[] {
  const { timeColumn, isTime, seriesColumns, label } = request.header;
  const column = (name: string, kind: "text" | "numeric" | "timestamp"): Column => {
    const found = request.table.columns.find((each) => each.name === name);
    if (found) return coerceColumn(found, kind);
    throw new DataError(`The rows lack ${shown(name)}, which tells where they belong.`, {
      column: name,
    });
  };
  const time = column(timeColumn, isTime ? "timestamp" : "numeric");
  if (time.kind !== "numeric" && time.kind !== "timestamp") throw new TypeError("no times");
  const given = request.table.columns.find((each) => each.name === label);
  const values = given ? valuesOf(coerceColumn(given, "numeric")).values : null;
  const grouped = groupSeries(
    seriesColumns.map((name) => column(name, "text")),
    time,
    null,
    request.table.rows,
    (row) => rowName(request, row),
  );
  const allowed = wanted && new Set(wanted.map((key) => JSON.stringify(key)));
  const asked = grouped.keys.map((key, s) => {
    const rows = [...grouped.rows.subarray(grouped.offsets[s], grouped.offsets[s + 1])];
    if (allowed && !allowed.has(JSON.stringify(key))) {
      throw new DataError(
        `${rowName(request, rows[0])} is of the series ${shown(seriesName(key))}, which \`series\` does not name.`,
        { row: rows[0] + 1 },
      );
    }
    const id = request.ids.get(JSON.stringify(key)) ?? -1;
    return fromRows(request, key, id, rows, { time, values });
  });
  warnOfClock(request, asked, time);
  return asked;
}

function fromRows(
  request: OpenRequest,
  key: readonly string[],
  id: number,
  rows: readonly number[],
  of: RowValues,
): AskedSeries {
  const { gap, label } = request.header;
  const { historyRows } = request.options;
  const name = seriesName(key);
  const at = (row: number) => `${rowName(request, row)} of the series ${shown(name)}`;
  const history = new Map<number, number>();
  const rowOf = new Map<number, number>();
  const asked = new Map<number, number>();
  const empty: number[] = [];
  const shifts = new Map<number, number>();
  const clock =
    id < 0
      ? clockOfNew(
          request.header,
          rows.map((row) => of.time.values[row]),
        )
      : clockOfSeries(request.header, id);
  for (const row of rows) {
    const { step, shift } = stepOfRow(request, row, of, clock, at);
    shifts.set(step, shift);
    const other = rowOf.get(step);
    if (other !== undefined) {
      throw new DataError(
        `The series ${shown(name)} has two rows at ${cellText(of.time, row)}: ${rowName(request, other)} and ${rowName(request, row)}.`,
        { column: of.time.name, row: row + 1 },
      );
    }
    rowOf.set(step, row);
    const hasValue = of.values !== null && Number.isFinite(of.values[row]);
    if (historyRows !== undefined && row >= historyRows && hasValue) {
      throw new DataError(
        `${at(row)} has a value of ${shown(label)}: what is known belongs to \`history\`.`,
        { column: label, row: row + 1 },
      );
    }
    const value = of.values?.[row] ?? Number.NaN;
    if (Math.abs(value) > LARGEST_LABEL) {
      throw new DataError(
        `${at(row)} has the value ${value} of ${shown(label)}, which is beyond ${LARGEST_LABEL}.`,
        {
          column: label,
          row: row + 1,
        },
      );
    }
    if (historyRows !== undefined && row < historyRows && !hasValue) empty.push(row);
    if (hasValue) history.set(step, value);
    else if (historyRows === undefined || row >= historyRows) asked.set(step, row);
  }
  if (empty.length > 0) {
    request.warnings.push(
      `${at(empty[0])} has no value of ${shown(label)}${empty.length > 1 ? `, nor have ${empty.length - 1} more` : ""}: what lies before the last value is filled between its neighbours, and what follows it is not known.`,
    );
  }
  const known = knownOf(request, { key, id, clock }, history, rows);
  const origin = known.start + known.values.length;
  const first = origin + gap;
  const steps = new Set<number>();
  for (const [step, row] of asked) {
    // Without a value inside of the history: a gap.
    if (step < origin && historyRows === undefined) continue;
    if (step < first) {
      const last = shownStep(request, origin - 1, clock);
      throw new DataError(
        step < origin
          ? `${at(row)} is at ${shownStep(request, step, clock)}, which is not after its last known value, of ${last}. Forecasts begin after it.`
          : `${at(row)} is at ${shownStep(request, step, clock)}; the model forecasts from ${gap + 1} steps after the last known value, of ${last}, on.`,
        { column: of.time.name, row: row + 1 },
      );
    }
    if (step >= first + request.horizon) {
      throw new DataError(
        `${at(row)} lies ${step - origin + 1} steps after its last known value, of ${shownStep(request, origin - 1, clock)}; ${gap + request.horizon} is the furthest that is forecast. Send its later history.`,
        { column: of.time.name, row: row + 1 },
      );
    }
    steps.add(step);
  }
  const all = steps.size > 0 ? steps : allFrom(request, first);
  const later = goneOn(request, { id, clock }, shifts, all);
  return { key, id, ...known, steps: all, rowOf, clock, shifts: later };
}

/** The training data's values, gone on with by those that were sent; or these alone. */
function knownOf(
  request: OpenRequest,
  { key, id, clock }: Pick<AskedSeries, "key" | "id" | "clock">,
  sent: ReadonlyMap<number, number>,
  rows: readonly number[],
): Known {
  const { target, offsets, starts } = request.trained;
  const trained = id < 0 ? [] : [...target.subarray(offsets[id], offsets[id + 1])];
  if (sent.size === 0) {
    if (id >= 0) return { start: starts[id], values: trained };
    throw new DataError(
      `The series ${shown(seriesName(key))} was not in the training data and the request has no history of it: send rows with ${shown(request.header.label)}.`,
      { row: rows[0] + 1 },
    );
  }
  const steps = [...sent.keys()].sort((a, b) => a - b);
  const [first, last] = [steps[0], steps[steps.length - 1]];
  if (last - first >= FEW_STEPS + MOST_GAPS * sent.size) {
    throw new DataError(
      `The history of the series ${shown(seriesName(key))} has ${sent.size} values in ${last - first + 1} steps of ${describeFrequency(request.header.frequency, request.header.isTime)}, from ${shownStep(request, first, clock)} to ${shownStep(request, last, clock)}: are its times right?`,
      { column: request.header.timeColumn, row: rows[0] + 1 },
    );
  }
  const goesOn = id >= 0 && first >= starts[id] && first <= starts[id] + trained.length;
  if (id >= 0 && first > starts[id] + trained.length) {
    request.warnings.push(
      `The history of the series ${shown(seriesName(key))} begins ${first - starts[id] - trained.length} steps after its training data would go on, at ${shownStep(request, first, clock)}: it is forecast from the ${sent.size === 1 ? "one value" : `${sent.size} values`} of the history alone. Send the steps from ${shownStep(request, starts[id] + trained.length, clock)} on to keep its past.`,
    );
  }
  const start = goesOn ? starts[id] : first;
  const values = goesOn ? trained.slice(0, Math.max(0, last - start + 1)) : [];
  for (let step = start + values.length; step <= last; step++) values.push(Number.NaN);
  for (const [step, value] of sent) values[step - start] = value;
  return { start, values };
}
