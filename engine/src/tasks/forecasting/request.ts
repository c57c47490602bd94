/**
 * What a request says of series: the values that go on with those of training, and the steps that are
 * to be forecast. A row is named as its sender knows it.
 */

import { cellText, coerceColumn, isMissingCell, missingColumn } from "../../data/coerce.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { closestNames } from "../../data/readers/column-names.ts";
import { shown } from "../../data/shown.ts";
import { type Column, DataError, type Table } from "../../data/table.ts";
import type { AnswerKey, FramedRows, ReadOptions, SavedFrame } from "../framing.ts";
import { describeFrequency, stepOf, timeOf } from "./frequency.ts";
import { groupSeries, seriesName } from "./grid.ts";
import { cellOf, cellsAt, columnOfSeries, timesOf, valuesOf } from "./grid-columns.ts";
import { type Cell, type Header, headerSchema, namedKey, type SeriesKey } from "./header.ts";
import { type Hierarchy, sharedRow, sumOf } from "./hierarchy.ts";
import { reconcile } from "./reconciliation.ts";

/** A history of so many rows may span so many times more steps, and a few beyond. */
const MOST_GAPS = 10;
const FEW_STEPS = 100;

/** Names that one is compared with to find what may have been meant, and letters of it. */
const MOST_COMPARED = 1_000;
const MOST_LETTERS = 100;

/** One series of a request. */
interface AskedSeries {
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
  /** Of a sum: the series that it sums. */
  readonly members?: readonly AskedSeries[];
  /** It is forecast for the sake of others alone. */
  readonly isUnanswered?: boolean;
}

/** A step that is forecast of a series that is no sum. */
interface ToldStep {
  /** Of the frame. */
  readonly row: number;
  /** Among those that are asked. */
  readonly series: number;
  readonly time: string | number;
}

interface Known {
  readonly start: number;
  readonly values: number[];
}

/** The times of rows, and their values; NaN where there is none. */
interface RowValues {
  readonly time: Extract<Column, { kind: "numeric" | "timestamp" }>;
  readonly values: Float64Array | null;
}

export class ForecastRequest {
  readonly #table: Table;
  readonly #header: Header;
  readonly #trained: Pick<SeriesFrame, "target" | "offsets"> & { readonly starts: Float64Array };
  /** Of each column of the past, one value a row of the training data. */
  readonly #past: readonly Float64Array[];
  readonly #options: ReadOptions;
  readonly #saved: SavedFrame;
  readonly #horizon: number;
  readonly #warnings: string[] = [];
  /** Of series of the training data, by their keys. */
  readonly #ids: ReadonlyMap<string, number>;

  /** @throws DataError for a horizon that the model was not trained for */
  constructor(table: Table, saved: SavedFrame, options: ReadOptions) {
    this.#table = table;
    this.#header = headerSchema.parse(saved.header);
    const { target, offsets, starts, ...others } = saved.tensors;
    if (
      !(target instanceof Float64Array) ||
      !(offsets instanceof Uint32Array) ||
      !(starts instanceof Float64Array)
    ) {
      throw new DataError("The model's file of series is damaged.");
    }
    this.#trained = { target, offsets, starts };
    this.#saved = saved;
    this.#past = this.#header.past.map((_, i) => {
      const values = others[`past_${i}`];
      if (values instanceof Float64Array) return values;
      throw new DataError("The model's file of series is damaged.");
    });
    this.#options = options;
    this.#horizon = options.horizon ?? this.#header.horizon;
    if (this.#horizon > this.#header.horizon) {
      throw new DataError(
        `The model was trained to forecast ${this.#header.horizon} steps; a horizon of ${this.#horizon} needs a model of its own.`,
        { member: "horizon" },
      );
    }
    this.#ids = new Map(this.#header.keys.map((key, id) => [JSON.stringify(key), id]));
  }

  /** @throws DataError that names a series, and a row where it is one's fault */
  rows(): FramedRows {
    const header = this.#header;
    const asked = this.#asked();
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
        const at = timeOf(header.frequency, step);
        const time = header.isTime ? new Date(at).toISOString() : at;
        // What is known of a sum is what is known of its series.
        if (!each.members) told.push({ row: offsets[s] + step - start, series: s, time });
        if (each.isUnanswered) continue;
        answered.push(forecast.length - 1);
        keys.push({ series: namedKey(header.seriesColumns, key), time });
      }
      offsets[s + 1] = target.length;
    }
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
      ...(header.past.length > 0 ? { past: this.#pastOf(asked, offsets) } : {}),
    };
    const places = Int32Array.from(source);
    const known = header.known.map(({ name, kind }) => {
      const column = this.#table.columns.find((each) => each.name === name);
      if (!column) this.#refuseWithout(name, asked);
      if (!column) return missingColumn(name, kind, target.length);
      return cellsAt(column, summedPlaces(column, places, asked, offsets));
    });
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
                  id < 0 ? this.#sentCell(column.name, rowOf) : column.cells[id],
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
              reconcile(values, hierarchy, this.#saved);
            },
          }
        : {}),
      warnings: [...this.#warnings, ...this.#unknownAhead(known, told, frame.names)],
    };
  }

  /** What was sent of the past, and where nothing was, what training knew. */
  #pastOf(asked: readonly AskedSeries[], offsets: Uint32Array): NonNullable<SeriesFrame["past"]> {
    const { offsets: from, starts } = this.#trained;
    return this.#header.past.map((name, p) => {
      const column = this.#table.columns.find((each) => each.name === name);
      const sent = column ? valuesOf(coerceColumn(column, "numeric")).values : null;
      const values = new Float64Array(offsets[offsets.length - 1]).fill(Number.NaN);
      let [lacking, first] = [0, ""];
      for (const [s, { key, id, start, values: known, rowOf }] of asked.entries()) {
        for (let k = 0; k < known.length; k++) {
          const row = rowOf.get(start + k);
          const own = row === undefined || sent === null ? Number.NaN : sent[row];
          const place = id < 0 ? -1 : from[id] + start + k - starts[id];
          const isTrained = id >= 0 && place >= from[id] && place < from[id + 1];
          const value = Number.isFinite(own) || !isTrained ? own : this.#past[p][place];
          values[offsets[s] + k] = Number.isFinite(value) ? value : Number.NaN;
          if (row === undefined || Number.isFinite(value) || isTrained) continue;
          if (lacking++ === 0) first = `${this.#name(row)} of the series ${shown(seriesName(key))}`;
        }
      }
      if (lacking > 0) {
        this.#warnings.push(
          `${shown(name)} has no value in ${lacking} ${lacking === 1 ? "row" : "rows"} of the history, first ${first}: it is taken as missing there.`,
        );
      }
      return { name, values };
    });
  }

  /**
   * Rows that name steps to come are to say what is known of these.
   *
   * @throws DataError where such a row is there
   */
  #refuseWithout(column: string, asked: readonly AskedSeries[]): void {
    for (const { key, start, values, steps, rowOf } of asked) {
      for (const step of steps) {
        const row = rowOf.get(step);
        if (row === undefined || step < start + values.length) continue;
        throw new DataError(
          `${this.#name(row)} of the series ${shown(seriesName(key))}, at ${this.#shownStep(step)}, lacks ${shown(column)}, as do all rows: the model was trained to know it of steps to come. Send it with the rows of \`future\`; null says that it is not known.`,
          { column, row: row + 1 },
        );
      }
    }
  }

  /** Columns that should be known of the steps to come, and are not. */
  #unknownAhead(
    known: readonly Column[],
    steps: readonly ToldStep[],
    names: readonly string[],
  ): string[] {
    return known.flatMap((column) => {
      const missing = steps.filter(({ row }) => isMissingCell(column, row));
      if (missing.length === 0) return [];
      const [first] = missing;
      const of =
        this.#header.seriesColumns.length > 0 ? ` of the series ${shown(names[first.series])}` : "";
      return [
        `${shown(column.name)} is not given for ${missing.length} of the ${steps.length} steps to forecast, first ${first.time}${of}; it is taken as missing there. Send it with the rows of these steps.`,
      ];
    });
  }

  /** Of a series that was not there in training: what its rows say of it. */
  #sentCell(name: string, rowOf: ReadonlyMap<number, number>): Cell {
    const column = this.#table.columns.find((each) => each.name === name);
    if (!column) return null;
    for (const row of rowOf.values()) {
      const cell = cellOf(column, row);
      if (cell !== null) return cell;
    }
    return null;
  }

  #asked(): AskedSeries[] {
    const { series } = this.#options;
    const wanted = series?.map((each, index) => this.#keyOf(each, index));
    const isOfRows = this.#table.rows > 0;
    const { hierarchy } = this.#header;
    if (hierarchy) return this.#ofHierarchy(hierarchy, wanted);
    const sent = isOfRows ? this.#ofRows(wanted) : [];
    const isSent = new Set(sent.map(({ key }) => JSON.stringify(key)));
    const others = wanted ?? (isOfRows ? [] : this.#header.keys);
    this.#checkCount(sent, others.length);
    const asked = others.flatMap((key, index) =>
      isSent.has(JSON.stringify(key)) ? [] : [this.#ofTraining(key, index)],
    );
    return [...sent, ...asked];
  }

  /** All series and their sums, from one origin: what any is told depends on all. */
  #ofHierarchy(hierarchy: Hierarchy, wanted: readonly SeriesKey[] | undefined): AskedSeries[] {
    const { bottoms, members } = hierarchy;
    const { most } = this.#options;
    const count = this.#header.keys.length;
    if (most !== undefined && count * this.#horizon > most) {
      throw new DataError(
        `The model's ${count} series sum up and are forecast together: that is ${count * this.#horizon} steps; at most ${most} are answered at once. Lower the horizon.`,
        { member: "horizon" },
      );
    }
    const isWanted = wanted && new Set(wanted.map((key, index) => this.#idOf(key, index)));
    const sent = new Map<number, AskedSeries>();
    for (const each of this.#table.rows > 0 ? this.#ofRows(undefined) : []) {
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
      (_, id) => sent.get(id) ?? this.#ofTraining(this.#header.keys[id], id),
    );
    const originOf = ({ start, values }: AskedSeries): number => start + values.length;
    const latest = own.reduce((a, b) => (originOf(b) > originOf(a) ? b : a));
    const earlier = own.find((each) => originOf(each) < originOf(latest));
    if (earlier) {
      throw new DataError(
        `The series sum up, so they are forecast from one step on: the last known value of ${shown(seriesName(latest.key))} is at ${this.#shownStep(originOf(latest) - 1)}, that of ${shown(seriesName(earlier.key))} at ${this.#shownStep(originOf(earlier) - 1)}. Send a history of all series up to the same step.`,
        { column: this.#header.timeColumn },
      );
    }
    const named = new Set(
      [...sent.values()].flatMap(({ steps, rowOf }) =>
        [...steps].filter((step) => rowOf.has(step)),
      ),
    );
    const steps = named.size > 0 ? named : this.#allFrom(originOf(latest) + this.#header.gap);
    const asked = (each: AskedSeries): AskedSeries => ({
      ...each,
      steps,
      isUnanswered: isWanted !== undefined && !isWanted.has(each.id),
    });
    return [
      ...own.map(asked),
      ...members.map((each, k) => {
        const summed = each.map((id) => own[id]);
        const [key, id] = [this.#header.keys[bottoms + k], bottoms + k];
        return asked({ key, id, ...sumOf(summed), steps, rowOf: new Map(), members: summed });
      }),
    ];
  }

  #checkCount(sent: readonly AskedSeries[], others: number): void {
    const { most } = this.#options;
    if (most === undefined) return;
    const steps = sent.reduce((sum, each) => sum + each.steps.size, others * this.#horizon);
    if (steps <= most) return;
    throw new DataError(
      `That is ${steps} steps to forecast (${sent.length + others} series, up to ${this.#horizon} steps each); at most ${most} are answered at once. Name fewer in series, or lower the horizon.`,
      { member: this.#options.series ? "series" : "horizon" },
    );
  }

  /** @throws DataError where it does not name a series by all of its columns */
  #keyOf(given: Readonly<Record<string, unknown>>, index: number): SeriesKey {
    const { seriesColumns, hierarchy } = this.#header;
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

  #ofTraining(key: SeriesKey, index: number): AskedSeries {
    const id = this.#idOf(key, index);
    const { target, offsets, starts } = this.#trained;
    const values = [...target.subarray(offsets[id], offsets[id + 1])];
    const first = starts[id] + values.length + this.#header.gap;
    return { key, id, start: starts[id], values, steps: this.#allFrom(first), rowOf: new Map() };
  }

  /** @throws DataError for a series that was not in the training data, nor a sum of such */
  #idOf(key: SeriesKey, index: number): number {
    const id = this.#ids.get(JSON.stringify(key));
    if (id === undefined) {
      const known = this.#header.keys.slice(0, MOST_COMPARED).map((each) => seriesName(each));
      const name = seriesName(key);
      const names = name.length > MOST_LETTERS ? [] : closestNames(name, known);
      throw new DataError(
        `The series ${shown(seriesName(key))} was not in the training data and the request has no history of it${names.length > 0 ? `; the closest that were: ${names.map(shown).join(", ")}` : ""}.`,
        { member: "series", row: index + 1 },
      );
    }
    return id;
  }

  #allFrom(first: number): Set<number> {
    return new Set(Array.from({ length: this.#horizon }, (_, h) => first + h));
  }

  /** @param wanted the series that there may be rows of; absent = any */
  #ofRows(wanted: readonly SeriesKey[] | undefined): AskedSeries[] {
    const { timeColumn, isTime, seriesColumns, label } = this.#header;
    const column = (name: string, kind: "text" | "numeric" | "timestamp"): Column => {
      const found = this.#table.columns.find((each) => each.name === name);
      if (found) return coerceColumn(found, kind);
      throw new DataError(`The rows lack ${shown(name)}, which tells where they belong.`, {
        column: name,
      });
    };
    const time = column(timeColumn, isTime ? "timestamp" : "numeric");
    if (time.kind !== "numeric" && time.kind !== "timestamp") throw new TypeError("no times");
    const given = this.#table.columns.find((each) => each.name === label);
    const values = given ? valuesOf(coerceColumn(given, "numeric")).values : null;
    const grouped = groupSeries(
      seriesColumns.map((name) => column(name, "text")),
      time,
      null,
      this.#table.rows,
      (row) => this.#name(row),
    );
    const allowed = wanted && new Set(wanted.map((key) => JSON.stringify(key)));
    return grouped.keys.map((key, s) => {
      const rows = [...grouped.rows.subarray(grouped.offsets[s], grouped.offsets[s + 1])];
      if (allowed && !allowed.has(JSON.stringify(key))) {
        throw new DataError(
          `${this.#name(rows[0])} is of the series ${shown(seriesName(key))}, which \`series\` does not name.`,
          { row: rows[0] + 1 },
        );
      }
      const id = this.#ids.get(JSON.stringify(key)) ?? -1;
      return this.#fromRows(key, id, rows, { time, values });
    });
  }

  /** A row as its sender counts it, from 0 where the rows have a member of their own. */
  #name(row: number): string {
    const { historyRows } = this.#options;
    if (historyRows === undefined) return `Row ${row + 1}`;
    return row < historyRows ? `history[${row}]` : `future[${row - historyRows}]`;
  }

  #fromRows(
    key: readonly string[],
    id: number,
    rows: readonly number[],
    of: RowValues,
  ): AskedSeries {
    const { gap, label } = this.#header;
    const { historyRows } = this.#options;
    const name = seriesName(key);
    const at = (row: number) => `${this.#name(row)} of the series ${shown(name)}`;
    const history = new Map<number, number>();
    const rowOf = new Map<number, number>();
    const asked = new Map<number, number>();
    const empty: number[] = [];
    for (const row of rows) {
      const step = this.#stepOf(row, of, at);
      const other = rowOf.get(step);
      if (other !== undefined) {
        throw new DataError(
          `The series ${shown(name)} has two rows at ${cellText(of.time, row)}: ${this.#name(other)} and ${this.#name(row)}.`,
          { column: of.time.name, row: row + 1 },
        );
      }
      rowOf.set(step, row);
      const hasValue = of.values !== null && Number.isFinite(of.values[row]);
      if (historyRows !== undefined && row >= historyRows && hasValue) {
        throw new DataError(
          `${at(row)} has a value of ${shown(label)}: what is known belongs to \`history\`.`,
          { column: label, row: row + 1 },
        );
      }
      const value = of.values?.[row] ?? Number.NaN;
      if (!hasValue && !Number.isNaN(value)) {
        throw new DataError(`${at(row)} has an infinite value of ${shown(label)}.`, {
          column: label,
          row: row + 1,
        });
      }
      if (historyRows !== undefined && row < historyRows && !hasValue) empty.push(row);
      if (hasValue) history.set(step, value);
      else if (historyRows === undefined || row >= historyRows) asked.set(step, row);
    }
    if (empty.length > 0) {
      this.#warnings.push(
        `${at(empty[0])} has no value of ${shown(label)}${empty.length > 1 ? `, nor have ${empty.length - 1} more` : ""}: what lies before the last value is filled between its neighbours, and what follows it is not known.`,
      );
    }
    const known = this.#known(key, id, history, rows);
    const origin = known.start + known.values.length;
    const first = origin + gap;
    const steps = new Set<number>();
    for (const [step, row] of asked) {
      // Without a value inside of the history: a gap.
      if (step < origin && historyRows === undefined) continue;
      if (step < first) {
        const last = this.#shownStep(origin - 1);
        throw new DataError(
          step < origin
            ? `${at(row)} is at ${this.#shownStep(step)}, which is not after its last known value, of ${last}. Forecasts begin after it.`
            : `${at(row)} is at ${this.#shownStep(step)}; the model forecasts from ${gap + 1} steps after the last known value, of ${last}, on.`,
          { column: of.time.name, row: row + 1 },
        );
      }
      if (step >= first + this.#horizon) {
        throw new DataError(
          `${at(row)} lies ${step - origin + 1} steps after its last known value, of ${this.#shownStep(origin - 1)}; ${gap + this.#horizon} is the furthest that is forecast. Send its later history.`,
          { column: of.time.name, row: row + 1 },
        );
      }
      steps.add(step);
    }
    return { key, id, ...known, steps: steps.size > 0 ? steps : this.#allFrom(first), rowOf };
  }

  #shownStep(step: number): string {
    const { frequency, isTime } = this.#header;
    const at = timeOf(frequency, step);
    return isTime ? new Date(at).toISOString() : String(at);
  }

  #stepOf(row: number, { time }: RowValues, at: (row: number) => string): number {
    const { frequency, isTime } = this.#header;
    const exact = stepOf(frequency, time.values[row]);
    const step = Math.round(exact);
    const isStep =
      frequency.kind === "regular"
        ? Math.abs(exact - step) <= 1e-6
        : timeOf(frequency, step) === time.values[row];
    if (!Number.isSafeInteger(step)) {
      throw new DataError(`${at(row)} is at ${cellText(time, row)}, beyond any step.`, {
        column: time.name,
        row: row + 1,
      });
    }
    if (isStep) return step;
    const before =
      Math.floor(exact) - Number(timeOf(frequency, Math.floor(exact)) > time.values[row]);
    throw new DataError(
      `${at(row)} is at ${cellText(time, row)}, but the steps of ${describeFrequency(frequency, isTime)} are at ${this.#shownStep(before)} and ${this.#shownStep(before + 1)}.`,
      { column: time.name, row: row + 1 },
    );
  }

  /** The training data's values, gone on with by those that were sent; or these alone. */
  #known(
    key: readonly string[],
    id: number,
    sent: ReadonlyMap<number, number>,
    rows: readonly number[],
  ): Known {
    const { target, offsets, starts } = this.#trained;
    const trained = id < 0 ? [] : [...target.subarray(offsets[id], offsets[id + 1])];
    if (sent.size === 0) {
      if (id >= 0) return { start: starts[id], values: trained };
      throw new DataError(
        `The series ${shown(seriesName(key))} was not in the training data and the request has no history of it: send rows with ${shown(this.#header.label)}.`,
        { row: rows[0] + 1 },
      );
    }
    const steps = [...sent.keys()].sort((a, b) => a - b);
    const [first, last] = [steps[0], steps[steps.length - 1]];
    if (last - first >= FEW_STEPS + MOST_GAPS * sent.size) {
      throw new DataError(
        `The history of the series ${shown(seriesName(key))} has ${sent.size} values in ${last - first + 1} steps of ${describeFrequency(this.#header.frequency, this.#header.isTime)}, from ${this.#shownStep(first)} to ${this.#shownStep(last)}: are its times right?`,
        { column: this.#header.timeColumn, row: rows[0] + 1 },
      );
    }
    const goesOn = id >= 0 && first >= starts[id] && first <= starts[id] + trained.length;
    if (id >= 0 && first > starts[id] + trained.length) {
      this.#warnings.push(
        `The history of the series ${shown(seriesName(key))} begins ${first - starts[id] - trained.length} steps after its training data would go on, at ${this.#shownStep(first)}: it is forecast from the ${sent.size === 1 ? "one value" : `${sent.size} values`} of the history alone. Send the steps from ${this.#shownStep(starts[id] + trained.length)} on to keep its past.`,
      );
    }
    const start = goesOn ? starts[id] : first;
    const values = goesOn ? trained.slice(0, Math.max(0, last - start + 1)) : [];
    for (let step = start + values.length; step <= last; step++) values.push(Number.NaN);
    for (const [step, value] of sent) values[step - start] = value;
    return { start, values };
  }
}

/** Rows of the request at each of the frame's: those of a sum say what those of all its series say alike. */
function summedPlaces(
  column: Column,
  places: Int32Array,
  asked: readonly AskedSeries[],
  offsets: Uint32Array,
): Int32Array {
  const found = places.slice();
  for (const [s, { start, members }] of asked.entries()) {
    if (!members) continue;
    for (let row = offsets[s]; row < offsets[s + 1]; row++) {
      const step = start + row - offsets[s];
      found[row] = sharedRow(
        column,
        members.map(({ rowOf }) => rowOf.get(step) ?? -1),
      );
    }
  }
  return found;
}
