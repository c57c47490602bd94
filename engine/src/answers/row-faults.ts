/** What is wrong with the rows of a request, by its place in them. */

import { DataError } from "../data/table.ts";
import type { ForecastRows, Rows, RowsKind } from "./rows.ts";

/** One fault, as an item of the API's 422 says it. */
export interface RowFault {
  /** From the member of the request on, such as `["instances", 3, "age"]`; rows counted from 0. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** So many faults are named. */
const MOST_FAULTS = 100;

const FORECAST_MEMBERS = ["history", "future", "horizon", "series"];

/**
 * Whether the members of a request are those of one for forecasts.
 *
 * @param kind of the model that is asked; null = of any
 */
export function asksForForecasts(body: unknown, kind: RowsKind | null): boolean {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  const names = Object.keys(body);
  const hasRows = names.some((name) => ["instances", "columns", "data"].includes(name));
  // Beside rows of another model they are members too many.
  if (hasRows && kind !== "series") return false;
  return (!hasRows && kind === "series") || names.some((name) => FORECAST_MEMBERS.includes(name));
}

/**
 * What is wrong with rows as members of an object and cells as values, up to `MOST_FAULTS`.
 *
 * @param areJson whether they were read from JSON, of which an infinite number is one that no double holds
 */
export function cellFaults(rows: Readonly<Record<string, unknown>>, areJson: boolean): RowFault[] {
  const found: RowFault[] = [];
  for (const [name, value] of Object.entries(rows)) {
    if (!Array.isArray(value)) continue;
    for (const fault of name === "columns"
      ? faultsOfNames(value)
      : faultsOfList(name, value, areJson)) {
      if (found.push(fault) >= MOST_FAULTS) return found;
    }
  }
  return found;
}

function* faultsOfNames(columns: readonly unknown[]): Iterable<RowFault> {
  for (const [at, column] of columns.entries()) {
    if (typeof column === "string") continue;
    yield { loc: ["columns", at], type: "string_type", msg: "Input should be a valid string" };
  }
}

function* faultsOfList(
  name: string,
  list: readonly unknown[],
  areJson: boolean,
): Iterable<RowFault> {
  for (const [at, row] of list.entries()) {
    if (typeof row !== "object" || row === null || Array.isArray(row) !== (name === "data")) {
      yield name === "data"
        ? { loc: [name, at], type: "list_type", msg: "Input should be a valid list" }
        : { loc: [name, at], type: "dict_type", msg: "Input should be a valid dictionary" };
      continue;
    }
    for (const key in row) {
      const value = (row as Readonly<Record<string, unknown>>)[key];
      const place = name === "data" ? Number(key) : key;
      if (areJson && typeof value === "number" && !Number.isFinite(value)) {
        const msg = "Input should be a finite number, within 1.7e308 either way of 0";
        yield { loc: [name, at, place], type: "finite_number", msg };
        continue;
      }
      // Programs have dates; JSON does not.
      if (typeof value !== "object" || value === null || value instanceof Date) continue;
      const msg = "Input should be a string, a number, a boolean or null";
      yield { loc: [name, at, place], type: "scalar_type", msg };
    }
  }
}

/** The fault of rows that are to be forecast by a model that forecasts nothing; null = none. */
export function forecastFault(rows: Rows, kind: RowsKind): RowFault | null {
  if ("instances" in rows || "columns" in rows || kind === "series") return null;
  const [member] = Object.keys(rows);
  return member === undefined
    ? { loc: ["instances"], msg: "Field required", type: "missing" }
    : {
        loc: [member],
        msg: "Only a model of the kind forecasting takes it; this one takes rows as `instances`, or as `columns` and `data`",
        type: "extra_forbidden",
      };
}

/** What a model finds wrong with rows, at its row and column; null of other errors. */
export function modelFault(error: unknown, rows: Rows): RowFault | null {
  if (!(error instanceof DataError)) return null;
  const { row, column, message } = error;
  return {
    loc: placeOf(error, rows),
    msg: `Value error, ${message}`,
    type: "value_error",
    ctx: { ...(column !== undefined && { column }), ...(row !== undefined && { row }) },
  };
}

function placeOf({ row, column, member }: DataError, rows: Rows): (string | number)[] {
  const inRow = (index: number): (string | number)[] => [
    index,
    ...(column === undefined ? [] : [column]),
  ];
  if ("instances" in rows) {
    if (row !== undefined) return ["instances", ...inRow(row - 1)];
    return column === undefined ? ["instances"] : ["instances", column];
  }
  if ("columns" in rows) {
    // One that the rows lack has no place among them.
    const at = column === undefined ? -1 : rows.columns.lastIndexOf(column);
    const named = at < 0 ? [] : [at];
    if (row !== undefined) return ["data", row - 1, ...named];
    // A fault of the column as a whole stands where it is named.
    return column === undefined ? ["data"] : ["columns", ...named];
  }
  return placeInForecast({ row, column, member }, rows, inRow);
}

function placeInForecast(
  { row, column, member }: Pick<DataError, "row" | "column" | "member">,
  { history = [], future = [] }: ForecastRows,
  inRow: (index: number) => (string | number)[],
): (string | number)[] {
  if (member !== undefined) return [member, ...(row === undefined ? [] : inRow(row - 1))];
  if (row === undefined) {
    if (column === undefined) return [];
    return [history.length > 0 || future.length === 0 ? "history" : "future", column];
  }
  const inFuture = row - 1 - history.length;
  return inFuture < 0 ? ["history", ...inRow(row - 1)] : ["future", ...inRow(inFuture)];
}
