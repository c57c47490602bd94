/** The clocks that a request's stamps are by. */

import { cellText } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import { type Clock, HALF_HOUR, modulo, shiftAt } from "./clock.ts";
import { mayChangeBetween } from "./clock-evidence.ts";
import { unchangedShift } from "./clock-zones.ts";
import { DAY, describeFrequency, stepOf, timeOf } from "./frequency.ts";
import { type Header, seriesName } from "./header.ts";
import { type AskedSeries, type OpenRequest, rowName } from "./request-context.ts";
import { clocksOf, stepsOfChanges } from "./series-clocks.ts";

/** Of a series that was not there in training: the clock of another one that it fits, or one of its own. */
export function clockOfNew(header: Header, times: readonly number[]): Clock | undefined {
  const { clocks, frequency, isTime } = header;
  if (!clocks || !isTime) return header.clock;
  const isBy = (clock: Clock, instant: number): boolean =>
    clock.some(({ shift }) => {
      const step = Math.round(stepOf(frequency, instant - shift));
      return timeOf(frequency, step) + shiftAt(clock, step) === instant;
    });
  const known = clocks.each.find((clock) => times.every((at) => isBy(clock, at)));
  if (known) return known;
  const sorted = Float64Array.from(new Set(times)).sort();
  const [changes] = clocksOf([{ name: "", times: sorted }]).clocks;
  if (changes) return stepsOfChanges(frequency, changes);
  const step = frequency.kind === "regular" ? frequency.step : DAY;
  const length = Math.min(step, DAY);
  if (DAY % length !== 0) return undefined;
  const shift = unchangedShift(modulo(sorted[0], length), length);
  return [{ step: Math.round(stepOf(frequency, sorted[0] - shift)), shift }];
}

/** Rows that are by another clock than training leads to expect, where an hour may be a mistake as well. */
export function warnOfClock(
  request: OpenRequest,
  asked: readonly AskedSeries[],
  time: Column,
): void {
  const { frequency, isTime, seriesColumns } = request.header;
  const beside = asked.flatMap((series) =>
    rowsBeside(request, series).map((row) => ({ row, series })),
  );
  if (beside.length === 0) return;
  const first = beside.reduce((a, b) => (b.row < a.row ? b : a));
  const { clock, shifts, rowOf, key } = first.series;
  const step = [...rowOf].find(([, row]) => row === first.row)?.[0] ?? 0;
  const by = Math.abs((shifts?.get(step) ?? 0) - shiftAt(clock, step));
  const one = beside.length === 1;
  request.warnings.push(
    `${one ? "A row lies" : `${beside.length} rows lie`} ${by === HALF_HOUR ? "half an hour" : "an hour"} beside the steps of ${describeFrequency(frequency, isTime)}, first ${rowName(request, first.row)}${seriesColumns.length > 0 ? ` of the series ${shown(seriesName(key))}` : ""}, at ${cellText(time, first.row)}: ${one ? "it is" : "they are"} taken as stamps by a clock that was put forward or back.`,
  );
}

function rowsBeside(
  { header: { frequency }, trained }: OpenRequest,
  { id, clock, shifts, rowOf }: AskedSeries,
): number[] {
  if (!shifts) return [];
  const isChanged = new Set(clock?.map(({ shift }) => shift)).size > 1;
  const instant = (step: number): number => timeOf(frequency, step) + shiftAt(clock, step);
  const steps = [...rowOf.keys()].sort((a, b) => a - b);
  const end =
    id < 0 ? steps[0] : trained.starts[id] + trained.offsets[id + 1] - trained.offsets[id];
  const found: number[] = [];
  let before = instant(Math.min(end, steps[0]) - 1);
  let last: number | null = null;
  let isExplained = true;
  for (const step of steps) {
    const shift = shifts.get(step) ?? 0;
    const at = timeOf(frequency, step) + shift;
    if (shift !== last) isExplained = isChanged && mayChangeBetween(before, at);
    const row = rowOf.get(step);
    if (shift !== shiftAt(clock, step) && !isExplained && row !== undefined) found.push(row);
    before = at;
    last = shift;
  }
  return found;
}
