/**
 * Which answers of which operations the black-box tests have seen, held against those that the
 * service's own document says can come back.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT_FILE, type SeenAnswer } from "./request-log.ts";

export const COLUMNS = ["success", "401", "403", "404", "409", "412", "422"] as const;
export type Column = (typeof COLUMNS)[number];

/** What of an OpenAPI 3.1 document is read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: ApiBody;
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface ApiBody {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Schema = Readonly<Record<string, unknown>>;

export interface NamedOperation extends ApiOperation {
  readonly method: string;
  readonly path: string;
}

export interface OperationRow {
  readonly operation: NamedOperation;
  /** Of the statuses that can come back: whether a test saw it. */
  readonly cells: ReadonlyMap<Column, boolean>;
}

export interface Coverage {
  readonly rows: readonly OperationRow[];
  /** `<method> <path>: <column>` of what was not seen of an operation of a required group. */
  readonly missing: readonly string[];
}

/** Groups whose every possible answer must have been seen. */
export const REQUIRED_TAGS: readonly string[] = [
  "Workspaces",
  "Catalogs",
  "Schemas",
  "Tables",
  "Connectors",
  "Queries",
  "Documents",
  "Jobs",
];

export function operationsOf(document: ApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Whether a value of the right kind on the wire can still fail the schema. */
const constrains = (schema: Schema): boolean =>
  schema["type"] !== "string" ||
  Object.keys(schema).some((key) => !["type", "description", "default", "examples"].includes(key));

/** An operation that takes nothing that could be wrong documents 422 as all do, but never answers it. */
export const canBeUnprocessable = (operation: ApiOperation): boolean =>
  operation.requestBody !== undefined ||
  (operation.parameters ?? []).some(
    (parameter) =>
      constrains(parameter.schema) || (parameter.in !== "path" && parameter.required === true),
  );

/** The columns whose statuses the document says can come back. */
export function possibleColumns(operation: ApiOperation): Column[] {
  return COLUMNS.filter((column) => {
    if (column === "success") return true;
    if (column === "422") return canBeUnprocessable(operation);
    return column in operation.responses;
  });
}

const matcher = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/(\{\w+\})/)
      .map((part, index) => (index % 2 === 1 ? "[^/]+" : part.replace(/[.*+?^$()|[\]\\]/g, "\\$&")))
      .join("")}$`,
  );

const columnOf = (status: number): string =>
  status >= 200 && status < 300 ? "success" : String(status);

/** Static paths win over those with parameters, as in the service. */
const byParameters = (a: NamedOperation, b: NamedOperation): number =>
  a.path.split("{").length - b.path.split("{").length;

export function coverageOf(document: ApiDocument, answers: Iterable<SeenAnswer>): Coverage {
  const operations = operationsOf(document);
  const matchers = operations
    .toSorted(byParameters)
    .map((operation) => ({ operation, expression: matcher(operation.path) }));
  const seen = new Set<string>();
  for (const { method, path, status } of answers) {
    const asked = method === "HEAD" ? "GET" : method;
    const found = matchers.find(
      ({ operation, expression }) => operation.method === asked && expression.test(path),
    );
    if (found) seen.add(`${found.operation.method} ${found.operation.path} ${columnOf(status)}`);
  }
  const rows = operations.map((operation): OperationRow => {
    const name = `${operation.method} ${operation.path}`;
    const cells = possibleColumns(operation).map(
      (column) => [column, seen.has(`${name} ${column}`)] as const,
    );
    return { operation, cells: new Map(cells) };
  });
  const missing = rows
    .filter(({ operation }) => operation.tags.some((tag) => REQUIRED_TAGS.includes(tag)))
    .flatMap(({ operation, cells }) =>
      [...cells]
        .filter(([, found]) => !found)
        .map(([column]) => `${operation.method} ${operation.path}: ${column}`),
    );
  return { rows, missing };
}

/** Of a folder that `request-log.ts` filled; null where no server was started. */
export function readCoverage(folder: string): Coverage | null {
  const documentFile = join(folder, DOCUMENT_FILE);
  if (!existsSync(documentFile)) return null;
  const document: ApiDocument = JSON.parse(readFileSync(documentFile, "utf8"));
  const answers = readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line): SeenAnswer => JSON.parse(line));
  return coverageOf(document, answers);
}

/** The table as Markdown, a section a group. */
export function coverageTable({ rows }: Coverage): string {
  const groups = Map.groupBy(rows, ({ operation }) => operation.tags[0] ?? "");
  const sections = [...groups].map(([tag, ofTag]) => {
    const lines = ofTag.map(({ operation, cells }) => {
      const marks = COLUMNS.map((column) => MARKS[String(cells.get(column))]);
      return `| \`${operation.method} ${operation.path}\` | ${marks.join(" | ")} |`;
    });
    const head = `| operation | ${COLUMNS.join(" | ")} |`;
    return [`## ${tag}`, "", head, `| --- |${" :-: |".repeat(COLUMNS.length)}`, ...lines].join(
      "\n",
    );
  });
  const legend = "✓ seen by a test; ✗ not seen; – cannot come back.";
  return ["# Answers of each operation, seen by the black-box tests", legend, ...sections, ""].join(
    "\n\n",
  );
}

const MARKS: Readonly<Record<string, string>> = { true: "✓", false: "✗", undefined: "–" };

export function coverageSummary({ rows, missing }: Coverage): string {
  const cells = rows.flatMap((row) => [...row.cells.values()]);
  const found = cells.filter(Boolean).length;
  const required = missing.length === 0 ? "" : `; ${missing.length} required ones not seen`;
  return `${found} of ${cells.length} answers of ${rows.length} operations seen${required}`;
}
