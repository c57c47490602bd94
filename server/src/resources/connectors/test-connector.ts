/**
 * The tests of connectors: from the outside in, until something does not work. They use connections
 * of their own, so that what is reported is what a new connection meets, and change nothing.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { ObjectSource, SourceObject } from "../../query/sources/object-source.ts";
import { parseSourceUrl } from "../../query/sources/source-url.ts";
import type { Warehouse } from "../../query/sources/warehouse.ts";
import { CheckList, type CheckReport, TEST_MS } from "./check-report.ts";
import type { ObjectStoreConnector, WarehouseConnector } from "./connector.ts";
import { openOwnObjectSource, openOwnWarehouse } from "./open-sources.ts";

/** So much of the first object is read. */
const SAMPLE_BYTES = 1024;

export async function testObjectStore(
  { services, request }: AuthedContext,
  connector: ObjectStoreConnector,
): Promise<CheckReport> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TEST_MS)]);
  const checks = new CheckList(signal, services.log);
  const { url, endpoint, region } = connector.settings;
  let source: ObjectSource | null = null;
  const opened = (): ObjectSource => {
    if (source === null) throw new Error("it is opened by the step before");
    return source;
  };
  try {
    if (parseSourceUrl(url).scheme === "file") {
      await checks.step("address", async () => {
        source = await openOwnObjectSource(services, connector);
        return "The folder is there and allowed.";
      });
    } else {
      const server = new URL(endpoint ?? `https://s3.${region ?? "us-east-1"}.amazonaws.com`);
      await checks.step("address", () => reach(services, server, signal));
      await checks.step("credentials", async () => {
        source = await openOwnObjectSource(services, connector);
        await first(source.list(source.keyOf(url), signal));
        return connector.sealed === null
          ? "Anonymous requests are accepted."
          : "They are accepted.";
      });
    }
    let object: SourceObject | null = null;
    await checks.step("list", async () => {
      object = await first(opened().list(opened().keyOf(folderOf(url)), signal));
      return object === null ? "There are no objects yet." : "There are objects.";
    });
    await checks.step("read", async () => {
      if (object === null) return "There is nothing to read yet.";
      return await readSome(opened(), object, signal);
    });
    return checks.report;
  } finally {
    await (source as ObjectSource | null)?.close();
  }
}

/** @param url of a folder, perhaps without its slash */
const folderOf = (url: string): string => (url.endsWith("/") ? url : `${url}/`);

export async function testWarehouse(
  { services, request }: AuthedContext,
  connector: WarehouseConnector,
): Promise<CheckReport> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TEST_MS)]);
  const checks = new CheckList(signal, services.log);
  const { url, engine } = connector.settings;
  let warehouse: Warehouse | null = null;
  const opened = (): Warehouse => {
    if (warehouse === null) throw new Error("it is opened by the step before");
    return warehouse;
  };
  let version = "";
  try {
    await checks.step("address", () => reach(services, new URL(url), signal));
    await checks.step("login", async () => {
      warehouse = await openOwnWarehouse(services, connector);
      ({ version } = await warehouse.check(signal));
      return connector.sealed === null
        ? "It asks for no credentials."
        : "The credentials are accepted.";
    });
    await checks.step("version", async () => version);
    await checks.step("schemas", async () => {
      const schemas = await opened().listSchemas(catalogOf(engine, url), signal);
      return schemas.length === 1 ? "There is 1 schema." : `There are ${schemas.length} schemas.`;
    });
    return checks.report;
  } finally {
    await (warehouse as Warehouse | null)?.close();
  }
}

const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "postgres:": 5432,
  "postgresql:": 5432,
};

async function reach(services: Services, url: URL, signal: AbortSignal): Promise<string> {
  const port = Number(url.port) || PORTS[url.protocol] || 443;
  const socket = await services.outbound.connect(url.hostname, port, signal);
  socket.destroy();
  return `${url.hostname} accepts connections on port ${port}.`;
}

/** A catalog that there is: PostgreSQL's is the database, and every Trino has `system`. */
function catalogOf(engine: WarehouseConnector["settings"]["engine"], url: string): string {
  return engine === "postgres" ? decodeURIComponent(new URL(url).pathname.slice(1)) : "system";
}

async function first<Item>(items: AsyncIterable<Item>): Promise<Item | null> {
  for await (const item of items) return item;
  return null;
}

async function readSome(
  source: ObjectSource,
  object: SourceObject,
  signal: AbortSignal,
): Promise<string> {
  const length = Math.min(SAMPLE_BYTES, object.bytes);
  const bytes =
    source.readRange?.(object, { offset: 0, length }, signal) ?? source.read(object, signal);
  for await (const _chunk of bytes) break;
  return length === object.bytes
    ? `An object of ${length} bytes.`
    : `${length} bytes of an object.`;
}
