import { Field, Int64, Schema } from "apache-arrow";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScanError } from "../scan.ts";
import type { DuckdbSession } from "./testing/duckdb-session.ts";
import { COLUMNS, ListingTables } from "./testing/listing-tables.ts";
import type { MemoryObjects } from "./testing/memory-objects.ts";

let tables: ListingTables;
let session: DuckdbSession;
let objects: MemoryObjects;

beforeAll(async () => {
  tables = await ListingTables.open();
  session = tables.session;
});
afterAll(() => tables.close());
beforeEach(() => {
  objects = tables.renew();
});

const listing: ListingTables["listing"] = (given) => tables.listing(given);

describe("what is there", () => {
  it("is an empty table where a snapshot describes it, else an error", async () => {
    expect(await session.read(listing({ fileSchema: COLUMNS }))).toEqual([]);
    await expect(session.read(listing())).rejects.toThrow(
      "shop.main.sales: there are no files at s3://data/t/, and no snapshot says",
    );
  });

  it("is relisted where an object changed since", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    let changes = 1;
    objects.beforeRead = async ({ key }) => {
      if (changes-- > 0) objects.put(key, "id,name\n2,changed\n");
    };
    expect(await session.read(listing({ fileSchema: COLUMNS }))).toEqual([
      { id: "2", name: "changed" },
    ]);
    changes = 5;
    objects.put("t/1.csv", "id,name\n3,a\n");
    await expect(session.read(listing({ fileSchema: COLUMNS }))).rejects.toThrow("t/1.csv changed");
  });

  it("is paid from the budget before it is fetched", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    const budget = {
      take(bytes: number): void {
        throw new ScanError(`${bytes} bytes are too many`);
      },
    };
    await expect(session.read(listing({ fileSchema: COLUMNS }), {}, { budget })).rejects.toThrow(
      "12 bytes are too many",
    );
    expect(objects.reads).toEqual([]);
  });

  it("has no two columns that SQL takes for one", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    const fileSchema = new Schema([
      new Field("id", new Int64(), true),
      new Field("ID", new Int64(), true),
    ]);
    await expect(session.read(listing({ fileSchema }))).rejects.toThrow("the columns id and ID");
  });
});
