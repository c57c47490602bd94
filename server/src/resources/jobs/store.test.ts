/** What a list of jobs can be asked for, over a real database. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import type { JobRow } from "./job.ts";
import { insertJob, type JobFilter, listJobs } from "./store.ts";

let temporary: TemporaryDatabase;
const mine = randomUUID();
const bikes = randomUUID();
const houses = randomUUID();

/** In the order of their creation, a day apart. */
const JOBS = [
  { name: "bikes 1", kind: "a", dataset: bikes, tags: { team: "a", run: 1 } },
  { name: "bikes 2", kind: "b", dataset: bikes, tags: { team: "b", run: 2, final: true } },
  { name: "bikes_x", kind: "a", dataset: bikes, tags: {} },
  { name: "houses", kind: "b", dataset: houses, tags: { team: "a", note: "1", "a:b": "x" } },
  { name: "bikes of another list", kind: "c", dataset: bikes, tags: { team: "a" } },
];

async function fill(organizationId: string): Promise<void> {
  for (const [day, { name, kind, dataset, tags }] of JOBS.entries()) {
    const id = randomUUID();
    await temporary.database.forOrganization(organizationId, async (sql) => {
      await insertJob<JobRow>(sql, organizationId, kind, {
        id,
        name,
        tags,
        datasets: [dataset],
        request: {},
        details: {},
      });
      const at = `2030-01-0${day + 1}T00:00:00Z`;
      await sql`update jobs set created_at = ${at}::timestamptz where id = ${id}`;
    });
  }
}

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await fill(mine);
  await fill(randomUUID());
});
afterAll(() => temporary.close());

const tag = (key: string, value: string | null = null) => ({ key, value });
const prefix = (text: string) => ({ text, isPrefix: true });

const cases: [string, JobFilter, string[]][] = [
  ["nothing", {}, ["houses", "bikes_x", "bikes 2", "bikes 1"]],
  ["a name", { name: { text: "bikes 1", isPrefix: false } }, ["bikes 1"]],
  ["a name's beginning", { name: prefix("bikes") }, ["bikes_x", "bikes 2", "bikes 1"]],
  ["a beginning with signs of patterns", { name: prefix("bikes_") }, ["bikes_x"]],
  ["a beginning in another case", { name: prefix("Bikes") }, []],
  ["a tag", { tags: [tag("team")] }, ["houses", "bikes 2", "bikes 1"]],
  ["a tag's value", { tags: [tag("team", "a")] }, ["houses", "bikes 1"]],
  ["two tags", { tags: [tag("team", "a"), tag("run")] }, ["bikes 1"]],
  ["a number as a tag", { tags: [tag("run", "2")] }, ["bikes 2"]],
  ["a text that looks like a number", { tags: [tag("note", "1")] }, ["houses"]],
  ["a boolean as a tag", { tags: [tag("final", "true")] }, ["bikes 2"]],
  ["a tag that nobody has", { tags: [tag("team", "c")] }, []],
  ["a dataset", { datasetId: houses }, ["houses"]],
  ["a beginning in time", { createdFrom: "2030-01-03T00:00:00Z" }, ["houses", "bikes_x"]],
  ["an end in time", { createdBefore: "2030-01-02T01:00:00+01:00" }, ["bikes 1"]],
  [
    "all of it",
    {
      status: "pending",
      name: prefix("b"),
      tags: [tag("team")],
      datasetId: bikes,
      createdFrom: "2030-01-02T00:00:00Z",
      createdBefore: "2030-01-03T00:00:00Z",
    },
    ["bikes 2"],
  ],
];
it.each(cases)("jobs are found by %s", async (_, filter, names) => {
  const page = { limit: 10, after: null };
  const found = await listJobs(temporary.database, mine, ["a", "b"], filter, page);
  expect(found.map(({ name }) => name)).toEqual(names);
});
