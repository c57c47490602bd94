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

/**
 * Steps that no row names are by the clock as the last row before them says, where training had not known of a later change.
 *
 * @param shifts of the rows
 */
export function goneOn(
  request: OpenRequest,
  { id, clock }: Pick<AskedSeries, "id" | "clock">,
  shifts: ReadonlyMap<number, number>,
  steps: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const wrong = unexplained(request, { id, clock, shifts });
  const last = [...shifts.keys()].reduce(
    (a, b) => (wrong.has(b) ? a : Math.max(a, b)),
    Number.NEGATIVE_INFINITY,
  );
  const shift = shifts.get(last);
  const change = clock?.at(-1)?.step ?? Number.NEGATIVE_INFINITY;
  if (shift === undefined || last < change) return shifts;
  const later = [...steps].flatMap((step) =>
    step > last && !shifts.has(step) ? [[step, shift] as const] : [],
  );
  return new Map([...shifts, ...later]);
}

/** Rows that are by another clock than training leads to expect, where an hour may be a mistake as well. */
export function warnOfClock(
  request: OpenRequest,
  asked: readonly AskedSeries[],
  time: Column,
): void {
  const { frequency, isTime, seriesColumns } = request.header;
  const beside = asked.flatMap((series) => {
    const { clock, shifts, rowOf } = series;
    const isChanged = new Set(clock?.map(({ shift }) => shift)).size > 1;
    const wrong = unexplained(request, series);
    return [...rowOf].flatMap(([step, row]) => {
      const by = Math.abs((shifts?.get(step) ?? 0) - shiftAt(clock, step));
      return by > 0 && (!isChanged || wrong.has(step)) ? [{ row, by, key: series.key }] : [];
    });
  });
  if (beside.length === 0) return;
  const { row, by, key } = beside.reduce((a, b) => (b.row < a.row ? b : a));
  const one = beside.length === 1;
  request.warnings.push(
    `${one ? "A row lies" : `${beside.length} rows lie`} ${by === HALF_HOUR ? "half an hour" : "an hour"} beside the steps of ${describeFrequency(frequency, isTime)}, first ${rowName(request, row)}${seriesColumns.length > 0 ? ` of the series ${shown(seriesName(key))}` : ""}, at ${cellText(time, row)}: ${one ? "it is" : "they are"} taken as stamps by a clock that was put forward or back.`,
  );
}

/** Steps of rows beside the clock that is known, though none is changed between them and what lies before. */
function unexplained(
  { header: { frequency }, trained }: OpenRequest,
  { id, clock, shifts }: Pick<AskedSeries, "id" | "clock" | "shifts">,
): ReadonlySet<number> {
  const found = new Set<number>();
  const rows = [...(shifts ?? [])].sort(([a], [b]) => a - b);
  if (rows.length === 0) return found;
  const [[first]] = rows;
  const end = id < 0 ? first : trained.starts[id] + trained.offsets[id + 1] - trained.offsets[id];
  const start = Math.min(end, first) - 1;
  let before = timeOf(frequency, start) + shiftAt(clock, start);
  let last = Number.NaN;
  let isExplained = true;
  for (const [step, shift] of rows) {
    const at = timeOf(frequency, step) + shift;
    if (shift !== last) isExplained = mayChangeBetween(before, at);
    if (shift !== shiftAt(clock, step) && !isExplained) found.add(step);
    [before, last] = [at, shift];
  }
  return found;
}
