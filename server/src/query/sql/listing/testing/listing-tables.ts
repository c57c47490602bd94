/** Listings of a test over objects in memory, with a session to read them in. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, Int64, Schema, Utf8 } from "apache-arrow";
import { FileCache } from "../file-cache.ts";
import { type ListingOptions, ListingScan } from "../listing-scan.ts";
import { DuckdbSession } from "./duckdb-session.ts";
import { MemoryObjects } from "./memory-objects.ts";

export const COLUMNS = new Schema([
  new Field("id", new Int64(), true),
  new Field("name", new Utf8(), true),
]);

export class ListingTables {
  readonly session: DuckdbSession;
  objects = new MemoryObjects("scope-0");
  readonly #folder: string;
  readonly #cache: FileCache;
  #scope = 0;

  private constructor(session: DuckdbSession, folder: string, cache: FileCache) {
    this.session = session;
    this.#folder = folder;
    this.#cache = cache;
  }

  static async open(): Promise<ListingTables> {
    const folder = await mkdtemp(join(tmpdir(), "listing-"));
    const cache = await FileCache.open({ folder: join(folder, "cache") });
    return new ListingTables(await DuckdbSession.open(), folder, cache);
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
      cache: this.#cache,
    });
  }

  /** A Parquet file of a SELECT. */
  async parquet(select: string): Promise<Uint8Array> {
    const path = join(this.#folder, "made.parquet");
    await this.session.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    return readFile(path);
  }

  /** Columns of a description as `name type`. */
  async columnsOf(scan: ListingScan): Promise<string[]> {
    const { schema } = await scan.describe(this.session, new AbortController().signal);
    return schema.fields.map(({ name, type }) => `${name} ${type}`);
  }

  async close(): Promise<void> {
    await this.#cache.close();
    await this.session.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
