/**
 * Sums of series: which there are, by the levels that a request names, and what they are at each step.
 * Nested levels and crossed ones are alike: each aggregate is a list of the bottom series that it sums.
 */

import { z } from "zod";
import { shown } from "../../data/shown.ts";
import { type Column, DataError } from "../../data/table.ts";
import { type Grid, MOST_ROWS, MOST_SERIES } from "./grid.ts";
import { type Header, METHODS, type SeriesKey, seriesName } from "./header.ts";
import { sharedRow } from "./shared-rows.ts";

const MOST_LEVELS = 20;
/** Bottom series and aggregates, where the covariance of their errors is estimated. */
const MOST_OF_COVARIANCE = 1_000;

export const hierarchySchema = z.strictObject({
  levels: z
    .array(z.array(z.string().min(1)))
    .min(1)
    .max(MOST_LEVELS)
    .describe(
      "Each a list of `series_columns`, by which the series are summed; `[]` is the total. The series themselves, by all columns, are always the lowest level. Levels may be nested or crossed.",
    ),
  method: z
    .enum(METHODS)
    .optional()
    .describe(
      "`mint_shrink` (default): the forecasts of all levels, weighed by the covariance of their errors in the backtest, shrunk towards its diagonal. `bottom_up`: sums of the series' own forecasts.",
    ),
});

export type Hierarchy = NonNullable<Header["hierarchy"]>;

export interface SeriesSums extends Hierarchy {
  /** Of each aggregate; null = all values of that column. */
  readonly keys: readonly SeriesKey[];
}

/**
 * @param keys of the series, one value a column each
 * @throws DataError at `hierarchy` for levels that are no levels of these columns, or too many sums
 */
export function sumsOf(
  { levels, method = "mint_shrink" }: z.infer<typeof hierarchySchema>,
  columns: readonly string[],
  keys: readonly (readonly string[])[],
): SeriesSums {
  checkLevels(levels, columns);
  const sums = new Map<string, { key: SeriesKey; members: number[] }>();
  for (const level of levels) {
    if (level.length === columns.length) continue;
    const isKept = columns.map((name) => level.includes(name));
    for (const [s, own] of keys.entries()) {
      const key = own.map((value, i) => (isKept[i] ? value : null));
      const name = JSON.stringify(key);
      const found = sums.get(name);
      if (found) found.members.push(s);
      else sums.set(name, { key, members: [s] });
    }
  }
  const nodes = keys.length + sums.size;
  const most = method === "mint_shrink" ? MOST_OF_COVARIANCE : MOST_SERIES;
  if (nodes > most) {
    throw fault(
      `The hierarchy has ${nodes} series, ${sums.size} of them sums; ${method} reconciles at most ${most}. ${method === "mint_shrink" ? "Use bottom_up, or name fewer levels." : "Name fewer levels."}`,
    );
  }
  const all = [...sums.values()];
  return {
    method,
    bottoms: keys.length,
    keys: all.map(({ key }) => key),
    members: all.map(({ members }) => members),
  };
}

function checkLevels(levels: readonly (readonly string[])[], columns: readonly string[]): void {
  if (columns.length === 0) {
    throw fault("A hierarchy sums series, and without `seriesColumns` there is one alone.");
  }
  const seen = new Map<string, number>();
  for (const [index, level] of levels.entries()) {
    const stray = level.find((name) => !columns.includes(name));
    if (stray !== undefined) {
      throw fault(
        `levels[${index}] names ${shown(stray)}, which is not among \`seriesColumns\`: ${columns.map(shown).join(", ")}.`,
      );
    }
    if (new Set(level).size < level.length) {
      throw fault(`levels[${index}] names a column twice.`);
    }
    const name = JSON.stringify(columns.filter((column) => level.includes(column)));
    const other = seen.get(name);
    if (other !== undefined) {
      throw fault(`levels[${index}] is the same level as levels[${other}]. Leave one out.`);
    }
    seen.set(name, index);
  }
  if (levels.every((level) => level.length === columns.length)) {
    throw fault(
      "The levels name that of the series themselves alone, which is always there. Add one to sum them by, such as [] for the total.",
    );
  }
}

function fault(message: string): DataError {
  return new DataError(message, { member: "hierarchy" });
}

/** A series' values on the scale of the frequency. */
export interface PlacedValues {
  readonly start: number;
  /** NaN where there is none. */
  readonly values: ArrayLike<number>;
}

/** The sum of series that end at the same step, from the latest start on; NaN where one has no value. */
export function sumOf(series: readonly PlacedValues[]): { start: number; values: number[] } {
  const start = series.reduce((latest, each) => Math.max(latest, each.start), series[0].start);
  const values = new Array<number>(series[0].start + series[0].values.length - start).fill(0);
  for (const each of series) {
    const before = start - each.start;
    for (let i = 0; i < values.length; i++) values[i] += each.values[before + i];
  }
  return { start, values };
}

/** A grid of the series, and below them their sums. */
export interface SummedGrid extends Pick<Grid, "starts" | "offsets"> {
  /** Of each row the table's; -1 where there is none, as of all rows of sums. */
  readonly source: Int32Array;
  readonly target: Float64Array;
  /** Of a column that says something of steps to come. @param isBlankValue see `sharedRow` */
  sourceOf(column: Column, isBlankValue: boolean): Int32Array;
  /** Weights of steps: those of a sum are summed. */
  summed(values: Float64Array): void;
}

/**
 * @param target one a row of the grid
 * @throws DataError where the series do not end together, or a sum has no value
 */
export function layUnder(
  grid: Grid,
  target: Float64Array,
  sums: SeriesSums,
  {
    names,
    timeAt,
  }: { readonly names: readonly string[]; timeAt(series: number, step: number): string },
): SummedGrid {
  const { starts, offsets, source } = grid;
  const endOf = (s: number): number => starts[s] + offsets[s + 1] - offsets[s];
  const other = names.findIndex((_, s) => endOf(s) !== endOf(0));
  if (other > 0) {
    throw fault(
      `The series of a hierarchy are summed step by step up to their ends, which are to be the same: ${shown(names[0])} ends at ${timeAt(0, endOf(0) - 1)}, and ${shown(names[other])} at ${timeAt(other, endOf(other) - 1)}. Filter out what ended earlier, or add its rows up to there.`,
    );
  }
  const placed = names.map((_, s) => ({
    start: starts[s],
    values: target.subarray(offsets[s], offsets[s + 1]),
  }));
  const laid = sums.members.map((members) => sumOf(members.map((s) => placed[s])));
  for (const [k, { values }] of laid.entries()) {
    if (!values.every(Number.isNaN)) continue;
    throw fault(
      `${shown(seriesName(sums.keys[k]))}, a sum of ${sums.members[k].length} series, has no step where all of these have a value.`,
    );
  }
  const rows = target.length + laid.reduce((count, { values }) => count + values.length, 0);
  if (rows > MOST_ROWS) {
    throw fault(
      `The series and their sums have ${rows} steps; at most ${MOST_ROWS} are trained. Name fewer levels.`,
    );
  }
  const all = {
    starts: Float64Array.from([...starts, ...laid.map(({ start }) => start)]),
    offsets: new Uint32Array(offsets.length + laid.length),
    source: new Int32Array(rows).fill(-1),
    target: new Float64Array(new SharedArrayBuffer(rows * 8)),
  };
  all.offsets.set(offsets);
  all.source.set(source);
  all.target.set(target);
  for (const [k, { values }] of laid.entries()) {
    const at = all.offsets[sums.bottoms + k];
    all.offsets[sums.bottoms + k + 1] = at + values.length;
    all.target.set(values, at);
  }
  /** Rows of the series at each row of a sum. */
  const eachRow = (action: (row: number, members: () => number[]) => void): void => {
    for (const [k, members] of sums.members.entries()) {
      const node = sums.bottoms + k;
      for (let row = all.offsets[node]; row < all.offsets[node + 1]; row++) {
        const step = all.starts[node] + row - all.offsets[node];
        action(row, () => members.map((s) => offsets[s] + step - starts[s]));
      }
    }
  };
  return {
    ...all,
    sourceOf(column, isBlankValue) {
      const places = all.source.slice();
      eachRow((row, members) => {
        places[row] = sharedRow(
          column,
          members().map((each) => source[each]),
          isBlankValue,
        );
      });
      return places;
    },
    summed(values) {
      eachRow((row, members) => {
        values[row] = members().reduce((sum, each) => sum + values[each], 0);
      });
    },
  };
}
