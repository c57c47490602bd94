/**
 * Extracted rows as Parquet, written by the walled child process that runs queries: a column for each
 * question, typed by its kind, and beside it one that holds the evidence.
 */

import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Services } from "../../../api/services.ts";
import { linkOrCopy } from "../../../platform/files/link-or-copy.ts";
import type { ExportedFile, TableName } from "../../../query/sql/query.ts";
import type {
  ScanDescription,
  ScanSource,
  SchemaReader,
  StagedScan,
} from "../../../query/sql/scan.ts";
import { quoteName, quoteText } from "../../../query/sql-text.ts";
import type { ExtractionPlan } from "../../../reading/induction/schema.ts";
import { cellOf, columnNamesOf, sqlTypeOf } from "./columns.ts";
import type { ExtraValue } from "./request.ts";
import type { ExtractedRow } from "./rows.ts";

const NAME: TableName = { catalog: "local", schema: "main", table: "rows" };
const TIMEOUT_MS = 10 * 60_000;
const EVIDENCE =
  'STRUCT("unit" VARCHAR, "confidence" DOUBLE, "page" INTEGER, "text" VARCHAR, "start" INTEGER, "end" INTEGER)';

interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

/** The columns of the table of rows, and how a row fills them. */
export class RowTable {
  /** In the order of a dataset: what identifies the row, what the caller gave, the answers. */
  readonly values: readonly TypedColumn[];
  readonly evidence: readonly TypedColumn[];
  readonly #extra: readonly TypedColumn[];
  readonly #plan: ExtractionPlan;
  readonly #rows: readonly ExtractedRow[];

  constructor(plan: ExtractionPlan, rows: readonly ExtractedRow[]) {
    this.#plan = plan;
    this.#rows = rows;
    const names = columnNamesOf(plan.answerers.map(({ id }) => id));
    this.#extra = extraColumns(rows);
    this.values = [
      ...names.meta.map((name) => ({ name, type: "VARCHAR" })),
      ...this.#extra,
      ...plan.answerers.map((answerer) => ({ name: answerer.id, type: sqlTypeOf(answerer) })),
    ];
    this.evidence = names.evidence.map((name) => ({ name, type: EVIDENCE }));
  }

  /** Newline-delimited JSON, a line for each row. */
  async write(path: string): Promise<void> {
    await pipeline(Readable.from(this.#lines()), createWriteStream(path, { mode: 0o600 }));
  }

  *#lines(): Generator<string> {
    const [idColumn, nameColumn] = columnNamesOf(this.#plan.answerers.map(({ id }) => id)).meta;
    for (const row of this.#rows) {
      const line: Record<string, unknown> = {
        [idColumn]: row.document_id,
        [nameColumn]: row.name,
      };
      for (const { name, type } of this.#extra) {
        const { columns = {} } = row;
        line[name] = cellOf(type, Object.hasOwn(columns, name) ? columns[name] : null);
      }
      for (const [at, answerer] of this.#plan.answerers.entries()) {
        const answer = row.answers[answerer.id];
        if (answer?.value == null) continue;
        const { unit, confidence, page, span } = answer;
        line[answerer.id] = cellOf(sqlTypeOf(answerer), answer.value);
        line[this.evidence[at]!.name] = {
          unit,
          confidence,
          page,
          text: span?.text ?? null,
          start: span?.start ?? null,
          end: span?.end ?? null,
        };
      }
      yield `${JSON.stringify(line)}\n`;
    }
  }
}

/** What the caller gave beside the documents: a type where all values have one, else text. */
function extraColumns(rows: readonly ExtractedRow[]): TypedColumn[] {
  const types = new Map<string, Set<string>>();
  for (const { columns } of rows) {
    for (const [name, value] of Object.entries(columns ?? {})) {
      const known = types.get(name) ?? new Set();
      if (value !== null) known.add(sqlTypeOfValue(value));
      types.set(name, known);
    }
  }
  return [...types].map(([name, known]) => {
    const [only = "VARCHAR", ...others] = known;
    return { name, type: others.length === 0 ? only : "VARCHAR" };
  });
}

function sqlTypeOfValue(value: NonNullable<ExtraValue>): string {
  if (typeof value === "number") return "DOUBLE";
  return typeof value === "boolean" ? "BOOLEAN" : "VARCHAR";
}

/**
 * @param path of the rows as newline-delimited JSON
 * @param all all columns of the file; `wanted` those of the Parquet file
 */
export function exportRows<Result>(
  services: Pick<Services, "sql">,
  options: {
    readonly organizationId: string;
    readonly path: string;
    readonly all: readonly TypedColumn[];
    readonly wanted: readonly TypedColumn[];
    readonly signal: AbortSignal;
  },
  use: (exported: ExportedFile) => Promise<Result>,
): Promise<Result> {
  const { organizationId, path, all, wanted, signal } = options;
  const source = new RowScan(path, all);
  return services.sql.exportParquet(
    {
      sql: `SELECT ${wanted.map(({ name }) => quoteName(name)).join(", ")} FROM rows`,
      parameters: [],
      organizationId,
      defaults: { catalog: NAME.catalog, schema: NAME.schema },
      tables: {
        resolve: async () => [{ name: NAME, source }],
        names: async () => [NAME],
      },
      timeoutMs: TIMEOUT_MS,
      signal,
    },
    use,
  );
}

class RowScan implements ScanSource {
  readonly label = "the rows of a job";
  readonly #path: string;
  readonly #columns: readonly TypedColumn[];

  constructor(path: string, columns: readonly TypedColumn[]) {
    this.#path = path;
    this.#columns = columns;
  }

  async describe(reader: SchemaReader): Promise<ScanDescription> {
    const schema = await reader.schemaOf(await this.#bring(reader.folder));
    return { schema, partitionColumns: 0, partitions: [{ values: [] }] };
  }

  async stage(_need: unknown, folder: string): Promise<StagedScan> {
    return { sql: await this.#bring(folder), fetchedBytes: 0 };
  }

  async #bring(folder: string): Promise<string> {
    const path = join(folder, "rows.ndjson");
    await linkOrCopy(this.#path, path).catch((error: unknown) => {
      // Brought before, to be described.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    });
    const columns = this.#columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type)}`);
    return `SELECT * FROM read_json(${quoteText(path)}, format = 'newline_delimited', columns = {${columns.join(", ")}})`;
  }
}
