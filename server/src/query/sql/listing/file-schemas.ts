/**
 * The columns that files hold, as the query's session reads them, many files a statement: the alias
 * of a table in a select list is a struct of its columns.
 */

import { basename } from "node:path";
import { DataType, Schema } from "apache-arrow";
import { quoteName } from "../../sql-text.ts";
import { SqlError } from "../query.ts";
import { ScanError, type SchemaReader } from "../scan.ts";

const FILES_PER_STATEMENT = 64;
/** No row is wanted: the optimizer looks at no statistics then, which may hold a value that cannot be read. */
const NO_ROWS = "WHERE false";
/** Not a column's name, in files of people who mean well. */
const ALIAS = "\u0001file";

export interface LocalFile {
  /** For errors. */
  readonly key: string;
  readonly path: string;
}

/**
 * @param relationOf what a file is in a FROM clause
 * @returns one a file, in their order
 * @throws ScanError naming the file that cannot be read
 */
export async function readFileSchemas(
  table: string,
  files: readonly LocalFile[],
  relationOf: (path: string) => string,
  reader: SchemaReader,
): Promise<Schema[]> {
  const schemas: Schema[] = [];
  for (let at = 0; at < files.length; at += FILES_PER_STATEMENT) {
    const batch = files.slice(at, at + FILES_PER_STATEMENT);
    try {
      schemas.push(...(await readTogether(batch, relationOf, reader)));
    } catch (error) {
      if (!isOfTheFile(error)) throw error;
      // One of them is to be named.
      for (const file of batch) schemas.push(await readAlone(table, file, relationOf, reader));
    }
  }
  return schemas;
}

async function readTogether(
  files: readonly LocalFile[],
  relationOf: (path: string) => string,
  reader: SchemaReader,
): Promise<Schema[]> {
  const aliases = files.map((_, index) => quoteName(ALIAS + index));
  const relations = files.map(({ path }, index) => `${relationOf(path)} AS ${aliases[index]}`);
  const { fields } = await reader.schemaOf(
    `SELECT ${aliases.join(", ")} FROM ${relations.join(", ")} ${NO_ROWS}`,
  );
  return fields.map(({ type }) => new Schema(DataType.isStruct(type) ? type.children : []));
}

async function readAlone(
  table: string,
  file: LocalFile,
  relationOf: (path: string) => string,
  reader: SchemaReader,
): Promise<Schema> {
  try {
    return new Schema(
      (await reader.schemaOf(`SELECT * FROM ${relationOf(file.path)} ${NO_ROWS}`)).fields,
    );
  } catch (error) {
    throw fileFault(table, file, error);
  }
}

/** What is said of a file that cannot be read: an error that is not of the file stays what it is. */
export function fileFault(table: string, file: LocalFile, error: unknown): unknown {
  if (!isOfTheFile(error)) return error;
  // The local file has a name of its own, behind folders of which the session has hidden some.
  const local = `[^\\s"']*${basename(file.path).replace(/[^A-Za-z0-9_-]/g, "\\$&")}`;
  // Without advice on DuckDB's own options, which nobody can follow here.
  const reason = error.message
    .split("\n", 1)[0]!
    .replace(new RegExp(`${local}: `), "")
    .replace(new RegExp(local, "g"), () => file.key)
    .replace(/[,.]? try \w+=\w+.*$/i, "")
    .replace(/ in file "[^"]*"/, "")
    .replace(/^Error when sniffing file .*$/, "it is no delimited text with a header");
  return new ScanError(`${table}: ${file.key} cannot be read: ${reason}`, { cause: error });
}

function isOfTheFile(error: unknown): error is SqlError {
  return error instanceof SqlError && (error.failure === "invalid" || error.failure === "failed");
}
