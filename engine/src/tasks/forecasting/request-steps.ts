/** Steps of a request's rows, and the clock that their stamps are by. */

import { cellText } from "../../data/coerce.ts";
import { type Column, DataError } from "../../data/table.ts";
import { shiftAt, shiftsOf } from "./clock.ts";
import { describeFrequency, stepOf, timeOf } from "./frequency.ts";
import { type AskedSeries, type OpenRequest, rowName, shownStep } from "./request-context.ts";

/** The times of rows, and their values; NaN where there is none. */
export interface RowValues {
  readonly time: Extract<Column, { kind: "numeric" | "timestamp" }>;
  readonly values: Float64Array | null;
}

/** Its step, and how far it lies beside the instant that the frequency gives: by a clock that was put forward or back. */
export function stepOfRow(
  request: OpenRequest,
  row: number,
  { time }: RowValues,
  at: (row: number) => string,
): { readonly step: number; readonly shift: number } {
  const { frequency, clock, isTime } = request.header;
  const instant = time.values[row];
  const exact = stepOf(frequency, instant);
  if (!Number.isSafeInteger(Math.round(exact))) {
    throw new DataError(`${at(row)} is at ${cellText(time, row)}, beyond any step.`, {
      column: time.name,
      row: row + 1,
    });
  }
  for (const shift of shiftsOf(frequency, isTime)) {
    const shifted = stepOf(frequency, instant - shift);
    const step = Math.round(shifted);
    const isStep =
      frequency.kind === "regular"
        ? Math.abs(shifted - step) <= 1e-6
        : timeOf(frequency, step) === instant - shift;
    if (isStep) return { step, shift };
  }
  const before =
    Math.floor(exact) -
    Number(timeOf(frequency, Math.floor(exact)) + shiftAt(clock, Math.floor(exact)) > instant);
  throw new DataError(
    `${at(row)} is at ${cellText(time, row)}, but the steps of ${describeFrequency(frequency, isTime)} are at ${shownStep(request, before)} and ${shownStep(request, before + 1)}.`,
    { column: time.name, row: row + 1 },
  );
}

/** Steps that no row names are by the clock as the last row before them says, where training had not known of a later change. */
export function goneOn(
  { header: { clock } }: OpenRequest,
  shifts: ReadonlyMap<number, number>,
  steps: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const last = [...shifts.keys()].reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shift = shifts.get(last);
  const change = clock?.at(-1)?.step ?? Number.NEGATIVE_INFINITY;
  if (shift === undefined || last < change) return shifts;
  const later = [...steps].filter((step) => step > last).map((step) => [step, shift] as const);
  return new Map([...shifts, ...later]);
}

/** Training saw no change of the clock, so that an hour may be a mistake as well. */
export function warnOfClock(
  { header: { frequency, clock, isTime }, warnings, ...request }: OpenRequest,
  asked: readonly AskedSeries[],
  time: Column,
): void {
  if (clock !== undefined) return;
  const beside = asked.flatMap(({ rowOf, shifts }) =>
    [...rowOf].flatMap(([step, row]) => (shifts?.get(step) ? [row] : [])),
  );
  if (beside.length === 0) return;
  const first = beside.reduce((a, b) => Math.min(a, b));
  warnings.push(
    `${beside.length === 1 ? "A row lies" : `${beside.length} rows lie`} an hour beside the steps of ${describeFrequency(frequency, isTime)}, first ${rowName(request, first)}, at ${cellText(time, first)}: ${beside.length === 1 ? "it is" : "they are"} taken as stamps by a clock that was put forward or back.`,
  );
}
