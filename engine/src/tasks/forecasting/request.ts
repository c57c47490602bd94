/**
 * What a request says of series: the values that go on with those of training, and the steps that are
 * to be forecast. A row is named as its sender knows it.
 */

import { missingColumn } from "../../data/coerce.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { boundsBefore } from "../../data/series-history.ts";
import type { Table } from "../../data/table.ts";
import type { AnswerKey, FramedRows, ReadOptions, SavedFrame } from "../framing.ts";
import { newOfConstant } from "./constant-columns.ts";
import { cellsAt, columnOfSeries, timesOf } from "./grid-columns.ts";
import { namedKey, seriesName } from "./header.ts";
import { reconcile } from "./reconciliation.ts";
import { askedSeries } from "./request-asked.ts";
import {
  pastOf,
  refuseWithout,
  sentCell,
  summedPlaces,
  type ToldStep,
  unknownAhead,
  unknownInHistory,
} from "./request-columns.ts";
import { instantOf, openRequest } from "./request-context.ts";
import { untoldRows } from "./shared-rows.ts";

/** @throws DataError that names a series, and a row where it is one's fault */
export function readRequest(table: Table, saved: SavedFrame, options: ReadOptions): FramedRows {
  const request = openRequest(table, saved, options);
  const { header } = request;
  const asked = askedSeries(request);
  const keys: AnswerKey[] = [];
  const forecast: number[] = [];
  const answered: number[] = [];
  const offsets = new Uint32Array(asked.length + 1);
  const starts = new Float64Array(asked.length);
  const target: number[] = [];
  const source: number[] = [];
  /** Steps of which columns should be known ahead. */
  const told: ToldStep[] = [];
  for (const [s, each] of asked.entries()) {
    const { key, start, values, steps, rowOf } = each;
    starts[s] = start;
    const origin = start + values.length;
    const last = [...steps].reduce((a, b) => Math.max(a, b), origin - 1);
    for (let step = start; step <= last; step++) {
      target.push(step < origin ? values[step - start] : Number.NaN);
      source.push(rowOf.get(step) ?? -1);
      // A family forecasts all steps from an origin.
      if (step >= origin + header.gap) forecast.push(offsets[s] + step - start);
      if (!steps.has(step)) continue;
      const time = instantOf(request, step, each);
      // What is known of a sum is what is known of its series.
      if (!each.members)
        told.push({ row: offsets[s] + step - start, series: s, time, isSent: rowOf.has(step) });
      if (each.isUnanswered) continue;
      answered.push(forecast.length - 1);
      keys.push({ series: namedKey(header.seriesColumns, key), time });
    }
    offsets[s + 1] = target.length;
  }
  const places = Int32Array.from(source);
  const blank: { name: string; places: Int32Array }[] = [];
  const known = header.known.map(({ name, kind, blank: isBlankValue = false }) => {
    const column = table.columns.find((each) => each.name === name);
    if (!column) refuseWithout(request, name, asked);
    if (!column) return missingColumn(name, kind, target.length);
    const own = summedPlaces(column, places, asked, offsets, isBlankValue);
    if (isBlankValue) blank.push({ name, places: own });
    return cellsAt(column, own);
  });
  const { least, most } = request.bounds;
  // That of a series that is new is the last.
  const boundsOf = (bounds: Float64Array | undefined): Float64Array | undefined =>
    bounds && Float64Array.from(asked, ({ id }) => bounds.at(id) ?? Number.NaN);
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
    ...{ least: boundsOf(least), most: boundsOf(most) },
    ...(header.year === undefined ? {} : { year: header.year }),
    since: Int32Array.from(asked, ({ id, start }) =>
      id < 0 ? 0 : start - request.trained.starts[id],
    ),
    ...(header.known.length > 0 ? { known: header.known.map(({ name }) => name) } : {}),
    ...untoldRows(blank),
    ...(header.past.length > 0 ? { past: pastOf(request, asked, offsets) } : {}),
  };
  const { hierarchy } = header;
  return {
    table: {
      rows: target.length,
      columns: [
        timesOf(header, starts, offsets),
        ...known,
        ...header.static.map((column) =>
          columnOfSeries(
            {
              ...column,
              cells: asked.map(({ id, rowOf }) =>
                id < 0 ? sentCell(request, column.name, rowOf) : column.cells[id],
              ),
            },
            offsets,
          ),
        ),
      ],
    },
    frame,
    rows: Uint32Array.from(forecast),
    answered: answered.length < forecast.length ? Uint32Array.from(answered) : null,
    keys,
    ...(hierarchy
      ? {
          reconcile: (values: Float64Array) => {
            const bounds = asked.map((each, s) =>
              boundsBefore(frame, s, offsets[s] + each.values.length),
            );
            reconcile(values, hierarchy, saved, bounds);
          },
        }
      : {}),
    warnings: [
      ...request.warnings,
      ...newOfConstant(request),
      ...unknownInHistory(request, asked),
      ...unknownAhead(request, known, told, frame.names),
    ],
  };
}
