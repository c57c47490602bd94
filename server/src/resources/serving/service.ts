/** What is done with serving endpoints beside writing them (`changes.ts`) and asking them (`answering.ts`). */

import type { AuthedContext } from "../../api/context/context.ts";
import { allows } from "../../api/context/scopes.ts";
import type { Services } from "../../api/services.ts";
import { RememberedRows } from "../../platform/db/remembered-rows.ts";
import { nearNames, quotedList } from "../../platform/input/near-names.ts";
import { notFound, type Problem } from "../../platform/input/problem.ts";
import { ownerPrefix } from "../../platform/objects/holds.ts";
import { removeUnowned } from "../../platform/objects/unowned.ts";
import type { ModelUser } from "../models/kind.ts";
import { isUuid } from "../models/model-id.ts";
import { observations } from "./observations.ts";
import { predictionLogOwners, someLogFiles } from "./prediction-log/store.ts";
import { predictionLog } from "./prediction-log/stored-log.ts";
import {
  deleteEndpoint,
  type EndpointRow,
  endpointsWith,
  findEndpoint,
  listSplits,
  nameEndpoints,
  namesOfLength,
  type SplitRow,
} from "./store.ts";

/** @throws 404 */
export async function requireEndpoint(
  { services, auth }: AuthedContext,
  reference: string,
): Promise<EndpointRow> {
  const row = await findEndpoint(services.db, auth.organizationId, reference);
  if (row === null) throw await noSuchEndpoint({ services, auth }, reference);
  return row;
}

/** With the closest names that the organization's endpoints have. */
export async function noSuchEndpoint(
  { services: { db }, auth: { organizationId, scopes } }: Pick<AuthedContext, "services" | "auth">,
  reference: string,
): Promise<Problem> {
  if (isUuid(reference) || !allows(scopes, "serving:read")) return notFound("serving endpoint");
  const near = nearNames(reference, await namesOfLength(db, organizationId, reference.length));
  const names = near.length === 1 ? "the closest name is" : "the closest names are";
  return notFound("serving endpoint", near.length === 0 ? null : `${names} ${quotedList(near)}`);
}

interface Remembered {
  /** Null where there is no such endpoint. */
  readonly endpoint: EndpointRow | null;
}

const instances = new WeakMap<Services, RememberedRows<Remembered>>();

/** The endpoint that is to answer, as it is now, without a look at the database each time. */
export async function answeringEndpoint(
  { services, auth }: AuthedContext,
  reference: string,
): Promise<EndpointRow | null> {
  const { organizationId } = auth;
  const remembered = instances.get(services) ?? new RememberedRows(services.modelChanges);
  instances.set(services, remembered);
  const { endpoint } = await remembered.get(organizationId, reference, async () => ({
    endpoint: await findEndpoint(services.db, organizationId, reference),
  }));
  return endpoint;
}

/** Latest first; one more than `limit` where there are further ones. */
export function splitsOf(
  { services, auth }: AuthedContext,
  endpointId: string,
  limit: number,
  before: number | null,
): Promise<readonly SplitRow[]> {
  const { organizationId } = auth;
  return services.db.forOrganization(organizationId, (sql) =>
    listSplits(sql, organizationId, endpointId, limit, before),
  );
}

/** Files of its log that a request which deletes an endpoint removes itself; others are swept soon. */
const MOST_FILES = 1_000;

/** With its log, and what was said of it. @returns its id @throws 404 */
export async function removeEndpoint(ctx: AuthedContext, reference: string): Promise<string> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const { id: known } = await requireEndpoint(ctx, reference);
  const files = await someLogFiles(services.db, organizationId, known, MOST_FILES);
  const id = await deleteEndpoint(services.db, organizationId, known);
  if (id === null) throw notFound("serving endpoint");
  await services.modelChanges.settled();
  observations(services).forget(id);
  predictionLog(services).forget(id);
  for (const file of files) {
    const { folder } = predictionLogOwners;
    await removeUnowned(services, ownerPrefix(organizationId, folder, file));
  }
  return id;
}

/** By id. @param organizationId null = of every organization */
export const endpointNames = ({ db }: Pick<Services, "db">, organizationId: string | null) =>
  nameEndpoints(db, organizationId);

/** What endpoints serve, as splits and as shadows, stays. */
export const servedModels: ModelUser = {
  async whyKept(sql, organizationId, references) {
    const names = await endpointsWith(sql, organizationId, references);
    if (names.length === 0) return null;
    return names.length === 1
      ? `The serving endpoint ${names[0]} serves it; take it out of there first.`
      : `The serving endpoints ${names.join(", ")} serve it; take it out of them first.`;
  },
};
