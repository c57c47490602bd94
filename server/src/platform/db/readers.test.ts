import { afterAll, beforeAll, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { connect, errorCode } from "./sql.ts";

const organizations = Array.from(
  { length: 5 },
  (_, index) => `00000000-0000-4000-8000-00000000000${index}`,
);

let temporary: TemporaryDatabase;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const owner = connect(temporary.address, { max: 1 });
  const values = organizations.map((id, index) => `(${index}, '${id}')`).join();
  await owner.unsafe(`
    create table notes (id integer primary key, organization_id uuid not null);
    call protect('notes');
    insert into notes values ${values}`);
  await owner.end();
});
afterAll(() => temporary.close());

/** Sees every row that row-level security shows. */
const visible = (organization: string) =>
  temporary.database.read(organization, (sql) => sql<{ id: number }[]>`select id from notes`);

test("readers of several organizations at a time see each their own", async () => {
  const asked = Array.from({ length: 400 }, (_, index) => (index * 7 + (index >> 3)) % 5);
  const found = await Promise.all(asked.map((index) => visible(organizations[index]!)));
  expect(found.map(([row]) => row?.id)).toEqual(asked);
  expect(found.every((rows) => rows.length === 1)).toBe(true);
});

test("statements that write are refused, and their neighbours answered", async () => {
  const [organization = ""] = organizations;
  const outcomes = await Promise.allSettled([
    visible(organization),
    temporary.database.read(organization, (sql) => sql`delete from notes`),
    temporary.database.read(organization, (sql) => sql`select ${1}::integer / 0`),
    temporary.database.read(organization, () => {
      throw new Error("never sent");
    }),
    visible(organization),
  ]);
  expect(
    outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value.length : errorCode(outcome.reason),
    ),
  ).toEqual([1, "25006", "22012", undefined, 1]);
});

test("an id that is not a UUID never reaches the server", async () => {
  await expect(visible("x'; drop table notes; --")).rejects.toThrow(TypeError);
});

test("connections that are lost at any moment make errors and never an empty answer", async () => {
  const owner = connect(temporary.address, { max: 1 });
  let answered = 0;
  let lost = 0;
  for (let round = 0; round < 12; round++) {
    // A text of its own each round, so that the driver asks for its description in between.
    const asked = Array.from({ length: 150 }, (_, index) => {
      const organization = organizations[index % 5]!;
      return temporary.database.read(
        organization,
        (sql) => sql<{ id: number }[]>`
          select id, ${index}::integer as index ${sql.unsafe(`, ${round} as round`)} from notes`,
      );
    });
    const killed = owner`
      select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and state is not null and usename is not null
        and query like '%from notes%'`;
    const outcomes = await Promise.allSettled(asked);
    await killed;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") {
        expect(outcome.value).toMatchObject([{ id: index % 5 }]);
        answered++;
      } else {
        expect(String(outcome.reason)).toMatch(
          /CONNECTION|connection|terminating|EPIPE|ECONNRESET/,
        );
        lost++;
      }
    }
  }
  await owner.end();
  // The last of the lost may be noticed only by the next statement that is sent there.
  await expect.poll(() => visible(organizations[3]!)).toMatchObject([{ id: 3 }]);
  expect(answered).toBeGreaterThan(0);
  expect(lost).toBeGreaterThan(0);
});
