/** Whether the columns that a file holds are those that a table's definition says. */

import type { Field, Schema } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { hasWideDecimals, MAX_DECIMAL_DIGITS, WIDE_DECIMALS } from "../../arrow/duckdb-type.ts";
import { castsLosslessly } from "../lossless-cast.ts";
import { ScanError } from "../scan.ts";
import { castsByValue } from "./value-cast.ts";
import { WIDE_DECIMAL } from "./wide-decimals.ts";

/** @returns its place, by the exact name, else by the name in any case as SQL reads it; -1 */
export function findColumn(schema: Schema, name: string): number {
  const exact = schema.fields.findIndex((field) => field.name === name);
  if (exact >= 0) return exact;
  const lower = name.toLowerCase();
  return schema.fields.findIndex((field) => field.name.toLowerCase() === lower);
}

/** What is said of a column that does not fit, and whether types are compared at all. */
interface Wanted {
  /** What says what columns are, such as `the snapshot`. */
  readonly origin: string;
  /** Behind what is said of a type: what would change it, or nothing. */
  readonly advice: string;
  /** Whether the file has types; else its names alone are compared. */
  readonly isTyped: boolean;
}

/**
 * @param found of one file
 * @param wanted the definition's
 * @throws ScanError naming table, file, column and both types
 */
export function checkFits(
  table: string,
  key: string,
  found: Schema,
  wanted: readonly Field[],
  { origin, advice, isTyped }: Wanted,
): void {
  for (const field of wanted) {
    const type = arrowTypeName(field.type);
    const column = found.fields[findColumn(found, field.name)];
    const twin = found.fields.find((one) => one !== column && sameName(one.name, field.name));
    if (column !== undefined && twin !== undefined) throw ambiguous(table, key, column, twin);
    if (column?.metadata.has(WIDE_DECIMAL)) {
      throw new ScanError(`${table}: the column ${column.name} of ${key} has ${WIDE_DECIMALS}`);
    }
    // Values of texts would be cast to the type that stands for it.
    if (hasWideDecimals(field)) {
      throw new ScanError(
        `${table}: the column ${field.name} is ${type} in ${origin}, and decimals of more than ${MAX_DECIMAL_DIGITS} digits cannot be read here without loss; say at most ${MAX_DECIMAL_DIGITS} digits, or Utf8`,
      );
    }
    if (column === undefined) {
      if (field.nullable) continue;
      throw new ScanError(
        `${table}: ${key} has no column ${field.name}, which ${origin} has as ${type} that is not nullable`,
      );
    }
    if (isTyped && !castsLosslessly(column, field) && !castsByValue(column, field)) {
      throw new ScanError(
        `${table}: the column ${field.name} is ${arrowTypeName(column.type)} in ${key}, and ${origin} has it as ${type}${advice}`,
      );
    }
  }
}

/**
 * @param key the file that has them; null = the definition
 * @throws ScanError where SQL could not tell two columns apart
 */
export function checkNames(table: string, fields: readonly Field[], key: string | null): void {
  const met = new Map<string, Field>();
  for (const field of fields) {
    const other = met.get(field.name.toLowerCase());
    if (other !== undefined) throw ambiguous(table, key, other, field);
    met.set(field.name.toLowerCase(), field);
  }
}

function ambiguous(table: string, key: string | null, one: Field, other: Field): ScanError {
  const of = key === null ? "" : ` of ${key}`;
  return new ScanError(
    `${table}: the columns ${one.name} and ${other.name}${of} have the same name, since SQL ignores case`,
  );
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
