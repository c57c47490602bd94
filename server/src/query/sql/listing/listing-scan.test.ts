import { Field, Int64, Schema } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { ScanError } from "../scan.ts";
import { COLUMNS, useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

describe("what is there", () => {
  it("is an empty table where a snapshot describes it, else an error", async () => {
    expect(await tables.session.read(tables.listing({ fileSchema: COLUMNS }))).toEqual([]);
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      "shop.main.sales: there are no files at s3://data/t/, and no snapshot says",
    );
  });

  it("is relisted where an object changed since", async () => {
    tables.objects.put("t/1.csv", "id,name\n1,a\n");
    let changes = 1;
    tables.objects.beforeRead = async ({ key }) => {
      if (changes-- > 0) tables.objects.put(key, "id,name\n2,changed\n");
    };
    expect(await tables.session.read(tables.listing({ fileSchema: COLUMNS }))).toEqual([
      { id: "2", name: "changed" },
    ]);
    changes = 5;
    tables.objects.put("t/1.csv", "id,name\n3,a\n");
    await expect(tables.session.read(tables.listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      "t/1.csv changed",
    );
  });

  it("is paid from the budget before it is fetched", async () => {
    tables.objects.put("t/1.csv", "id,name\n1,a\n");
    const budget = {
      take(bytes: number): void {
        throw new ScanError(`${bytes} bytes are too many`);
      },
    };
    await expect(
      tables.session.read(tables.listing({ fileSchema: COLUMNS }), {}, { budget }),
    ).rejects.toThrow("12 bytes are too many");
    expect(tables.objects.reads).toEqual([]);
  });

  it("has no two columns that SQL takes for one", async () => {
    tables.objects.put("t/1.csv", "id,name\n1,a\n");
    const fileSchema = new Schema([
      new Field("id", new Int64(), true),
      new Field("ID", new Int64(), true),
    ]);
    await expect(tables.session.read(tables.listing({ fileSchema }))).rejects.toThrow(
      "the columns id and ID",
    );
  });
});
