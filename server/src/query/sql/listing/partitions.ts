/**
 * The partition columns of a listing and the files of each partition.
 *
 * With a schema given, each file must have a part for each of its fields, whose text casts to the
 * field's type. Without one, the columns are the names that all files have parts of, in the order of
 * the first file; a column is an integer where all its values are, else a date, else a text.
 */

import { type DataType, DateDay, Field, Int64, type Schema, Utf8 } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { ScanError } from "../scan.ts";
import type { DiscoveredFile } from "./discovery.ts";
import { partitionParts } from "./partition-parts.ts";
import { castsToPartitionType, isIntegerText, isPartitionType } from "./partition-value.ts";

export interface FilePartition {
  readonly values: readonly (string | null)[];
  readonly files: readonly DiscoveredFile[];
}

export interface Partitioning {
  readonly fields: readonly Field[];
  /** Only those with files, but where there are no fields: then one, with all files. */
  readonly partitions: readonly FilePartition[];
}

/** @throws ScanError naming file, column and value */
export function partitionFiles(
  table: string,
  files: readonly DiscoveredFile[],
  given: Schema | null,
): Partitioning {
  const parts = files.map((file) => partitionParts(file.folders));
  const fields = given === null ? inferFields(parts) : given.fields;
  if (fields.length === 0) return { fields, partitions: [{ values: [], files }] };
  checkTypes(table, fields);
  const groups = new Map<string, { values: (string | null)[]; files: DiscoveredFile[] }>();
  for (const [index, file] of files.entries()) {
    const values = fields.map((field) => partitionValue(table, file, parts[index]!, field));
    const id = JSON.stringify(values);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { values, files: [file] });
    else group.files.push(file);
  }
  return { fields, partitions: [...groups.values()] };
}

function checkTypes(table: string, fields: readonly Field[]): void {
  for (const field of fields) {
    if (!isPartitionType(field.type)) {
      throw new ScanError(
        `${table}: the partition column ${field.name} cannot be ${arrowTypeName(field.type)}; it can be a boolean, number, text, date or timestamp`,
      );
    }
  }
}

function partitionValue(
  table: string,
  file: DiscoveredFile,
  parts: ReadonlyMap<string, string | null>,
  field: Field,
): string | null {
  const value = parts.get(field.name);
  const { key } = file.object;
  if (value === undefined) {
    throw new ScanError(`${table}: ${key} has no ${field.name}=… part in its path`);
  }
  if (value === null) {
    if (field.nullable) return null;
    throw new ScanError(`${table}: ${key} has no value of ${field.name}, which is not nullable`);
  }
  if (castsToPartitionType(value, field.type)) return value;
  throw new ScanError(
    `${table}: ${key} has ${field.name}=${value}, which is no ${arrowTypeName(field.type)}, as its partition schema says`,
  );
}

function inferFields(parts: readonly ReadonlyMap<string, string | null>[]): Field[] {
  const [first] = parts;
  if (first === undefined) return [];
  const names = [...first.keys()].filter((name) => parts.every((part) => part.has(name)));
  return names.map((name) => {
    const values = parts.map((part) => part.get(name)).filter((value) => value != null);
    return new Field(name, inferType([...new Set(values)]), true);
  });
}

function inferType(values: readonly string[]): DataType {
  if (values.length === 0) return new Utf8();
  if (values.every(isIntegerText)) return new Int64();
  const date = new DateDay();
  return values.every((value) => castsToPartitionType(value, date)) ? date : new Utf8();
}
