/** Listings of a test over objects in memory, with a session to read them in. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, Int64, Schema, Utf8 } from "apache-arrow";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { FileCache, type FileCacheOptions } from "../file-cache.ts";
import { type ListingOptions, ListingScan } from "../listing-scan.ts";
import { DuckdbSession } from "./duckdb-session.ts";
import { MemoryObjects } from "./memory-objects.ts";

export const COLUMNS = new Schema([
  new Field("id", new Int64(), true),
  new Field("name", new Utf8(), true),
]);

interface Opened {
  readonly session: DuckdbSession;
  readonly folder: string;
  readonly cache: FileCache;
}

/** Opened for the tests of a file; each test begins with a source of which nothing is known. */
export function useListingTables(
  options: Pick<FileCacheOptions, "schemaFields"> = {},
): ListingTables {
  const tables = new ListingTables(options);
  beforeAll(() => tables.open());
  afterAll(() => tables.close());
  beforeEach(() => {
    tables.renew();
  });
  return tables;
}

export class ListingTables {
  objects = new MemoryObjects("scope-0");
  readonly #options: Pick<FileCacheOptions, "schemaFields">;
  #opened: Opened | null = null;
  #scope = 0;

  constructor(options: Pick<FileCacheOptions, "schemaFields"> = {}) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "listing-"));
    const cache = await FileCache.open({ folder: join(folder, "cache"), ...this.#options });
    this.#opened = { session: await DuckdbSession.open(), folder, cache };
  }

  get #open(): Opened {
    if (this.#opened === null) throw new Error("the tables are opened before the tests");
    return this.#opened;
  }

  get session(): DuckdbSession {
    return this.#open.session;
  }

  /** Another source, of which nothing is known. */
  renew(): MemoryObjects {
    this.objects = new MemoryObjects(`scope-${++this.#scope}`);
    return this.objects;
  }

  listing(
    given: {
      readonly paths?: readonly string[];
      readonly fileSchema?: Schema | null;
      readonly options?: Partial<ListingOptions> | null;
    } = {},
  ): ListingScan {
    const { options = null } = given;
    return new ListingScan({
      tableName: "shop.main.sales",
      objects: this.objects,
      paths: given.paths ?? ["s3://data/t/"],
      fileSchema: given.fileSchema ?? null,
      options: options && {
        fileType: "csv",
        formatOptions: {},
        fileExtension: "",
        partitionSchema: null,
        ...options,
      },
      cache: this.#open.cache,
    });
  }

  /** A Parquet file of a SELECT. */
  async parquet(select: string): Promise<Uint8Array> {
    const path = join(this.#open.folder, "made.parquet");
    await this.session.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    return readFile(path);
  }

  /** Columns of a description as `name type`. */
  async columnsOf(scan: ListingScan): Promise<string[]> {
    const { schema } = await scan.describe(this.session, new AbortController().signal);
    return schema.fields.map(({ name, type }) => `${name} ${type}`);
  }

  async close(): Promise<void> {
    await this.#open.cache.close();
    await this.session.close();
    await rm(this.#open.folder, { recursive: true, force: true });
  }
}
