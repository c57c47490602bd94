/** What of models endpoints refer to, now or once they are rolled back: retention leaves it alone. */

import type { Sql } from "../../platform/db/database.ts";
import type { ModelUser } from "../models/kind.ts";
import { isUuid } from "../models/model-id.ts";
import { earlierThan, references } from "./changes.ts";
import { allEndpoints, listSplits } from "./store.ts";

/** Splits of an endpoint that are looked at for the one before. */
const MOST_SPLITS = 1000;

/** Names of endpoints by the references of their splits, of their shadows, and of the splits before. */
export async function heldReferences(
  sql: Sql,
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const held = new Map<string, string>();
  for (const endpoint of await allEndpoints(sql, organizationId)) {
    const splits = await listSplits(sql, organizationId, endpoint.id, MOST_SPLITS, null);
    const [before] = earlierThan(endpoint, splits);
    const written = [
      ...references(endpoint.models, endpoint.shadow_model_id),
      ...references(before?.models ?? [], null),
    ];
    for (const reference of written) {
      held.set(isUuid(reference) ? reference.toLowerCase() : reference, endpoint.name);
    }
  }
  return held;
}

/** Only retention asks it: people may delete what a rollback would bring back. */
export const heldModels: ModelUser = {
  async whyKept(sql, organizationId, wanted) {
    const held = await heldReferences(sql, organizationId);
    const name = wanted.map((reference) => held.get(reference)).find((each) => each !== undefined);
    return name === undefined ? null : `The serving endpoint ${name} may go back to it.`;
  },
};
