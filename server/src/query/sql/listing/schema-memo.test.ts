import { Field, Int32, List, Schema, Struct } from "apache-arrow";
import { expect, it } from "vitest";
import { SchemaMemo } from "./schema-memo.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const number = (name: string): Field => new Field(name, new Int32(), true);
const schemaOf = (count: number): Schema =>
  new Schema(Array.from({ length: count }, (_, at) => number(`c${at}`)));
const kept = (memo: SchemaMemo): string[] =>
  ["a", "b", "c", "d"].filter((key) => memo.get(key) !== undefined);

it("forgets what was asked for least recently where there are too many schemas", () => {
  const memo = new SchemaMemo({ maxEntries: 2 });
  memo.set("a", schemaOf(1));
  memo.set("b", schemaOf(1));
  expect(memo.get("a")?.fields).toHaveLength(1);
  memo.set("c", schemaOf(1));
  expect(kept(memo)).toEqual(["a", "c"]);
});

it("holds so many fields of all schemas together, those within others too", () => {
  const memo = new SchemaMemo({ maxFields: 10 });
  memo.set("a", schemaOf(4));
  memo.set("b", new Schema([new Field("s", new Struct([number("x"), number("y")]), true)]));
  memo.set("c", new Schema([new Field("l", new List(number("item")), true)]));
  expect(kept(memo)).toEqual(["a", "b", "c"]);
  memo.set("d", schemaOf(2));
  expect(kept(memo)).toEqual(["b", "c", "d"]);
});

it("counts an entry that is set again once, and keeps none that is larger than all", () => {
  const memo = new SchemaMemo({ maxFields: 10 });
  for (let time = 0; time < 5; time++) memo.set("a", schemaOf(4));
  memo.set("b", schemaOf(6));
  expect(kept(memo)).toEqual(["a", "b"]);
  memo.set("c", schemaOf(11));
  expect(kept(memo)).toEqual(["a", "b"]);
  memo.set("a", schemaOf(11));
  expect(kept(memo)).toEqual(["b"]);
});

const tables = useListingTables({ schemaFields: 3 });

it("that forgets some files of a table while others are read loses none of them", async () => {
  const ids = async (): Promise<unknown[]> =>
    (await tables.session.read(tables.listing())).map(({ id }) => id).toSorted();
  tables.objects.put("t/1.csv", "id\n1\n");
  tables.objects.put("t/2.csv", "id\n2\n");
  expect(await ids()).toEqual(["1", "2"]);
  for (let file = 3; file < 9; file++) tables.objects.put(`t/${file}.csv`, `id\n${file}\n`);
  expect(await ids()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(await ids()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
});
