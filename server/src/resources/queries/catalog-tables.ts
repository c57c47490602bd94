/**
 * The workspace's tables as a query sees them: names are looked up in the catalog, their connectors
 * are opened, and each becomes a scan. One statement finds all tables of a query, one all of their
 * connectors. What the organization did not define may be a dataset, of the built-in catalog.
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
import { DATASETS, isDatasetName, NamedDatasets } from "./named-datasets.ts";
import { distinctNames, keyOf, MAIN, meanings, type NameDefaults } from "./table-names.ts";
import { type DefinedTable, scanOf, type TableOrigin } from "./table-scan.ts";

/** For the names of all warehouses together: the lake's tables do not wait for a slow one. */
const NAMES_MS = 1_500;

export interface TablesScene {
  readonly services: Services;
  readonly auth: Pick<AuthedContext["auth"], "organizationId"> &
    Partial<Pick<AuthedContext["auth"], "scopes">>;
}

export class CatalogTables implements TableResolver {
  readonly #services: Services;
  readonly #organizationId: string;
  readonly #datasets: NamedDatasets;
  readonly #defaults: NameDefaults;
  readonly #origins = new Map<string, TableOrigin>();
  #names: Promise<readonly TableName[]> | null = null;
  readonly schemas = [{ catalog: DATASETS, schema: MAIN }];
  readonly #leftOut = new Map<string, string>();

  constructor({ services, auth }: TablesScene, defaults: NameDefaults) {
    this.#services = services;
    this.#organizationId = auth.organizationId;
    this.#datasets = new NamedDatasets(services, auth.organizationId, auth.scopes);
    this.#defaults = defaults;
  }

  /** The tables that were read so far, by name. */
  get origins(): readonly TableOrigin[] {
    return [...this.#origins.values()].sort((a, b) => (keyOf(a.name) < keyOf(b.name) ? -1 : 1));
  }

  async resolve(
    references: readonly TableReference[],
    signal: AbortSignal,
  ): Promise<readonly SqlTable[]> {
    const meant = references.map((each) => meanings(each, this.#defaults));
    const names = distinctNames(meant.flat());
    const own = await this.#defined(names);
    const connectors = await this.connectors(own);
    const defined = await this.#withoutGuesses(own, meant, connectors, signal);
    const isDefined = (name: TableName) => defined.some((each) => keyOf(each.name) === keyOf(name));
    const others = meant.filter((each) => !each.some(isDefined)).flat();
    const datasets = await this.#datasets.find(distinctNames(others));
    return [...defined, ...datasets].map((origin) => ({
      name: origin.name,
      source: new DeferredScan(async () => {
        this.#origins.set(keyOf(origin.name), origin);
        return origin.kind === "dataset"
          ? origin.dataset.open()
          : scanOf(this.#services, origin, connectorOf(origin, connectors));
      }),
    }));
  }

  /** What those of the names stand for that there are. @throws 403 */
  async define(names: readonly TableName[]): Promise<readonly TableOrigin[]> {
    const defined = await this.#defined(names);
    const own = new Set(defined.map(({ name }) => keyOf(name)));
    const datasets = await this.#datasets.find(names.filter((name) => !own.has(keyOf(name))));
    return [...defined, ...datasets].sort(
      (a, b) => placeIn(names, a.name) - placeIn(names, b.name),
    );
  }

  /**
   * Without the tables that a warehouse is only supposed to have: where `datasets.name` may be a
   * schema of a warehouse that is the default catalog, or a dataset, the warehouse is asked.
   */
  async #withoutGuesses(
    origins: readonly DefinedTable[],
    meant: readonly (readonly TableName[])[],
    connectors: ReadonlyMap<string, Connector>,
    signal: AbortSignal,
  ): Promise<readonly DefinedTable[]> {
    const isGuess = ({ name, revision }: DefinedTable) =>
      revision === 0 &&
      name.schema === DATASETS &&
      meant.some(
        (names) =>
          names.some((each) => keyOf(each) === keyOf(name)) && names.slice(1).some(isDatasetName),
      );
    const kept = origins.map(async (origin) => {
      if (!isGuess(origin)) return [origin];
      const { arm, spec } = armOf(origin.spec);
      const connector = connectorOf(origin, connectors);
      if (arm !== "relational" || connector.kind !== "warehouse") return [origin];
      const { sourceCatalog: catalog, sourceSchema: schema, sourceTable: table } = spec;
      const warehouse = await openWarehouse(this.#services, connector);
      const isThere = await warehouse.describe({ catalog, schema, table }, signal).then(
        () => true,
        (error: unknown) => {
          if (error instanceof SourceError && error.failure === "not-found") return false;
          throw error;
        },
      );
      return isThere ? [origin] : [];
    });
    return (await Promise.all(kept)).flat();
  }

  /** Definitions of those of the names that there are. */
  async #defined(names: readonly TableName[]): Promise<readonly DefinedTable[]> {
    if (names.length === 0) return [];
    const { db } = this.#services;
    const id = this.#organizationId;
    const [tables, schemas, catalogs] = await Promise.all([
      findTables(db, id, names),
      findRelationalSchemas(db, id, names),
      findRelationalCatalogs(db, id, [...new Set(names.map(({ catalog }) => catalog))]),
    ]);
    return names.flatMap((name): DefinedTable[] => {
      const table = tables.find((each) => keyOf(each) === keyOf(name));
      if (table !== undefined) {
        const { spec, revision, revisionHash: hash } = table;
        return [{ kind: "table", name, spec, revision, revisionHash: hash }];
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
  connectors(origins: readonly DefinedTable[]): Promise<ReadonlyMap<string, Connector>> {
    const names = origins.map(({ spec }) => lastSegment(armOf(spec).spec.connector));
    return findConnectors(this.#services.db, this.#organizationId, names);
  }

  /** Asked for once a query: a source that does not answer costs its time once. */
  names(signal: AbortSignal): Promise<readonly TableName[]> {
    this.#names ??= this.#allNames(signal);
    return this.#names;
  }

  hint(missing: TableReference): Promise<string | null> {
    return this.#datasets.hint(missing);
  }

  leftOut(): readonly string[] {
    return [...this.#leftOut.values()];
  }

  async #allNames(signal: AbortSignal): Promise<readonly TableName[]> {
    const { db } = this.#services;
    const [defined, parents, datasets] = await Promise.all([
      listTableNames(db, this.#organizationId),
      listRelationalParents(db, this.#organizationId),
      this.#datasets.list(),
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
    const own = distinctNames([...defined, ...tables.flat()].filter(sayable));
    if (datasets.leftOut !== null) this.#leftOut.set(DATASETS, datasets.leftOut);
    return distinctNames([...own, ...datasets.names]);
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
  { name, spec }: DefinedTable,
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

const ofSource = (name: TableName, source: SchemaSource): DefinedTable => {
  const spec = specOfSource(source, name.table);
  return { kind: "table", name, spec, revision: 0, revisionHash: revisionHash(spec) };
};

const placeIn = (names: readonly TableName[], name: TableName): number =>
  names.findIndex((each) => keyOf(each) === keyOf(name));
