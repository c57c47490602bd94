import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { SessionLostError } from "./pool.ts";
import { connect, errorCode } from "./sql.ts";

const ALICE = "00000000-0000-4000-8000-00000000000a";
const BOB = "00000000-0000-4000-8000-00000000000b";

let temporary: TemporaryDatabase;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const owner = connect(temporary.address, { max: 1 });
  await owner.unsafe(`
    create table notes (id integer primary key, organization_id uuid not null, body text);
    call protect('notes');
    insert into notes values (1, '${ALICE}', 'a'), (2, '${BOB}', 'b')`);
  await owner.end();
});
afterAll(() => temporary.close());

const bodies = (organization: string) =>
  temporary.database.query(organization, (sql) => sql<{ body: string }[]>`select body from notes`);

describe("row-level security", () => {
  test("an organization reads its own rows alone, by statement and by transaction", async () => {
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
    expect([...(await bodies(BOB))]).toEqual([{ body: "b" }]);
    const rows = await temporary.database.forOrganization(
      ALICE,
      (sql) => sql`select body from notes`,
    );
    expect([...rows]).toEqual([{ body: "a" }]);
  });

  test("an organization cannot change, delete or plant another's rows", async () => {
    const { database } = temporary;
    const changed = await database.query(
      ALICE,
      (sql) => sql`update notes set body = 'x' where id = 2`,
    );
    expect(changed.count).toBe(0);
    const deleted = await database.query(ALICE, (sql) => sql`delete from notes where id = 2`);
    expect(deleted.count).toBe(0);
    const planted = database.query(ALICE, (sql) => sql`insert into notes values (3, ${BOB}, 'x')`);
    await expect(planted).rejects.toThrow(/row-level security/);
    const moved = database.query(ALICE, (sql) => sql`update notes set organization_id = ${BOB}`);
    await expect(moved).rejects.toThrow(/row-level security/);
    expect([...(await bodies(BOB))]).toEqual([{ body: "b" }]);
  });

  test("the setting ends with its transaction, on every session", async () => {
    const { database } = temporary;
    await Promise.all(Array.from({ length: 20 }, () => bodies(ALICE)));
    const settings = await Promise.all(
      Array.from({ length: 20 }, () =>
        database.systemQuery((sql) => sql`select current_organization_id() as organization`),
      ),
    );
    expect(settings.every(([row]) => row?.["organization"] === null)).toBe(true);
  });

  test("the roles are neither superusers nor exempt", async () => {
    const [app] = await temporary.database.query(
      ALICE,
      (sql) =>
        sql`select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user`,
    );
    expect(app).toEqual({ rolname: "distillery_app", rolsuper: false, rolbypassrls: false });
  });

  test("the system sees every organization's rows", async () => {
    const [row] = await temporary.database.systemQuery((sql) => sql`select count(*) from notes`);
    expect(row).toEqual({ count: 2 });
  });

  test("an organization id that is not a UUID never reaches the server", async () => {
    await expect(bodies("x'; drop table notes; --")).rejects.toThrow(TypeError);
  });

  test("every table with an organization is protected", async () => {
    const rows = await temporary.database.systemQuery(
      (sql) => sql`
        select c.relname from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
        where n.nspname = 'distillery' and c.relkind in ('r', 'p')
          and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect([...rows]).toEqual([]);
  });
});

describe("transactions", () => {
  test("roll back when the work rejects, and the session is usable after", async () => {
    const { database } = temporary;
    const failed = database.forOrganization(ALICE, async (sql) => {
      await sql`insert into notes values (10, ${ALICE}, 'gone')`;
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
  });

  test("a failed statement whose error was caught cannot commit silently", async () => {
    const failed = temporary.database.forOrganization(ALICE, async (sql) => {
      await sql`insert into notes values (11, ${ALICE}, 'gone')`;
      await expect(Promise.resolve(sql`select 1 / 0`)).rejects.toThrow(/division by zero/);
    });
    await expect(failed).rejects.toThrow(/rolled back/);
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
  });

  test("a failed single statement leaves nothing behind and the session usable", async () => {
    const { database } = temporary;
    const failed = database.query(ALICE, (sql) => sql`select ${1}::integer / 0`);
    await expect(failed).rejects.toMatchObject({ code: "22012" });
    const thrown = database.query(ALICE, () => {
      throw new Error("never sent");
    });
    await expect(thrown).rejects.toThrow("never sent");
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
  });

  test("statements after the end are refused", async () => {
    let kept: (() => unknown) | undefined;
    await temporary.database.forOrganization(ALICE, async (sql) => {
      kept = () => sql`select 1`;
    });
    expect(kept).toThrow(/after its transaction had ended/);
  });

  test("more callers than sessions wait their turn", async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        temporary.database.forOrganization(ALICE, async (sql) => {
          const [row] = await sql<{ value: number }[]>`select ${index}::integer as value`;
          return row?.value;
        }),
      ),
    );
    expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test("int8 is a number, and an error beyond 2^53", async () => {
    const { database } = temporary;
    const [row] = await database.systemQuery((sql) => sql`select 9007199254740991 as value`);
    expect(row).toEqual({ value: Number.MAX_SAFE_INTEGER });
    const beyond = database.systemQuery((sql) => sql`select 9007199254740993 as value`);
    await expect(beyond).rejects.toThrow(/beyond 2\^53/);
  });
});

describe("a lost connection", () => {
  test("ends its transaction, runs nothing on the next connection, and later callers go on", async () => {
    const { database, address } = temporary;
    const owner = connect(address, { max: 1 });
    const failed = database.system(async (sql) => {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await sql`insert into notes values (20, ${ALICE}, 'lost')`;
      await owner`select pg_terminate_backend(${row!.pid})`;
      const outcome = async (): Promise<unknown> => {
        try {
          return await sql`select 1`;
        } catch (error) {
          return error;
        }
      };
      await expect.poll(outcome).toBeInstanceOf(SessionLostError);
      await sql`insert into notes values (21, ${ALICE}, 'after')`;
    });
    await expect(failed).rejects.toThrow(/connection to the database was lost/);
    await owner.end();
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
    for (let index = 0; index < 12; index++) {
      await database.system((sql) => sql`select 1`);
    }
  });

  test("in mid-statement is an error of that statement", async () => {
    const { database } = temporary;
    let pid = 0;
    const failed = database.forOrganization(ALICE, async (sql) => {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      pid = row!.pid;
      await sql`select pg_sleep(10)`;
    });
    const caught = failed.then(
      () => undefined,
      (error: unknown) => error,
    );
    while (pid === 0) await delay(5);
    const owner = connect(temporary.address, { max: 1 });
    await owner`select pg_terminate_backend(${pid})`;
    await owner.end();
    expect(errorCode(await caught)).toMatch(/57P01|CONNECTION_CLOSED/);
    expect([...(await bodies(ALICE))]).toEqual([{ body: "a" }]);
  });
});
