/** The file that a dataset's table is read from: of new datasets, and of those of older versions. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TableFile } from "@distillery/engine";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServices, type Services } from "../../api/services.ts";
import { createApp } from "../../app.ts";
import { parseConfig } from "../../platform/config.ts";
import { createLogger } from "../../platform/log.ts";
import { type DatasetRow, findDataset } from "./store.ts";
import { withTableFile } from "./table-file.ts";

const KEY = "a-key-of-these-tests";
const CSV = `x,color,y\n${Array.from({ length: 30 }, (_, i) => `${i / 2},${i % 3 ? "red" : "blue"},${i % 2}.0`).join("\n")}\n`;

const folder = await mkdtemp(join(tmpdir(), "distillery-tables-"));
let services: Services;
let app: FastifyInstance;
let organizationId: string;

beforeAll(async () => {
  const config = parseConfig({
    DISTILLERY_HOME: folder,
    DISTILLERY_API_KEY: KEY,
    DISTILLERY_WORKERS: "0",
  });
  services = await openServices(config, createLogger({ level: "silent" }), "server");
  ({ app } = await createApp(services));
  const headers = { authorization: `Bearer ${KEY}` };
  organizationId = (await app.inject({ url: "/v1/organization", headers })).json().id;
});
afterAll(async () => {
  await app.close();
  await services.close();
  await rm(folder, { recursive: true, force: true });
});

async function uploaded(to = app): Promise<DatasetRow> {
  const response = await to.inject({
    method: "POST",
    url: "/v1/datasets?name=d",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "text/csv" },
    payload: CSV,
  });
  expect(response.statusCode).toBe(200);
  return found(response.json().dataset_id);
}

async function found(id: string): Promise<DatasetRow> {
  const dataset = await findDataset(services.db, organizationId, id);
  if (dataset === null) throw new Error("the dataset is not there");
  return dataset;
}

/** As a version without such files left it. */
async function aged(dataset: DatasetRow): Promise<DatasetRow> {
  await services.db.systemQuery(
    (sql) => sql`update datasets set table_key = null where id = ${dataset.id}`,
  );
  await services.objects.delete(dataset.table_key ?? "");
  return found(dataset.id);
}

const config = {
  task: { taskKind: "binclass", labelColumn: "y", ignoreColumns: [] },
} as const;

async function planOf(dataset: DatasetRow): Promise<unknown> {
  const { runConfigSchema } = await import("@distillery/engine");
  return withTableFile({ services, organizationId, dataset }, (file) =>
    services.compute.plan({ file, config: runConfigSchema.parse(config) }, { organizationId }),
  );
}

const formatOf = async (file: TableFile) => file.format;

describe("a dataset's table", () => {
  it("is kept with what was sent, and goes with the dataset", async () => {
    const dataset = await uploaded();
    expect(await services.objects.head(dataset.object_key ?? "")).not.toBeNull();
    expect(await services.objects.head(dataset.table_key ?? "")).not.toBeNull();
    expect(await withTableFile({ services, organizationId, dataset }, formatOf)).toBe("stored");
    const url = `/v1/datasets/${dataset.id}`;
    await app.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${KEY}` } });
    expect(await services.objects.head(dataset.object_key ?? "")).toBeNull();
    expect(await services.objects.head(dataset.table_key ?? "")).toBeNull();
  });

  it("is made of an older version's dataset by its first use, and means the same", async () => {
    const dataset = await uploaded();
    const plan = await planOf(dataset);
    const old = await aged(dataset);
    // Two at once.
    expect(await Promise.all([planOf(old), planOf(old)])).toEqual([plan, plan]);
    const converted = await found(dataset.id);
    expect(converted.table_key).toBe(dataset.table_key);
    expect(await services.objects.head(converted.table_key ?? "")).not.toBeNull();
    expect(await planOf(converted)).toEqual(plan);
  });

  it("is not left behind where the dataset is deleted while it is made", async () => {
    const old = await aged(await uploaded());
    const objects = {
      async putFile(key: string, path: string) {
        await services.db.systemQuery((sql) => sql`delete from datasets where id = ${old.id}`);
        await services.objects.putFile(key, path);
      },
      delete: (key: string) => services.objects.delete(key),
    };
    const used = withTableFile(
      { services: { ...services, objects }, organizationId, dataset: old },
      formatOf,
    );
    await expect(used).rejects.toMatchObject({ status: 404 });
    expect(
      await services.objects.head((old.object_key ?? "").replace(/data$/, "table")),
    ).toBeNull();
  });

  it("is all that is kept where originals are not", async () => {
    const sparing = { ...services, config: { ...services.config, keepOriginals: false } };
    const { app: other } = await createApp(sparing);
    try {
      const dataset = await uploaded(other);
      expect(dataset.object_key).toBeNull();
      const kept: string[] = [];
      for await (const { key } of services.objects.list(
        `organizations/${organizationId}/datasets/${dataset.id}/`,
      ))
        kept.push(key);
      expect(kept).toEqual([dataset.table_key]);
      expect(await planOf(dataset)).toEqual(await planOf(await uploaded()));
    } finally {
      await other.close();
    }
  });
});
