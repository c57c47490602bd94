/**
 * The built-in catalog of a query: the organization's datasets, by their names in SQL
 * (`docs/decisions/sql-over-datasets.md`).
 */

import { allows } from "../../api/context/scopes.ts";
import type { Services } from "../../api/services.ts";
import { insufficientScope } from "../../platform/input/problem.ts";
import type { TableName, TableReference } from "../../query/sql/query.ts";
import { likeNames } from "../../query/sql/suggestion.ts";
import { MAIN } from "./table-names.ts";
import type { DatasetOrigin } from "./table-scan.ts";

/** The catalog; its tables are in the schema `main`. */
export const DATASETS = "datasets";
/** The most that are listed; every one can be queried. */
const LISTED = 10_000;
/** Names in a hint. */
const HINTED = 3;

export const isDatasetName = ({ catalog, schema }: TableName): boolean =>
  catalog === DATASETS && schema === MAIN;

export class NamedDatasets {
  readonly #services: Pick<Services, "datasetTables">;
  readonly #organizationId: string;
  readonly #isAllowed: boolean;

  /** @param scopes of who asks; undefined where they were looked at before */
  constructor(
    services: Pick<Services, "datasetTables">,
    organizationId: string,
    scopes: ReadonlySet<string> | undefined,
  ) {
    this.#services = services;
    this.#organizationId = organizationId;
    this.#isAllowed = scopes === undefined || allows(scopes, "datasets:read");
  }

  /** Those of the names that are a dataset's. @throws 403 where one may be, and the caller may read none */
  async find(names: readonly TableName[]): Promise<readonly DatasetOrigin[]> {
    const wanted = names.filter(isDatasetName);
    if (wanted.length === 0) return [];
    if (!this.#isAllowed) throw insufficientScope("datasets:read");
    const tables = wanted.map(({ table }) => table);
    const found = await this.#services.datasetTables.find(this.#organizationId, tables);
    return wanted.flatMap((name): DatasetOrigin[] => {
      const dataset = found.find(({ table }) => table === name.table);
      return dataset === undefined ? [] : [{ kind: "dataset", name, dataset }];
    });
  }

  /** Where to go from a name that no dataset has; null where the name is of no dataset, or nobody may be told. */
  async hint({ catalog, schema, table }: TableReference): Promise<string | null> {
    if ((catalog ?? schema)?.toLowerCase() !== DATASETS || !this.#isAllowed) return null;
    const names = await this.#services.datasetTables.list(this.#organizationId, LISTED);
    if (names.length === 0) {
      return "There is no dataset yet: upload one with POST /v1/datasets, or in the console under Data; its name in SQL comes from its own.";
    }
    // As the name of a file becomes the name of its table.
    const wanted = table
      .toLowerCase()
      .replace(/\.[a-z]+$/, "")
      .replaceAll(/[^a-z0-9]+/g, "_");
    const like = likeNames(wanted, names, HINTED);
    const shown = (like.length > 0 ? like : names.slice(0, HINTED))
      .map((name) => `"${DATASETS}.${name}"`)
      .join(", ");
    return like.length > 0
      ? `Names of datasets that are like it: ${shown}`
      : `No dataset has a name like it. The newest: ${shown}; GET /v1/datasets has all with their sql_name.`;
  }

  /** Of the newest, with what is to be said of the others. */
  async list(): Promise<{
    readonly names: readonly TableName[];
    readonly leftOut: string | null;
  }> {
    if (!this.#isAllowed) return { names: [], leftOut: null };
    const tables = await this.#services.datasetTables.list(this.#organizationId, LISTED + 1);
    const names = tables
      .slice(0, LISTED)
      .map((table) => ({ catalog: DATASETS, schema: MAIN, table }));
    return {
      names,
      leftOut:
        tables.length > LISTED
          ? `Of the datasets the newest ${LISTED} are listed; older ones can be queried by their names.`
          : null,
    };
  }
}
