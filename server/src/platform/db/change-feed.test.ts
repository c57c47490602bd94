import { afterAll, beforeAll, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { ChangeFeed } from "./change-feed.ts";
import { RememberedRows } from "./remembered-rows.ts";
import { connect } from "./sql.ts";

const ALICE = "00000000-0000-4000-8000-00000000000a";
const BOB = "00000000-0000-4000-8000-00000000000b";
const MODEL = "00000000-0000-4000-8000-0000000000aa";
const LOCK = 0x646d6f64;

let temporary: TemporaryDatabase;
const feeds: ChangeFeed[] = [];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(async () => {
  await Promise.all(feeds.map((feed) => feed.close()));
  await temporary.close();
});

async function newFeed(onLost: (error: unknown) => void = () => undefined): Promise<ChangeFeed> {
  const channel = "distillery_model_changes";
  const feed = new ChangeFeed(temporary.database, { channel, lock: LOCK, onLost });
  feeds.push(feed);
  await feed.open();
  return feed;
}

/** Rows whose finding is counted. */
function counted(feed: ChangeFeed) {
  const rows = new RememberedRows<{ readonly count: number }>(feed);
  let count = 0;
  return (organization: string, key = "key") =>
    rows.get(organization, key, async () => ({ count: ++count }));
}

test("what is remembered is forgotten in every process before a change is settled", async () => {
  const [one, other] = [await newFeed(), await newFeed()];
  const [ofOne, ofOther] = [counted(one), counted(other)];
  expect([await ofOne(ALICE), await ofOne(ALICE)]).toEqual([{ count: 1 }, { count: 1 }]);
  await ofOther(ALICE);
  await ofOther(BOB);
  expect(await ofOther(ALICE)).toEqual({ count: 1 });
  await notify(`changed ${ALICE}`);
  await one.settled();
  expect(await ofOne(ALICE)).toEqual({ count: 2 });
  expect(await ofOther(ALICE)).toEqual({ count: 3 });
  // Of another organization nothing was changed.
  expect(await ofOther(BOB)).toEqual({ count: 2 });
});

test("what changes while it is looked up is not remembered", async () => {
  const feed = await newFeed();
  const rows = new RememberedRows<{ readonly is: string }>(feed);
  const old = await rows.get(ALICE, "key", async () => {
    const row = { is: "old" };
    await notify(`changed ${ALICE}`);
    await feed.settled();
    return row;
  });
  expect(old).toEqual({ is: "old" });
  expect(await rows.get(ALICE, "key", async () => ({ is: "new" }))).toEqual({ is: "new" });
});

test("names, aliases, states and deletions of models and endpoints are told; other writing is not", async () => {
  const feed = await newFeed();
  const told: (string | null)[] = [];
  feed.watch((organization) => told.push(organization));
  const tells = async (statement: string): Promise<readonly (string | null)[]> => {
    await temporary.database.forOrganization(ALICE, (sql) => sql.unsafe(statement).simple());
    await feed.settled();
    return told.splice(0);
  };
  expect(
    await tells(`
      insert into models (id, organization_id, job_id, dataset_id, name, status, task)
      values ('${MODEL}', '${ALICE}', '${MODEL}', '${MODEL}', 'm', 'running', '{}')`),
  ).toEqual([]);
  expect(await tells(`update models set notes = 'n'`)).toEqual([]);
  expect(await tells(`update models set status = 'completed'`)).toEqual([ALICE]);
  expect(await tells(`update models set registered_name = 'm', version = 1`)).toEqual([ALICE]);
  const alias = `insert into model_aliases (organization_id, name, alias, model_id)
    values ('${ALICE}', 'm', 'best', '${MODEL}')`;
  expect(await tells(alias)).toEqual([ALICE]);
  expect(await tells(`update model_aliases set alias = 'good'`)).toEqual([ALICE]);
  expect(await tells("delete from model_aliases")).toEqual([ALICE]);
  const endpoint = `
    insert into serving_endpoints (id, organization_id, name, models, slots, model_references)
    values ('${MODEL}', '${ALICE}', 'e', '[]', '[]', '{}')`;
  expect(await tells(endpoint)).toEqual([ALICE]);
  expect(await tells("update serving_endpoints set revision = 2")).toEqual([ALICE]);
  expect(await tells("delete from serving_endpoints")).toEqual([ALICE]);
  expect(await tells("delete from models")).toEqual([ALICE]);
});

test("without its connection nothing is remembered", async () => {
  let lost = (): void => undefined;
  const isLost = new Promise<void>((resolve) => {
    lost = resolve;
  });
  const feed = await newFeed(() => lost());
  const found = counted(feed);
  await found(ALICE);
  expect(await found(ALICE)).toEqual({ count: 1 });
  const owner = connect(temporary.address, { max: 1 });
  await owner`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and classid = ${LOCK} and objid = 1`;
  await owner.end();
  await isLost;
  expect([await found(ALICE), await found(ALICE)]).toEqual([{ count: 2 }, { count: 3 }]);
});

test("a process that does not confirm is waited for as long as its lease, and no longer", async () => {
  const silent = await temporary.database.session({ onLost: () => undefined });
  await silent.sql.unsafe(`select pg_advisory_lock_shared(${LOCK}, 1)`);
  const feed = await newFeed();
  const found = counted(feed);
  await found(ALICE);
  await notify(`changed ${ALICE}`);
  await feed.settled();
  await silent.end();
  expect(await found(ALICE)).toEqual({ count: 2 });
});

const notify = (payload: string) =>
  temporary.database.systemQuery(
    (sql) => sql`select pg_notify('distillery_model_changes', ${payload})`,
  );
