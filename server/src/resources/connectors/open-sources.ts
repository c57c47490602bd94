/**
 * What connectors lead to, opened. Kept by connector and revision, so that a change of the
 * connector opens it anew and queries of the same connector share connections.
 */

import type { Services } from "../../api/services.ts";
import type { Outbound } from "../../platform/net/outbound.ts";
import { FileSource } from "../../query/sources/file-source.ts";
import type { ObjectSource } from "../../query/sources/object-source.ts";
import { parseSourceUrl } from "../../query/sources/source-url.ts";
import type { Warehouse } from "../../query/sources/warehouse.ts";
import type { WarehouseSettings } from "../../query/sources/warehouse-settings.ts";
import type { Engine, ObjectStoreConnector, WarehouseConnector } from "./connector.ts";
import { openCredentials } from "./credentials.ts";
import { SharedWarehouse } from "./shared-warehouse.ts";

/** Connections that nobody uses end after this long. */
const IDLE_MS = 60_000;
/** The connectors that were used last stay open; more than these are opened again when needed. */
const KEPT = 200;

/** Which services it takes to open them. */
export type SourceServices = Pick<Services, "config" | "outbound" | "sealer">;

interface Kept<Source> {
  readonly revision: number;
  readonly source: Source;
  /** Ends it, whoever uses it. */
  readonly end: () => Promise<void>;
}

class OpenSources {
  readonly objects = new Map<string, Kept<ObjectSource>>();
  readonly warehouses = new Map<string, Kept<SharedWarehouse>>();
}

const opened = new WeakMap<SourceServices, OpenSources>();

function sourcesOf(services: SourceServices): OpenSources {
  let sources = opened.get(services);
  if (sources === undefined) {
    sources = new OpenSources();
    opened.set(services, sources);
  }
  return sources;
}

/**
 * Shared; closing it is not needed and does nothing.
 *
 * @throws SourceUrlError where the operator does not allow its folder any more
 * @throws SourceError
 */
export async function openObjectSource(
  services: SourceServices,
  connector: ObjectStoreConnector,
): Promise<ObjectSource> {
  const { objects } = sourcesOf(services);
  const kept = objects.get(connector.id);
  if (kept?.revision === connector.revision) {
    touch(objects, connector.id, kept);
    return kept.source;
  }
  const own = await openOwnObjectSource(services, connector);
  const source = shared(own);
  // A folder is looked at anew each time: opening it costs little, and it can be moved or replaced.
  if (source.identity !== "file://") {
    const { revision } = connector;
    touch(objects, connector.id, { revision, source, end: () => own.close() });
    // Not ended: somebody may be reading, and connections that nobody uses end by themselves.
    for (const id of [...objects.keys()].slice(0, -KEPT)) objects.delete(id);
  }
  return source;
}

/** Not shared: whoever opens it closes it. @throws as `openObjectSource` */
export async function openOwnObjectSource(
  services: SourceServices,
  connector: ObjectStoreConnector,
): Promise<ObjectSource> {
  const { url, endpoint, region, path_style } = connector.settings;
  if (parseSourceUrl(url).scheme === "file") {
    return await FileSource.open(url, services.config.fileRoots);
  }
  const credentials = openCredentials(services.sealer, "objstore", connector);
  // The SDK takes a while to load.
  const { S3Source } = await import("../../query/sources/s3-source.ts");
  return new S3Source(
    {
      url,
      endpoint,
      region,
      pathStyle: path_style,
      credentials: credentials && {
        accessKeyId: credentials.access_key_id,
        secretAccessKey: credentials.secret_access_key,
        ...(credentials.session_token !== undefined && { sessionToken: credentials.session_token }),
      },
    },
    services.outbound,
  );
}

/**
 * Shared; closing it is not needed and does nothing.
 *
 * @throws SourceUrlError
 * @throws SourceError where its credentials do not open any more
 */
export async function openWarehouse(
  services: SourceServices,
  connector: WarehouseConnector,
): Promise<Warehouse> {
  const { warehouses } = sourcesOf(services);
  const open = await opener(connector.settings.engine);
  const kept = warehouses.get(connector.id);
  if (kept?.revision === connector.revision) {
    touch(warehouses, connector.id, kept);
    return kept.source;
  }
  const settings = settingsOf(services, connector);
  const source = new SharedWarehouse(
    settings.cacheScope,
    () => open(settings, services.outbound),
    IDLE_MS,
  );
  const end = () => source.retire();
  touch(warehouses, connector.id, { revision: connector.revision, source, end });
  const excess = [...warehouses].slice(0, -KEPT);
  for (const [id] of excess) warehouses.delete(id);
  await endAll([...excess.map(([, one]) => one), ...(kept ? [kept] : [])]);
  return source;
}

/** Not shared: whoever opens it closes it. @throws as `openWarehouse` */
export async function openOwnWarehouse(
  services: SourceServices,
  connector: WarehouseConnector,
): Promise<Warehouse> {
  const open = await opener(connector.settings.engine);
  return open(settingsOf(services, connector), services.outbound);
}

/** Whether a warehouse of this engine can have this URL. @throws SourceUrlError */
export async function checkWarehouseUrl(
  services: SourceServices,
  engine: Engine,
  url: string,
): Promise<void> {
  const open = await opener(engine);
  // Nothing connects before it is asked for something.
  await open({ url, credentials: null, cacheScope: "" }, services.outbound).close();
}

/** Ends all connections that are kept; for the end of the service. */
export async function closeSources(services: SourceServices): Promise<void> {
  const sources = opened.get(services);
  opened.delete(services);
  if (sources === undefined) return;
  await endAll([...sources.objects.values(), ...sources.warehouses.values()]);
}

function settingsOf(services: SourceServices, connector: WarehouseConnector): WarehouseSettings {
  const credentials = openCredentials(services.sealer, "warehouse", connector);
  return {
    url: connector.settings.url,
    credentials: credentials && {
      ...(credentials.username !== undefined && { username: credentials.username }),
      ...(credentials.password !== undefined && { password: credentials.password }),
      ...(credentials.token !== undefined && { token: credentials.token }),
    },
    cacheScope: `${connector.id}:${connector.revision}`,
  };
}

type Open = (settings: WarehouseSettings, outbound: Outbound) => Warehouse;

async function opener(engine: Engine): Promise<Open> {
  switch (engine) {
    case "postgres":
      return (await import("../../query/sources/postgres/warehouse.ts")).openPostgresWarehouse;
    case "trino":
      return (await import("../../query/sources/trino/warehouse.ts")).openTrinoWarehouse;
  }
}

/** As the one that was used last. */
function touch<Source>(map: Map<string, Kept<Source>>, id: string, kept: Kept<Source>): void {
  map.delete(id);
  map.set(id, kept);
}

/** Connections to what is no longer wanted may fail as they end. */
async function endAll(kept: readonly Kept<unknown>[]): Promise<void> {
  await Promise.allSettled(kept.map(({ end }) => end()));
}

/** The source without its end, which is not the borrower's. */
function shared(source: ObjectSource): ObjectSource {
  return {
    identity: source.identity,
    cacheScope: source.cacheScope,
    keyOf: (url) => source.keyOf(url),
    list: (prefix, signal) => source.list(prefix, signal),
    head: (key, signal) => source.head(key, signal),
    read: (object, signal) => source.read(object, signal),
    ...(source.readRange && { readRange: source.readRange.bind(source) }),
    ...(source.linkTo && { linkTo: source.linkTo.bind(source) }),
    close: async () => undefined,
  };
}
