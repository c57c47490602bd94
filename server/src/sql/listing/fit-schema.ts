/** Whether the columns that a file holds are those that a table's definition says. */

import type { Field, Schema } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { castsLosslessly } from "../lossless-cast.ts";
import { ScanError } from "../scan.ts";

/** @returns its place, by the exact name, else by the name in any case as SQL reads it; -1 */
export function findColumn(schema: Schema, name: string): number {
  const exact = schema.fields.findIndex((field) => field.name === name);
  if (exact >= 0) return exact;
  const lower = name.toLowerCase();
  return schema.fields.findIndex((field) => field.name.toLowerCase() === lower);
}

/**
 * @param found of one file
 * @param wanted the definition's
 * @param origin what says so, such as `the snapshot`
 * @param isTyped whether the file has types; else its names alone are compared
 * @throws ScanError naming table, file, column and both types
 */
export function checkFits(
  table: string,
  key: string,
  found: Schema,
  wanted: readonly Field[],
  origin: string,
  isTyped = true,
): void {
  for (const field of wanted) {
    const type = arrowTypeName(field.type);
    const column = found.fields[findColumn(found, field.name)];
    if (column === undefined) {
      if (field.nullable) continue;
      throw new ScanError(
        `${table}: ${key} has no column ${field.name}, which ${origin} has as ${type} that is not nullable`,
      );
    }
    if (isTyped && !castsLosslessly(column, field)) {
      throw new ScanError(
        `${table}: the column ${field.name} is ${arrowTypeName(column.type)} in ${key}, and ${origin} has it as ${type}`,
      );
    }
  }
}

/** @throws ScanError where SQL could not tell two columns apart */
export function checkNames(table: string, fields: readonly Field[]): void {
  const met = new Map<string, string>();
  for (const { name } of fields) {
    const other = met.get(name.toLowerCase());
    if (other !== undefined) {
      throw new ScanError(
        `${table}: the columns ${other} and ${name} have one name, as SQL does not tell cases apart`,
      );
    }
    met.set(name.toLowerCase(), name);
  }
}
