import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../platform/config.ts";
import { GuardedOutbound } from "../../platform/net/guarded-outbound.ts";
import { Sealer } from "../../platform/secrets/seal.ts";
import { SecretKey } from "../../platform/secrets/secret-key.ts";
import { SourceUrlError } from "../../query/sources/source-error.ts";
import type { ObjectStoreConnector, WarehouseConnector } from "./connector.ts";
import { sealCredentials } from "./credentials.ts";
import {
  checkWarehouseUrl,
  closeSources,
  openObjectSource,
  openOwnObjectSource,
  openWarehouse,
} from "./open-sources.ts";

const folder = await mkdtemp(`${tmpdir()}/distillery-open-`);
const outbound = new GuardedOutbound({ allowPrivateNetwork: false });
const services = {
  config: parseConfig({ DISTILLERY_FILE_ROOTS: folder }),
  outbound,
  sealer: new Sealer(new SecretKey("k".repeat(32))),
};
afterAll(async () => {
  await closeSources(services);
  await outbound.close();
  await rm(folder, { recursive: true, force: true });
});

const base = () => ({
  organizationId: randomUUID(),
  id: randomUUID(),
  name: "name",
  credentialName: "",
  sealed: null,
  revision: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

function lake(url = "s3://bucket/data/"): ObjectStoreConnector {
  const owner = base();
  const credentials = { access_key_id: "id", secret_access_key: "secret" };
  const settings = { url, endpoint: null, region: null, path_style: null };
  const sealed = sealCredentials(services.sealer, owner, credentials);
  return { ...owner, sealed, kind: "objstore", settings };
}

const shop = (engine: "postgres" | "trino", url: string): WarehouseConnector => ({
  ...base(),
  kind: "warehouse",
  settings: { engine, url },
});

describe("open sources", () => {
  test("are shared until the connector changes", async () => {
    const connector = lake();
    const source = await openObjectSource(services, connector);
    expect(source.identity).toBe("s3://bucket");
    expect(source.keyOf("s3://bucket/data/x")).toBe("data/x");
    expect(await openObjectSource(services, connector)).toBe(source);
    await source.close();
    const changed = { ...connector, revision: 2 };
    const next = await openObjectSource(services, changed);
    expect(next).not.toBe(source);
    expect(await openObjectSource(services, changed)).toBe(next);
    expect(await openOwnObjectSource(services, changed)).not.toBe(next);
    expect(await openObjectSource(services, { ...lake() })).not.toBe(next);
  });

  test.each([
    ["postgres", "postgres://db.example.com/sales"],
    ["trino", "https://trino.example.com"],
  ] as const)("of %s too, and each revision has its own caches", async (engine, url) => {
    const connector = shop(engine, url);
    const warehouse = await openWarehouse(services, connector);
    expect(await openWarehouse(services, connector)).toBe(warehouse);
    const next = await openWarehouse(services, { ...connector, revision: 2 });
    expect(next).not.toBe(warehouse);
    expect(next.cacheScope).not.toBe(warehouse.cacheScope);
    await expect(checkWarehouseUrl(services, engine, url)).resolves.toBeUndefined();
    await expect(checkWarehouseUrl(services, engine, "nowhere")).rejects.toThrow(SourceUrlError);
  });

  test("of folders follow what the operator allows now", async () => {
    const connector = lake(`file://${folder}/`);
    expect((await openObjectSource(services, connector)).identity).toBe("file://");
    const narrower = { ...services, config: parseConfig({}) };
    await expect(openObjectSource(narrower, connector)).rejects.toThrow(SourceUrlError);
  });

  test("no more of them stay open than are used", async () => {
    const first = lake();
    const source = await openObjectSource(services, first);
    for (let count = 0; count < 200; count++) await openObjectSource(services, lake());
    expect(await openObjectSource(services, first)).not.toBe(source);
    const last = lake();
    const kept = await openObjectSource(services, last);
    expect(await openObjectSource(services, last)).toBe(kept);
    await closeSources(services);
    expect(await openObjectSource(services, last)).not.toBe(kept);
  });
});
