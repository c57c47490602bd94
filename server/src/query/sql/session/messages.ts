/**
 * What the service and a query's process say to each other. One request is answered before the next is
 * begun; only `interrupt` comes between. A result's bytes go before the answer, as data frames.
 */

import { z } from "zod";
import { scanFilterSchema } from "../../sources/scan-filter.ts";
import { type CsvFile, type CsvLook, csvSchema } from "../csv-look.ts";
import type {
  ExportFormat,
  QueryParameter,
  SchemaName,
  SqlFailure,
  TableName,
  TableReference,
} from "../query.ts";
import type { ChunksRequest, FileChunks, ScanNeed } from "../scan.ts";

/** Payload of one message or of one piece of a result. */
export const MAX_FRAME_BYTES = 256 << 20;

/** A column with DuckDB's type of it, in SQL. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
}

export interface InstanceLimits {
  readonly memoryBytes: number;
  readonly temporaryBytes: number;
  readonly threads: number;
}

/** What a table looks like, for its stand-in. */
export interface TableShape {
  readonly name: TableName;
  readonly columns: readonly SqlColumn[];
  /** The last this many columns. */
  readonly partitionColumns: number;
  readonly partitions: readonly (readonly (string | null)[])[];
}

export interface SearchPath {
  readonly catalog: string | null;
  readonly schema: string | null;
}

/** An integer beyond 2^53 travels as its digits, which JSON's numbers are not sure to keep. */
export type BoundParameter = Exclude<QueryParameter, bigint> | { readonly integer: string };

/** Values by position ("1", "2", …) or by name. */
export type BoundParameters = Readonly<Record<string, BoundParameter>>;

export type ResultOutput =
  | {
      readonly kind: "json" | "arrow";
      readonly maxRows: number;
      readonly maxBytes: number;
      /** Written into the metadata of Arrow's schema. */
      readonly warnings: readonly string[];
      /** Where more than so many bytes go; null = all are sent. */
      readonly spool: { readonly path: string; readonly beyondBytes: number } | null;
    }
  | { readonly kind: "file"; readonly format: ExportFormat; readonly path: string };

/** A table as it is read: its shape, and a SELECT over staged files, or null where no row is needed. */
export interface RunTable {
  readonly name: TableName;
  readonly columns: readonly SqlColumn[];
  /** Columns that the SELECT has. */
  readonly staged: { readonly sql: string; readonly columns: readonly string[] } | null;
}

export type Request =
  /** Makes ready for a session in this folder; the last one's is forgotten. */
  | { readonly kind: "open"; readonly folder: string; readonly limits: InstanceLimits }
  | { readonly kind: "parse"; readonly sql: string }
  | { readonly kind: "schema"; readonly sql: string }
  | { readonly kind: "texts"; readonly sql: string }
  | { readonly kind: "packed"; readonly path: string; readonly hasLines: boolean }
  | { readonly kind: "json"; readonly path: string }
  | { readonly kind: "csv"; readonly path: string; readonly look: CsvLook }
  | ({ readonly kind: "chunks" } & ChunksRequest)
  | {
      readonly kind: "plan";
      readonly sql: string;
      readonly parameters: BoundParameters;
      readonly tables: readonly TableShape[];
      /** Schemas that exist, for what is said of tables that do not. */
      readonly otherSchemas: readonly SchemaName[];
      readonly searchPath: SearchPath;
    }
  | {
      readonly kind: "explain";
      readonly sql: string;
      readonly parameters: BoundParameters;
    }
  | {
      readonly kind: "run";
      readonly sql: string;
      readonly parameters: BoundParameters;
      readonly tables: readonly RunTable[];
      /** Names that exist but whose columns nobody asked for. */
      readonly otherNames: readonly TableName[];
      readonly searchPath: SearchPath;
      /** Tables that are looked at in the system's catalog must be tables there. */
      readonly asTables: boolean;
      readonly output: ResultOutput;
    };

export type ToChild =
  | { readonly kind: "request"; readonly id: number; readonly request: Request }
  | { readonly kind: "interrupt" };

const referenceSchema = z.object({
  catalog: z.string().nullable(),
  schema: z.string().nullable(),
  table: z.string(),
}) satisfies z.ZodType<TableReference>;

const scanNeedSchema = z.object({
  columns: z.array(z.string()).readonly(),
  filter: scanFilterSchema.nullable(),
  limit: z.number().int().nonnegative().nullable(),
  partitions: z.array(z.number().int().nonnegative()).readonly(),
  distinct: z.boolean(),
}) satisfies z.ZodType<ScanNeed>;

const placeSchema = z.number().int().nonnegative();
const fileChunksSchema = z.object({
  rows: placeSchema,
  groups: z.array(placeSchema).readonly().nullable(),
  ranges: z.array(z.object({ offset: placeSchema, length: placeSchema })).readonly(),
  footerOffset: placeSchema,
}) satisfies z.ZodType<FileChunks>;

const parsedSchema = z.object({
  kind: z.literal("parsed"),
  references: z.array(referenceSchema).readonly(),
  /** Names or positions, as they are written, each once. */
  parameters: z.array(z.string()).readonly(),
  /** Whether it looks at the catalog of the system: at names, or at columns too. */
  looksAt: z.enum(["tables", "names", "columns"]),
});
export type Parsed = z.output<typeof parsedSchema>;

const plannedSchema = z.object({
  kind: z.literal("planned"),
  /** One for each table of the request, in its order; null where no row of it is needed. */
  needs: z.array(scanNeedSchema.nullable()).readonly(),
});

const schemaSchema = z.object({
  kind: z.literal("schema"),
  /** An Arrow schema message, base64. */
  schema: z.string(),
});

const textsSchema = z.object({
  kind: z.literal("texts"),
  texts: z.array(z.string()).readonly(),
});

const chunksSchema = z.object({
  kind: z.literal("chunks"),
  /** One for each file of the request; null for those that are to be read whole. */
  files: z.array(fileChunksSchema.nullable()).readonly(),
});

const packedSchema = z.object({
  kind: z.literal("packed"),
  /** Bytes of the last line, where it was asked for. */
  lastLine: z.number().int().nonnegative(),
});

const jsonSchema = z.object({ kind: z.literal("json") });

const explainedSchema = z.object({
  kind: z.literal("explained"),
  text: z.string(),
  schema: z.string(),
  /** As of `ranSchema`. */
  repeated: z.array(z.string()),
});

const ranSchema = z.object({
  kind: z.literal("ran"),
  columns: z.array(z.object({ name: z.string(), type: z.string() })).readonly(),
  /** An Arrow schema message, base64. */
  schema: z.string(),
  rows: z.number().int().nonnegative(),
  truncated: z.boolean(),
  /** Whether the result is in the file that it was to go to if it was large; nothing of it was sent then. */
  isSpooled: z.boolean(),
  /** Of a Parquet file and a plan: names that several columns had. */
  repeated: z.array(z.string()),
});
export type Ran = z.output<typeof ranSchema>;

const FAILURES = [
  "invalid",
  "not-allowed",
  "failed",
  "timeout",
  "resources",
  "disk-full",
  "crashed",
  "cancelled",
  "busy",
  "too-many",
] as const satisfies readonly SqlFailure[];

const failedSchema = z.object({
  kind: z.literal("failed"),
  failure: z.enum(FAILURES),
  message: z.string(),
  position: z
    .object({ line: z.number().int().positive(), column: z.number().int().positive() })
    .nullable(),
  /** The table that does not exist, where that is the failure. */
  missing: z.string().nullable(),
  /** Nothing more should run in this process. */
  retire: z.boolean(),
});
export type Failed = z.output<typeof failedSchema>;

const openedSchema = z.object({ kind: z.literal("opened") });

export const answerSchema = z.object({
  id: z.number().int(),
  answer: z.discriminatedUnion("kind", [
    openedSchema,
    parsedSchema,
    plannedSchema,
    schemaSchema,
    textsSchema,
    packedSchema,
    jsonSchema,
    csvSchema,
    chunksSchema,
    explainedSchema,
    ranSchema,
    failedSchema,
  ]),
});
export type Answer = z.output<typeof answerSchema>["answer"];

/** A request's answer when it succeeds. */
export interface Answers {
  open: z.output<typeof openedSchema>;
  parse: Parsed;
  plan: z.output<typeof plannedSchema>;
  schema: z.output<typeof schemaSchema>;
  texts: z.output<typeof textsSchema>;
  packed: z.output<typeof packedSchema>;
  json: z.output<typeof jsonSchema>;
  csv: CsvFile;
  chunks: z.output<typeof chunksSchema>;
  explain: z.output<typeof explainedSchema>;
  run: Ran;
}
