/** A request for forecasts with what the model keeps of its series, and how its rows and steps are told. */

import type { SeriesFrame } from "../../data/frame.ts";
import { DataError, type Table } from "../../data/table.ts";
import type { ReadOptions, SavedFrame } from "../framing.ts";
import { type Clock, shiftAt } from "./clock.ts";
import { timeOf } from "./frequency.ts";
import { type Header, headerSchema, type SeriesKey } from "./header.ts";
import type { SeriesBounds } from "./value-bounds.ts";

/** One series of a request. */
export interface AskedSeries {
  readonly key: SeriesKey;
  /** Its number among the training data's; -1 = it was not there. */
  readonly id: number;
  readonly start: number;
  /** From `start` on; NaN where nothing is known. */
  readonly values: readonly number[];
  /** Steps to forecast. */
  readonly steps: ReadonlySet<number>;
  /** Rows of the request by their steps. */
  readonly rowOf: ReadonlyMap<number, number>;
  readonly clock: Clock | undefined;
  /** Of rows by their steps: how far they lie beside the frequency's instants, as their sender's clock was. */
  readonly shifts?: ReadonlyMap<number, number> | undefined;
  /** Of a sum: the series that it sums. */
  readonly members?: readonly AskedSeries[];
  /** It is forecast for the sake of others alone. */
  readonly isUnanswered?: boolean;
}

export interface OpenRequest {
  readonly table: Table;
  readonly header: Header;
  readonly trained: Pick<SeriesFrame, "target" | "offsets"> & { readonly starts: Float64Array };
  /** As `value-bounds.ts` has them; models of former versions have none. */
  readonly bounds: Partial<SeriesBounds>;
  /** Of each column of the past, one value a row of the training data. */
  readonly past: readonly Float64Array[];
  readonly options: ReadOptions;
  readonly saved: SavedFrame;
  readonly horizon: number;
  readonly warnings: string[];
  /** Of series of the training data, by their keys. */
  readonly ids: ReadonlyMap<string, number>;
}

/** What a model keeps of its series. @throws where it is damaged */
export function savedSeries(
  saved: SavedFrame,
): Pick<OpenRequest, "bounds" | "header" | "trained" | "past"> {
  const header = headerSchema.parse(saved.header);
  const { target, offsets, starts, least, most, ...others } = saved.tensors;
  const { keys, seriesColumns } = header;
  const past = header.past.flatMap((_, i) => {
    const values = others[`past_${i}`];
    return values instanceof Float64Array ? [values] : [];
  });
  const bounds =
    least instanceof Float64Array && most instanceof Float64Array ? { least, most } : {};
  if (
    !(target instanceof Float64Array) ||
    !(offsets instanceof Uint32Array) ||
    !(starts instanceof Float64Array) ||
    offsets.length !== keys.length + 1 ||
    offsets.at(-1) !== target.length ||
    offsets.some((offset, s) => s > 0 && offset < offsets[s - 1]) ||
    starts.length !== keys.length ||
    (header.clocks && header.clocks.of.length !== keys.length) ||
    !starts.every(Number.isSafeInteger) ||
    keys.some((key) => key.length !== seriesColumns.length) ||
    past.length !== header.past.length ||
    past.some((values) => values.length !== target.length) ||
    Object.values(bounds).some((each) => each.length !== offsets.length)
  ) {
    throw new DataError("The model's file of series is damaged.");
  }
  return { header, trained: { target, offsets, starts }, past, bounds };
}

/** @throws DataError for a horizon that the model was not trained for */
export function openRequest(table: Table, saved: SavedFrame, options: ReadOptions): OpenRequest {
  const { header: whole, ...kept } = savedSeries(saved);
  const { dropped = [] } = options;
  const header = { ...whole, known: whole.known.filter(({ name }) => !dropped.includes(name)) };
  const horizon = options.horizon ?? header.horizon;
  if (horizon > header.horizon) {
    throw new DataError(
      `The model was trained to forecast ${header.horizon} steps; a horizon of ${horizon} needs a model of its own.`,
      { member: "horizon" },
    );
  }
  const ids = new Map(header.keys.map((key, id) => [JSON.stringify(key), id]));
  return { table, header, ...kept, options, saved, horizon, warnings: [], ids };
}

/** A row as its sender counts it, from 0 where the rows have a member of their own. */
export function rowName({ options }: Pick<OpenRequest, "options">, row: number): string {
  const { historyRows } = options;
  if (historyRows === undefined) return `Row ${row + 1}`;
  return row < historyRows ? `history[${row}]` : `future[${row - historyRows}]`;
}

export function shownStep(request: OpenRequest, step: number, clock: Clock | undefined): string {
  return String(instantOf(request, step, { clock }));
}

/**
 * ISO 8601, or a number. By a clock that is changed: as a row of that step says, else as the last change before it
 * that is known of.
 */
export function instantOf(
  { header: { frequency, isTime } }: OpenRequest,
  step: number,
  { clock, shifts }: Pick<AskedSeries, "clock" | "shifts">,
): string | number {
  const at = timeOf(frequency, step) + (shifts?.get(step) ?? shiftAt(clock, step));
  return isTime ? new Date(at).toISOString() : at;
}

export function allFrom(request: OpenRequest, first: number): Set<number> {
  return new Set(Array.from({ length: request.horizon }, (_, h) => first + h));
}
