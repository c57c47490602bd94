/** Steps of a request's rows, and the clock that their stamps are by. */

import { cellText } from "../../data/coerce.ts";
import { type Column, DataError } from "../../data/table.ts";
import { type Clock, shiftAt, shiftsOf } from "./clock.ts";
import { describeFrequency, stepOf, timeOf } from "./frequency.ts";
import { type OpenRequest, shownStep } from "./request-context.ts";

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
  clock: Clock | undefined,
  at: (row: number) => string,
): { readonly step: number; readonly shift: number } {
  const { frequency, isTime } = request.header;
  const instant = time.values[row];
  const exact = stepOf(frequency, instant);
  if (!Number.isSafeInteger(Math.round(exact))) {
    throw new DataError(`${at(row)} is at ${cellText(time, row)}, beyond any step.`, {
      column: time.name,
      row: row + 1,
    });
  }
  for (const shift of shiftsOf(frequency, isTime, clock)) {
    const shifted = stepOf(frequency, instant - shift);
    const step = Math.round(shifted);
    const isStep =
      frequency.kind === "regular"
        ? Math.abs(shifted - step) <= 1e-6
        : timeOf(frequency, step) === instant - shift;
    if (isStep) return { step, shift };
  }
  const near = Math.floor(stepOf(frequency, instant - shiftAt(clock, Math.round(exact))));
  const before = near - Number(timeOf(frequency, near) + shiftAt(clock, near) > instant);
  throw new DataError(
    `${at(row)} is at ${cellText(time, row)}, but the steps of ${describeFrequency(frequency, isTime)} are at ${shownStep(request, before, clock)} and ${shownStep(request, before + 1, clock)}.`,
    { column: time.name, row: row + 1 },
  );
}
