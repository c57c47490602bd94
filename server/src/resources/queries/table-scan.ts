/** A table's definition as a scan of its source. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Services } from "../../api/services.ts";
import { parseSchemaMessage } from "../../query/arrow/schema-message.ts";
import { discoverFiles } from "../../query/sql/listing/discovery.ts";
import { FileCache } from "../../query/sql/listing/file-cache.ts";
import { ListingScan } from "../../query/sql/listing/listing-scan.ts";
import type { DatasetTable, TableName } from "../../query/sql/query.ts";
import { RelationalScan } from "../../query/sql/relational/relational-scan.ts";
import type { ScanSource } from "../../query/sql/scan.ts";
import { type Connector, openObjectSource, openWarehouse } from "../connectors/service.ts";
import {
  armOf,
  type ListingTableSpec,
  type RelationalTableSpec,
  type TableSpec,
} from "../tables/service.ts";
import { keyOf } from "./table-names.ts";

/** What a name in a statement stands for. */
export type TableOrigin = DefinedTable | DatasetOrigin;

/** A dataset, by a name of the built-in catalog. */
export interface DatasetOrigin {
  readonly kind: "dataset";
  readonly name: TableName;
  readonly dataset: DatasetTable;
}

/** A table that a query read, as it was defined then. */
export interface DefinedTable {
  readonly kind: "table";
  readonly name: TableName;
  readonly spec: TableSpec;
  /** 0 where the warehouse defines it. */
  readonly revision: number;
  readonly revisionHash: string;
}

/** Which definition it was; a dataset, which never changes, is told by its content. */
export function revisionOf(origin: TableOrigin): {
  readonly revision: string;
  readonly revisionHash: string;
} {
  return origin.kind === "dataset"
    ? { revision: "0", revisionHash: origin.dataset.hash }
    : { revision: String(origin.revision), revisionHash: origin.revisionHash };
}

/** @param connector of the kind that the definition wants */
export async function scanOf(
  services: Services,
  { name, spec }: DefinedTable,
  connector: Connector,
): Promise<ScanSource> {
  const { arm, spec: definition } = armOf(spec);
  if (arm === "listing" && connector.kind === "objstore") {
    return listingScan(services, keyOf(name), definition, connector);
  }
  if (arm === "relational" && connector.kind === "warehouse") {
    return relationalScan(services, keyOf(name), definition, connector);
  }
  throw new TypeError(`the connector of ${keyOf(name)} is of the wrong kind`);
}

const schemaOf = (message: { readonly ipcMessage: string } | null | undefined) =>
  message == null ? null : parseSchemaMessage(message.ipcMessage);

async function listingScan(
  services: Services,
  tableName: string,
  { tablePaths, snapshot }: ListingTableSpec,
  connector: Extract<Connector, { kind: "objstore" }>,
): Promise<ScanSource> {
  const [objects, cache] = await Promise.all([
    openObjectSource(services, connector),
    sourceFiles(services),
  ]);
  const options = snapshot?.options ?? null;
  return new ListingScan({
    tableName,
    objects,
    paths: tablePaths,
    fileSchema: schemaOf(snapshot?.fileSchema),
    options: options && {
      fileType: options.fileType,
      formatOptions: options.formatOptions,
      fileExtension: options.fileExtension,
      partitionSchema: schemaOf(options.tablePartitionSchema),
    },
    cache,
  });
}

async function relationalScan(
  services: Services,
  tableName: string,
  definition: RelationalTableSpec,
  connector: Extract<Connector, { kind: "warehouse" }>,
): Promise<ScanSource> {
  const { sourceCatalog, sourceSchema, sourceTable, snapshot } = definition;
  return new RelationalScan({
    tableName,
    warehouse: await openWarehouse(services, connector),
    table: { catalog: sourceCatalog, schema: sourceSchema, table: sourceTable },
    schema: schemaOf(snapshot?.schema),
  });
}

/** What the files of a listing table are now, as a hash of their versions; null of a warehouse. */
export async function filesIdentity(
  services: Services,
  { name, spec }: DefinedTable,
  connector: Connector,
  signal: AbortSignal,
): Promise<string | null> {
  const { arm, spec: definition } = armOf(spec);
  if (arm !== "listing" || connector.kind !== "objstore") return null;
  const source = await openObjectSource(services, connector);
  const suffix = definition.snapshot?.options?.fileExtension ?? "";
  const { files } = await discoverFiles(source, keyOf(name), definition.tablePaths, suffix, signal);
  const hash = createHash("sha256");
  for (const { object } of files) {
    hash.update(JSON.stringify([object.key, object.version, object.bytes]));
  }
  return hash.digest("hex");
}

type CacheRooms = Pick<Services, "compute">;
const opened = new WeakMap<Services["compute"], Promise<FileCache>>();

/** The bounded cache of files that queries of this process read. */
export function sourceFiles({ compute }: CacheRooms): Promise<FileCache> {
  let cache = opened.get(compute);
  if (cache === undefined) {
    cache = FileCache.open({ folder: join(compute.cacheFolder, "sources") });
    // A folder that could not be made may be made the next time.
    cache.catch(() => opened.delete(compute));
    opened.set(compute, cache);
  }
  return cache;
}
