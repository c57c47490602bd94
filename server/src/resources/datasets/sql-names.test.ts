/** Names of datasets in SQL, by the database that makes them. */

import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { SEGMENT_ID } from "../workspaces/names.ts";
import { findDataset, findDatasetsByName, insertDataset, listDatasetNames } from "./store.ts";

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.close());

const slugsOf = async (names: readonly string[]): Promise<readonly string[]> => {
  const rows = await temporary.database.read<{ slug: string }[]>(
    randomUUID(),
    (sql) => sql`select dataset_slug(name) as slug
      from unnest(${[...names]}::text[]) with ordinality as given(name, place) order by place`,
  );
  return rows.map(({ slug }) => slug);
};

/** @param second of its making */
async function insert(organizationId: string, name: string, second: number): Promise<string> {
  const id = randomUUID();
  await temporary.database.forOrganization(organizationId, async (sql) => {
    await insertDataset(sql, organizationId, {
      ...{ id, name, format: "csv", object_key: null, table_key: `${id}/table`, rows: 1, bytes: 1 },
      ...{ hash: id, source: {}, columns: [], profile: "[]", warnings: [] },
    });
    await sql`update datasets set created_at = to_timestamp(${second}) where id = ${id}`;
  });
  return id;
}

describe("a slug", () => {
  it("is what a person would call the table", async () => {
    const said = {
      "churn.csv": "churn",
      "Churn.CSV.gz": "churn",
      "v1.2 of sales.parquet": "v1_2_of_sales",
      "2024": "d_2024",
      "  Gr\u00f6\u00dfe & R\u00e9sum\u00e9 ": "grosse_resume",
      "\u5ba2\u6237": "dataset",
      ".csv": "dataset",
      a_0123456789ab: "a_0123456789ab_n",
      select: "select",
    };
    expect(await slugsOf(Object.keys(said))).toEqual(Object.values(said));
  });

  it("of any text is a name of a table, with room for an id, and never one with an id", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."_ab0f.9 c"), maxLength: 80 }),
      fc.stringMatching(/^[a-z_]{0,40}_[0-9a-f]{10,14}$/),
    );
    const names = fc
      .sample(name, 2_000)
      .map((text) => text.replaceAll("\u0000", " ").toWellFormed());
    const slugs = await slugsOf(names);
    for (const [at, slug] of slugs.entries()) {
      expect(slug, JSON.stringify(names[at])).toMatch(SEGMENT_ID);
      expect(slug.length, JSON.stringify(names[at])).toBeLessThanOrEqual(50);
      expect(slug, JSON.stringify(names[at])).not.toMatch(/_[0-9a-f]{12}$/);
    }
    // A slug is its own.
    const plain = slugs.filter((slug) => !slug.endsWith("_n"));
    expect(await slugsOf(plain)).toEqual(plain);
  });
});

describe("names", () => {
  it("mean one dataset each, the short one the newest, and no other organization's", async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const ids = [];
    for (const [second, name] of ["a.csv", "A", "b", "a"].entries()) {
      ids.push(await insert(mine, name, second));
    }
    await insert(other, "a", 9);
    const listed = await listDatasetNames(temporary.database, mine, 10);
    expect(new Set(listed).size).toBe(4);
    expect(listed.slice(0, 2)).toEqual(["a", "b"]);
    const rows = await Promise.all(ids.map((id) => findDataset(temporary.database, mine, id)));
    const names = rows.flatMap((row) => (row ? [row.sql_name, row.sql_stable_name] : []));
    for (const name of names) expect(name).toMatch(SEGMENT_ID);
    const found = await findDatasetsByName(temporary.database, mine, [...names, "c", "b_00"]);
    expect(found.map(({ asked, id }) => [asked, id]).sort()).toEqual(
      [
        ["a", ids[3]],
        ["b", ids[2]],
        ...rows.flatMap((row) => (row ? [[row.sql_stable_name, row.id]] : [])),
      ].sort(),
    );
    expect(await findDatasetsByName(temporary.database, other, names.slice(1, 2))).toEqual([]);
  });
});
