/** What had to be done for rows to be on a grid, for people. */

import { cellText } from "../../data/coerce.ts";
import { shown } from "../../data/shown.ts";
import type { Column } from "../../data/table.ts";
import type { GroupedRows } from "../grouped-rows.ts";
import { type Clock, shiftAt } from "./clock.ts";
import { describeFrequency, type Frequency, hintOfNumbers, timeOf } from "./frequency.ts";
import { type SeriesKey, seriesName } from "./header.ts";
import type { SeriesClocks } from "./series-clocks.ts";

interface Laid {
  readonly time: Column;
  readonly grouped: GroupedRows & { readonly keys: readonly SeriesKey[] };
  readonly frequency: Frequency;
  readonly clocks: readonly (Clock | undefined)[];
  readonly found: SeriesClocks | null;
  readonly isTime: boolean;
  readonly starts: Float64Array;
  readonly source: Int32Array;
  readonly offsets: Uint32Array;
  readonly doubles: readonly (readonly [number, number])[];
  readonly moved: number;
  readonly firstMoved: number;
}

/** Of all steps, as weeks of a year have that are numbered on into the hundreds. */
const MANY_GAPS = 0.25;

export function warningsOfGrid(laid: Laid): string[] {
  const { time, grouped, frequency, isTime, source, offsets, doubles, moved, firstMoved } = laid;
  const warnings: string[] = [];
  const count = grouped.keys.length;
  const named = (s: number): string =>
    count === 1 ? "" : ` of the series ${shown(seriesName(grouped.keys[s]))}`;
  const seriesAt = (row: number): number => offsets.findLastIndex((offset) => offset <= row);
  const seriesOf = (row: number): number => {
    const place = grouped.rows.indexOf(row);
    return grouped.offsets.findLastIndex((offset) => offset <= place);
  };
  const gaps = source.reduce((sum, row) => sum + Number(row < 0), 0);
  if (gaps > 0) {
    const at = source.indexOf(-1);
    const s = seriesAt(at);
    const step = laid.starts[s] + at - offsets[s];
    const when = timeOf(frequency, step) + shiftAt(laid.clocks[s], step);
    warnings.push(
      `${gaps} of ${source.length} steps of ${describeFrequency(frequency, isTime)} have no row, first ${isTime ? new Date(when).toISOString() : when}${named(s)}: they are filled between their neighbours to learn from, and not scored.${gaps > MANY_GAPS * source.length ? hintOfNumbers(isTime) : ""}`,
    );
  }
  if (doubles.length > 0) {
    const [at, row] = doubles[0];
    warnings.push(
      `${doubles.length} ${doubles.length === 1 ? "row shares its step with another one" : "rows share their steps with others"}, first row ${row + 1}${named(seriesAt(at))}, at ${cellText(time, row)} (clocks set back do so): their values are averaged.`,
    );
  }
  warnings.push(...warningsOfClocks(laid, named));
  if (moved > 0) {
    warnings.push(
      `${moved} ${moved === 1 ? "stamp lies" : "stamps lie"} between steps of ${describeFrequency(frequency, isTime)}, first row ${firstMoved + 1}${named(seriesOf(firstMoved))}, ${cellText(time, firstMoved)}: ${moved === 1 ? "it is" : "they are"} moved to the nearest.`,
    );
  }
  return warnings;
}

/** Stamps beside the clock of their series, and changes of it that hardly anything shows. */
function warningsOfClocks(
  { time, grouped, found }: Laid,
  named: (series: number) => string,
): string[] {
  if (!found || (time.kind !== "numeric" && time.kind !== "timestamp")) return [];
  const { rows, offsets } = grouped;
  const told = (series: number, instant: number): string => {
    const own = rows.subarray(offsets[series], offsets[series + 1]);
    const row = own.find((each) => time.values[each] === instant) ?? own[0];
    return `first row ${row + 1}${named(series)}, at ${cellText(time, row)}`;
  };
  const warnings: string[] = [];
  const beside = [...found.mistakes].sort(([a], [b]) => a - b);
  if (beside.length > 0) {
    const count = beside.reduce((sum, [, stamps]) => sum + stamps.size, 0);
    const [[series, stamps]] = beside;
    warnings.push(
      `${count} ${count === 1 ? "stamp lies" : "stamps lie"} an hour or less beside the others of ${count === 1 ? "its" : "their"} series, ${told(series, Math.min(...stamps.keys()))}: that is no change of a clock, so ${count === 1 ? "it is" : "they are"} moved to the nearest step. Correct ${count === 1 ? "it" : "them"} if that is wrong.`,
    );
  }
  const [doubtful] = found.doubtful;
  if (doubtful) {
    const count = new Set(found.doubtful.map(({ series }) => series)).size;
    warnings.push(
      `${count === 1 ? "A series has" : `${count} series have`} stamps that lie beside all earlier ones or all later ones, ${told(doubtful.series, doubtful.instant)}: they are taken for those of a clock that was put forward or back, though hardly anything else shows it. Correct them if it was not, since forecasts go on by the last clock.`,
    );
  }
  return warnings;
}
