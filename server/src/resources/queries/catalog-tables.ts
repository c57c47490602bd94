/**
 * The workspace's tables as a query sees them: names are looked up in the catalog, their connectors
 * are opened, and each becomes a scan. One statement finds all tables of a query, one all of their
 * connectors.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import { Problem } from "../../platform/input/problem.ts";
import { SourceError } from "../../query/sources/source-error.ts";
import type { Warehouse } from "../../query/sources/warehouse.ts";
import type { SqlTable, TableName, TableReference, TableResolver } from "../../query/sql/query.ts";
import { type Connector, findConnectors, openWarehouse } from "../connectors/service.ts";
import { revisionHash, specOfSource } from "../tables/record.ts";
import { armOf, findTables, listTableNames } from "../tables/service.ts";
import { lastSegment } from "../workspaces/names.ts";
import {
  findRelationalCatalogs,
  findRelationalSchemas,
  listRelationalParents,
  type SchemaSource,
} from "../workspaces/service.ts";
import { DeferredScan } from "./deferred-scan.ts";
import { distinctNames, keyOf, meanings, type NameDefaults } from "./table-names.ts";
import { scanOf, type TableOrigin } from "./table-scan.ts";

/** For the names of all warehouses together: the lake's tables do not wait for a slow one. */
const NAMES_MS = 1_500;

export interface TablesScene {
  readonly services: Services;
  readonly auth: Pick<AuthedContext["auth"], "organizationId">;
}

export class CatalogTables implements TableResolver {
  readonly #services: Services;
  readonly #organizationId: string;
  readonly #defaults: NameDefaults;
  readonly #origins = new Map<string, TableOrigin>();
  #names: Promise<readonly TableName[]> | null = null;
  readonly #leftOut = new Map<string, string>();

  constructor({ services, auth }: TablesScene, defaults: NameDefaults) {
    this.#services = services;
    this.#organizationId = auth.organizationId;
    this.#defaults = defaults;
  }

  /** The tables that were read so far, by name. */
  get origins(): readonly TableOrigin[] {
    return [...this.#origins.values()].sort((a, b) => (keyOf(a.name) < keyOf(b.name) ? -1 : 1));
  }

  async resolve(references: readonly TableReference[]): Promise<readonly SqlTable[]> {
    const names = distinctNames(references.flatMap((each) => meanings(each, this.#defaults)));
    const origins = await this.define(names);
    const connectors = await this.connectors(origins);
    return origins.map((origin) => ({
      name: origin.name,
      source: new DeferredScan(() => {
        this.#origins.set(keyOf(origin.name), origin);
        return scanOf(this.#services, origin, connectorOf(origin, connectors));
      }),
    }));
  }

  /** Definitions of those of the names that there are. */
  async define(names: readonly TableName[]): Promise<readonly TableOrigin[]> {
    if (names.length === 0) return [];
    const { db } = this.#services;
    const id = this.#organizationId;
    const [tables, schemas, catalogs] = await Promise.all([
      findTables(db, id, names),
      findRelationalSchemas(db, id, names),
      findRelationalCatalogs(db, id, [...new Set(names.map(({ catalog }) => catalog))]),
    ]);
    return names.flatMap((name): TableOrigin[] => {
      const table = tables.find((each) => keyOf(each) === keyOf(name));
      if (table !== undefined) {
        const { spec, revision, revisionHash: hash } = table;
        return [{ name, spec, revision, revisionHash: hash }];
      }
      const schema = schemas.find(
        (each) => each.catalog === name.catalog && each.schema === name.schema,
      );
      if (schema !== undefined) return [ofSource(name, schema.source)];
      const catalog = catalogs.find((each) => each.catalog === name.catalog);
      if (catalog === undefined) return [];
      return [ofSource(name, { ...catalog.source, sourceSchema: name.schema })];
    });
  }

  /** The connectors of the tables, by the last segment of their names. */
  connectors(origins: readonly TableOrigin[]): Promise<ReadonlyMap<string, Connector>> {
    const names = origins.map(({ spec }) => lastSegment(armOf(spec).spec.connector));
    return findConnectors(this.#services.db, this.#organizationId, names);
  }

  /** Asked for once a query: a source that does not answer costs its time once. */
  names(signal: AbortSignal): Promise<readonly TableName[]> {
    this.#names ??= this.#allNames(signal);
    return this.#names;
  }

  leftOut(): readonly string[] {
    return [...this.#leftOut.values()];
  }

  async #allNames(signal: AbortSignal): Promise<readonly TableName[]> {
    const { db } = this.#services;
    const [defined, parents] = await Promise.all([
      listTableNames(db, this.#organizationId),
      listRelationalParents(db, this.#organizationId),
    ]);
    const used = [...parents.catalogs, ...parents.schemas].map(({ source }) => source.connector);
    const connectors = await findConnectors(db, this.#organizationId, used.map(lastSegment));
    // One clock for all, schemas and tables.
    const clock = AbortSignal.timeout(NAMES_MS);
    const namesAt = (name: string, list: (warehouse: Warehouse) => Promise<readonly string[]>) =>
      this.#namesAt(lastSegment(name), connectors.get(lastSegment(name)), list, signal, clock);
    const soon = AbortSignal.any([signal, clock]);
    const tablesOf = async ({ catalog, schema, source }: (typeof parents.schemas)[number]) => {
      const found = await namesAt(source.connector, (warehouse) =>
        warehouse.listTables(source.sourceCatalog, source.sourceSchema, soon),
      );
      return found.map((table) => ({ catalog, schema, table }));
    };
    // Each catalog goes on to its tables by itself: none waits for another's schemas.
    const tables = await Promise.all([
      ...parents.schemas.map(tablesOf),
      ...parents.catalogs.map(async ({ catalog, source }) => {
        const found = await namesAt(source.connector, (warehouse) =>
          warehouse.listSchemas(source.sourceCatalog, soon),
        );
        const within = found.map((schema) =>
          tablesOf({ catalog, schema, source: { ...source, sourceSchema: schema } }),
        );
        return (await Promise.all(within)).flat();
      }),
    ]);
    // Of the source's names only those can be said here that are names here.
    const sayable = (name: TableName): boolean => {
      const [meant] = meanings(name, this.#defaults);
      return meant !== undefined && keyOf(meant) === keyOf(name);
    };
    return distinctNames([...defined, ...tables.flat()].filter(sayable));
  }

  /** None where the warehouse cannot say, or not soon: the names of others are still worth telling. */
  async #namesAt(
    name: string,
    connector: Connector | undefined,
    list: (warehouse: Warehouse) => Promise<readonly string[]>,
    signal: AbortSignal,
    clock: AbortSignal,
  ): Promise<readonly string[]> {
    if (connector?.kind !== "warehouse") return [];
    try {
      return await list(await openWarehouse(this.#services, connector));
    } catch (error) {
      signal.throwIfAborted();
      if (!clock.aborted && !(error instanceof SourceError)) throw error;
      const why = clock.aborted
        ? `did not answer within ${NAMES_MS} ms`
        : `cannot be asked: ${error instanceof Error ? error.message : "it failed"}`;
      this.#leftOut.set(name, `The connector '${name}' ${why}; its tables are left out.`);
      return [];
    }
  }
}

/** @throws 400 where the table's connector is not there, or cannot serve it */
export function connectorOf(
  { name, spec }: TableOrigin,
  connectors: ReadonlyMap<string, Connector>,
): Connector {
  const table = keyOf(name);
  const { arm, spec: definition } = armOf(spec);
  const connector = connectors.get(lastSegment(definition.connector));
  if (connector === undefined) {
    throw new Problem(
      "bad-request",
      `The table ${table} reads through the connector '${definition.connector}', which does not exist.`,
    );
  }
  const wanted = arm === "listing" ? "objstore" : "warehouse";
  if (connector.kind === wanted) return connector;
  throw new Problem(
    "bad-request",
    arm === "listing"
      ? `The table ${table} lists files, but its connector '${definition.connector}' is a warehouse connector.`
      : `The table ${table} is relational, but its connector '${definition.connector}' is an object-store connector.`,
  );
}

const ofSource = (name: TableName, source: SchemaSource): TableOrigin => {
  const spec = specOfSource(source, name.table);
  return { name, spec, revision: 0, revisionHash: revisionHash(spec) };
};
