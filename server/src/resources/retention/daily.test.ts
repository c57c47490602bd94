/** Retention by the clock: due organizations once a day, by one process, over records as old as they say. */

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openServices, type Services } from "../../api/services.ts";
import { ALL_KINDS, JOB_KINDS } from "../../kinds.ts";
import { parseConfig } from "../../platform/config.ts";
import { createLogger } from "../../platform/log.ts";
import { ownerPrefix } from "../../platform/objects/holds.ts";
import { prepareHome } from "../../testing/prepared-home.ts";
import { measureJobs } from "../jobs/measure.ts";
import { applyDue } from "./daily.ts";
import { NO_RULES, saveRules } from "./store.ts";

const MINE = randomUUID();
const OTHER = randomUUID();
let services: Services;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "distillery-retention-"));
  await prepareHome(home);
  const config = parseConfig({ DISTILLERY_HOME: home, DISTILLERY_WORKERS: "0" });
  services = await openServices(config, createLogger({ level: "silent" }), "server");
});
afterAll(async () => {
  await services.close();
  await rm(home, { recursive: true, force: true });
});

async function dataset(organizationId: string, daysAgo: number): Promise<string> {
  const id = randomUUID();
  const key = `${ownerPrefix(organizationId, "datasets", id)}table`;
  await services.objects.put(key, Buffer.from("x"));
  await services.db.systemQuery(
    (sql) => sql`
      insert into datasets (id, organization_id, name, format, table_key, rows, bytes, hash, source,
                            columns, profile, warnings, created_at)
      values (${id}, ${organizationId}, 'd', 'csv', ${key}, 1, 1, '', '{}', '[]', '[]', '[]',
              now() - make_interval(days => ${daysAgo}))`,
  );
  return id;
}

const setRules = (organizationId: string, days: number | null) =>
  services.db.forOrganization(organizationId, (sql) =>
    saveRules(sql, organizationId, { ...NO_RULES, unused_dataset_days: days }),
  );

const left = async (): Promise<readonly string[]> => {
  const rows = await services.db.systemQuery(
    (sql) => sql<{ id: string }[]>`select id from datasets`,
  );
  return rows.map(({ id }) => id).sort();
};

const turnClock = (hours: number) =>
  services.db.systemQuery(
    (sql) => sql`
      update retention_rules set applied_at = applied_at - make_interval(hours => ${hours})`,
  );

it("each organization's rules are applied once a day, by one of several processes", async () => {
  const old = await dataset(MINE, 11);
  const young = await dataset(MINE, 9);
  const theirs = await dataset(OTHER, 11);
  await setRules(MINE, 10);
  await setRules(OTHER, null);
  const counts = await Promise.all([1, 2, 3].map(() => applyDue(services, ALL_KINDS)));
  expect(counts.sort()).toEqual([0, 0, 1]);
  expect(await left()).toEqual([young, theirs].sort());
  const folder = ownerPrefix(MINE, "datasets", old);
  for await (const { key } of services.objects.list(folder)) expect.fail(`${key} is left`);

  const late = await dataset(MINE, 12);
  await turnClock(23);
  expect(await applyDue(services, ALL_KINDS)).toBe(0);
  expect(await left()).toContain(late);
  await turnClock(1);
  expect(await applyDue(services, ALL_KINDS)).toBe(1);
  expect(await left()).toEqual([young, theirs].sort());
});

it("what ended jobs keep is measured once, as it lies in the object store", async () => {
  const id = randomUUID();
  const folder = ownerPrefix(MINE, "evaluations", id);
  await services.objects.put(`${folder}a`, Buffer.from("12345"));
  await services.objects.put(`${folder}b`, Buffer.from("678"));
  await services.db.systemQuery(
    (sql) => sql`
      insert into jobs (id, organization_id, kind, status, request)
      values (${id}, ${MINE}, 'evaluation', 'completed', '{}')`,
  );
  const bytes = async () =>
    await services.db.systemQuery(
      (sql) => sql`select kind, bytes from organization_usage(${MINE}) where kind = 'jobs'`,
    );
  expect(await bytes()).toEqual([{ kind: "jobs", bytes: 0 }]);
  await measureJobs(services, JOB_KINDS);
  expect(await bytes()).toEqual([{ kind: "jobs", bytes: 8 }]);
});
