/** Parts of the rows by what a column holds: its frequent values, or quarters of its numbers. */

import { cellText, isMissingCell } from "../data/coerce.ts";
import { shown } from "../data/shown.ts";
import type { Column } from "../data/table.ts";

export interface Slice {
  readonly of: string;
  /** Places in the list of rows, ascending. */
  readonly places: Uint32Array;
}

/** Values that get a part of their own; the others share one. */
const MOST_VALUES = 12;
const QUARTERS = 4;
/** Milliseconds; beyond it there are no dates in JavaScript. */
const MOST_TIME = 8.64e15;

/** @param rows of the column */
export function slicesBy(column: Column, rows: Uint32Array): Slice[] {
  const missing: number[] = [];
  const present: number[] = [];
  for (const [place, row] of rows.entries()) {
    (isMissingCell(column, row) ? missing : present).push(place);
  }
  const isNumber = column.kind === "numeric" || column.kind === "timestamp";
  const parts =
    isNumber && new Set(present.map((place) => column.values[rows[place]])).size > MOST_VALUES
      ? quarters(column, rows, present)
      : byValue(column, rows, present);
  return [
    ...parts,
    ...(missing.length > 0 ? [{ of: "missing", places: Uint32Array.from(missing) }] : []),
  ];
}

function byValue(column: Column, rows: Uint32Array, present: readonly number[]): Slice[] {
  const groups = new Map<string, number[]>();
  for (const place of present) {
    const text = cellText(column, rows[place]) ?? "";
    const group = groups.get(text);
    if (group) group.push(place);
    else groups.set(text, [place]);
  }
  // Stable: of equally frequent values the one that was seen first.
  const ordered = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const own = ordered.length > MOST_VALUES ? ordered.slice(0, MOST_VALUES - 1) : ordered;
  const others = ordered.slice(own.length).flatMap(([, places]) => places);
  return [
    ...own.map(([text, places]) => ({ of: shown(text), places: Uint32Array.from(places) })),
    ...(others.length > 0
      ? [
          {
            of: `${ordered.length - own.length} other values`,
            places: Uint32Array.from(others).sort((a, b) => a - b),
          },
        ]
      : []),
  ];
}

/** Equal values stay together, so quarters may differ in size. */
function quarters(
  column: Column & { readonly kind: "numeric" | "timestamp" },
  rows: Uint32Array,
  present: readonly number[],
): Slice[] {
  const value = (place: number): number => column.values[rows[place]];
  const ascending = Float64Array.from(present, value).sort();
  const cuts = Array.from(
    { length: QUARTERS - 1 },
    (_, k) => ascending[Math.floor(((k + 1) * ascending.length) / QUARTERS)],
  );
  const tell = (number: number): string =>
    column.kind === "timestamp" && Math.abs(number) <= MOST_TIME
      ? new Date(number).toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, "")
      : String(Number(number.toPrecision(6)));
  const [least] = ascending;
  const inner = [...new Set(cuts)].filter((cut) => cut > least);
  // Most rows hold the least value, as zeros do in sums of money: the others are a part of their own.
  const ends = inner.length > 0 ? inner : [ascending.find((number) => number > least) ?? least];
  return Array.from({ length: ends.length + 1 }, (_, k) => k).flatMap((k) => {
    const [from, end] = [ends[k - 1], ends[k]];
    const places = present.filter(
      (place) =>
        (from === undefined || value(place) >= from) && (end === undefined || value(place) < end),
    );
    if (places.length === 0) return [];
    return [{ of: range(from, end, tell), places: Uint32Array.from(places) }];
  });
}

function range(
  from: number | undefined,
  end: number | undefined,
  tell: (number: number) => string,
): string {
  if (end === undefined) return `from ${tell(from ?? Number.NEGATIVE_INFINITY)}`;
  return from === undefined ? `below ${tell(end)}` : `${tell(from)} to below ${tell(end)}`;
}
