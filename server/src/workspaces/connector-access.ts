/** What the catalog needs of connectors. */

import type { Sql } from "../db/database.ts";
import type { AuthedContext } from "../http/context.ts";
import { Problem } from "../http/problem.ts";
import type { Warehouse } from "../sources/warehouse.ts";

export type KnownConnector =
  | { readonly kind: "warehouse" }
  | {
      readonly kind: "objstore";
      /** What it may reach, such as `s3://bucket/prefix`. */
      readonly url: string;
      /** Whether a URL lies within that. */
      readonly reaches: (url: string) => boolean;
    };

/** Null where the organization has no connector of this name yet. */
export async function findConnector(
  _sql: Sql,
  _organizationId: string,
  _connector: string,
): Promise<KnownConnector | null> {
  return null;
}

/** Lends the connector's warehouse to the callback. @throws 400 where there is no such warehouse */
export async function withWarehouse<Result>(
  _ctx: AuthedContext,
  connector: string,
  _use: (warehouse: Warehouse) => Promise<Result>,
): Promise<Result> {
  throw new Problem("bad-request", `There is no warehouse connector '${connector}'.`);
}
