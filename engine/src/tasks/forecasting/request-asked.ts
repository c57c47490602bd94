/** Which series a request asks for, and which steps of them. */

import { closestNames } from "../../data/readers/column-names.ts";
import { shown } from "../../data/shown.ts";
import { DataError } from "../../data/table.ts";
import { clockOfSeries, type SeriesKey, seriesName } from "./header.ts";
import { type Hierarchy, sumOf } from "./hierarchy.ts";
import { type AskedSeries, allFrom, type OpenRequest, shownStep } from "./request-context.ts";
import { seriesOfRows } from "./request-history.ts";

/** Names that one is compared with to find what may have been meant. */
const MOST_COMPARED = 1_000;

export function askedSeries(request: OpenRequest): AskedSeries[] {
  const { series } = request.options;
  const wanted = series?.map((each, index) => keyOf(request, each, index));
  const isOfRows = request.table.rows > 0;
  const { hierarchy } = request.header;
  if (hierarchy) return ofHierarchy(request, hierarchy, wanted);
  const sent = isOfRows ? seriesOfRows(request, wanted) : [];
  const isSent = new Set(sent.map(({ key }) => JSON.stringify(key)));
  const others = wanted ?? (isOfRows ? [] : request.header.keys);
  checkCount(request, sent, others.length);
  const asked = others.flatMap((key, index) =>
    isSent.has(JSON.stringify(key)) ? [] : [ofTraining(request, key, index)],
  );
  return [...sent, ...asked];
}

/** All series and their sums, from one origin: what any is told depends on all. */
function ofHierarchy(
  request: OpenRequest,
  hierarchy: Hierarchy,
  wanted: readonly SeriesKey[] | undefined,
): AskedSeries[] {
  const { bottoms, members } = hierarchy;
  const { most } = request.options;
  const count = request.header.keys.length;
  if (most !== undefined && count * request.horizon > most) {
    throw new DataError(
      `The model's ${count} series sum up and are forecast together: that is ${count * request.horizon} steps; at most ${most} are answered at once. Lower the horizon.`,
      { member: "horizon" },
    );
  }
  const isWanted = wanted && new Set(wanted.map((key, index) => idOf(request, key, index)));
  const sent = new Map<number, AskedSeries>();
  for (const each of request.table.rows > 0 ? seriesOfRows(request, undefined) : []) {
    if (each.id < 0) {
      throw new DataError(
        `The series ${shown(seriesName(each.key))} was not in the training data, whose series sum up: a series that is new is in none of the sums.`,
        { row: Math.min(...each.rowOf.values()) + 1 },
      );
    }
    sent.set(each.id, each);
  }
  const own = Array.from(
    { length: bottoms },
    (_, id) => sent.get(id) ?? ofTraining(request, request.header.keys[id], id),
  );
  const originOf = ({ start, values }: AskedSeries): number => start + values.length;
  const latest = own.reduce((a, b) => (originOf(b) > originOf(a) ? b : a));
  const earlier = own.find((each) => originOf(each) < originOf(latest));
  if (earlier) {
    throw new DataError(
      `The series sum up, so they are forecast from one step on: the last known value of ${shown(seriesName(latest.key))} is at ${shownStep(request, originOf(latest) - 1, latest.clock)}, that of ${shown(seriesName(earlier.key))} at ${shownStep(request, originOf(earlier) - 1, earlier.clock)}. Send a history of all series up to the same step.`,
      { column: request.header.timeColumn },
    );
  }
  const named = new Set(
    [...sent.values()].flatMap(({ steps, rowOf }) => [...steps].filter((step) => rowOf.has(step))),
  );
  const steps = named.size > 0 ? named : allFrom(request, originOf(latest) + request.header.gap);
  const asked = (each: AskedSeries): AskedSeries => ({
    ...each,
    steps,
    isUnanswered: isWanted !== undefined && !isWanted.has(each.id),
  });
  return [
    ...own.map(asked),
    ...members.map((each, k) => {
      const summed = each.map((id) => own[id]);
      const [key, id] = [request.header.keys[bottoms + k], bottoms + k];
      const clock = clockOfSeries(request.header, id);
      // By the stamps that were sent of its series, where these have one clock.
      const shifts = summed.every((own) => own.clock === clock) ? summed[0].shifts : undefined;
      const sum = { ...sumOf(summed), rowOf: new Map(), clock, shifts };
      return asked({ key, id, ...sum, steps, members: summed });
    }),
  ];
}

function checkCount(request: OpenRequest, sent: readonly AskedSeries[], others: number): void {
  const { most } = request.options;
  if (most === undefined) return;
  const steps = sent.reduce((sum, each) => sum + each.steps.size, others * request.horizon);
  if (steps <= most) return;
  throw new DataError(
    `That is ${steps} steps to forecast (${sent.length + others} series, up to ${request.horizon} steps each); at most ${most} are answered at once. Name fewer in series, or lower the horizon.`,
    { member: request.options.series ? "series" : "horizon" },
  );
}

/** @throws DataError where it does not name a series by all of its columns */
function keyOf(
  request: OpenRequest,
  given: Readonly<Record<string, unknown>>,
  index: number,
): SeriesKey {
  const { seriesColumns, hierarchy } = request.header;
  const where = { member: "series", row: index + 1 };
  if (seriesColumns.length === 0) {
    throw new DataError("The model is of one series, which has no name: leave `series` out.", {
      member: "series",
    });
  }
  const stray = Object.keys(given).find((name) => !seriesColumns.includes(name));
  if (stray !== undefined) {
    throw new DataError(
      `${shown(stray)} does not tell series apart: ${seriesColumns.map(shown).join(", ")} ${seriesColumns.length === 1 ? "does" : "do"}.`,
      { ...where, column: stray },
    );
  }
  return seriesColumns.map((name) => {
    const value = given[name];
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return String(value);
    }
    if (hierarchy && value === undefined) return null;
    throw new DataError(`series[${index}] lacks ${shown(name)}, which tells series apart.`, {
      ...where,
      column: name,
    });
  });
}

function ofTraining(request: OpenRequest, key: SeriesKey, index: number): AskedSeries {
  const id = idOf(request, key, index);
  const { target, offsets, starts } = request.trained;
  const values = [...target.subarray(offsets[id], offsets[id + 1])];
  const first = starts[id] + values.length + request.header.gap;
  const clock = clockOfSeries(request.header, id);
  const steps = allFrom(request, first);
  return { key, id, start: starts[id], values, steps, rowOf: new Map(), clock };
}

/** @throws DataError for a series that was not in the training data, nor a sum of such */
function idOf(request: OpenRequest, key: SeriesKey, index: number): number {
  const id = request.ids.get(JSON.stringify(key));
  if (id === undefined) {
    const known = request.header.keys.slice(0, MOST_COMPARED).map((each) => seriesName(each));
    const names = closestNames(seriesName(key), known);
    throw new DataError(
      `The series ${shown(seriesName(key))} was not in the training data and the request has no history of it${names.length > 0 ? `; the closest that were: ${names.map(shown).join(", ")}` : ""}.`,
      { member: "series", row: index + 1 },
    );
  }
  return id;
}
