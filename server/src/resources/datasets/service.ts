/**
 * Registering datasets: bytes are received into a local file, are read once, into the dataset's own file,
 * go to the object store, and only then become a dataset. Whatever fails on the way leaves nothing.
 */

import type { ColumnKind, TableFormat } from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { ObjectHold, ownerPrefix } from "../../platform/objects/holds.ts";
import { type Received, receiveFile } from "../../platform/objects/received-file.ts";
import { removeUnowned } from "../../platform/objects/unowned.ts";
import type { JobKind } from "../jobs/kind.ts";
import { refuseWhileUsed } from "../jobs/service.ts";
import { keepWithinQuotas } from "../quotas/service.ts";
import { encodingOf } from "./encoding.ts";
import {
  type DatasetRow,
  datasetOwners,
  deleteDataset,
  insertDataset,
  type NewDataset,
} from "./store.ts";
import { keepFiles } from "./table-file.ts";
import type { DatasetUser } from "./user.ts";

/** What bytes are to be registered as. */
export interface Description {
  readonly name: string;
  readonly format: TableFormat;
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  readonly source: Readonly<Record<string, unknown>>;
}

/** Gives the bytes away, once, and says what they are when all that was sent has come. */
export type Delivery = (
  store: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
) => Promise<Description>;

/** What a dataset is registered as. */
export interface Registrant {
  readonly services: Services;
  readonly organizationId: string;
  /** Registering an id again gives what is there. */
  readonly id: string;
}

/** What else is written in the transaction that registers a dataset; where it throws, there is none. */
export type Alongside = (sql: Sql, datasetId: string) => Promise<void>;

/** @throws 422 naming row and column where the bytes are not a table of the format */
export async function registerDataset(
  context: AuthedContext,
  deliver: Delivery,
  alongside?: Alongside,
): Promise<DatasetRow> {
  const { services, auth } = context;
  const registrant = { services, organizationId: auth.organizationId, id: context.newId() };
  try {
    return await registerFile(registrant, deliver, alongside);
  } catch (error) {
    throw asDataFault(error, ["body"]);
  }
}

/** As `registerDataset`, for what no request waits for. @throws DataError */
export async function registerFile(
  { services, organizationId, id }: Registrant,
  deliver: Delivery,
  alongside?: Alongside,
): Promise<DatasetRow> {
  const hold = await ObjectHold.take(services, datasetOwners, organizationId, [id]);
  try {
    return await services.compute.withLocalPath(async (path) => {
      let received: Received | null = null;
      const { name, format, kinds, source } = await deliver(async (bytes) => {
        received = await receiveFile(path, bytes);
      });
      const { bytes, sha256 } = delivered(received);
      const file = { path, format, kinds, ...encodingOf(source) };
      const { inspection, files } = await keepFiles(services, { organizationId, id, file });
      const { rows, columns, profile, warnings, encoding } = inspection;
      const read = { rows, columns, profile, warnings };
      const from = encoding === undefined ? source : { ...source, encoding };
      const dataset = { id, name, format, ...files, bytes, hash: sha256, source: from, ...read };
      return await register(services.db, organizationId, dataset, hold, alongside);
    });
  } finally {
    await hold.end();
  }
}

/** The dataset's row speaks for its bytes from here on. */
export async function register(
  db: Services["db"],
  organizationId: string,
  dataset: NewDataset,
  hold: ObjectHold,
  alongside?: Alongside,
): Promise<DatasetRow> {
  return await db.forOrganization(organizationId, async (sql) => {
    await hold.release(sql);
    await alongside?.(sql, dataset.id);
    const row = await insertDataset(sql, organizationId, dataset);
    await keepWithinQuotas(sql, organizationId, { datasets: 0, dataset_bytes: 0, total_bytes: 0 });
    return row;
  });
}

/** What may refer to a dataset. */
export interface DatasetUsers {
  /** Whose open jobs may. */
  readonly jobKinds: readonly JobKind[];
  readonly others: readonly DatasetUser[];
}

/**
 * @param force deletes it though models were trained on it
 * @throws 404, 409 while something refers to it
 */
export async function removeDataset(
  services: Pick<Services, "db" | "objects" | "log">,
  organizationId: string,
  { jobKinds, others }: DatasetUsers,
  id: string,
  force: boolean,
): Promise<void> {
  await services.db.forOrganization(organizationId, async (sql) => {
    if (!(await deleteDataset(sql, organizationId, id))) throw notFound("dataset");
    // Counted behind the delete, which waits for a job that is being registered with it.
    await refuseWhileUsed(sql, jobKinds, organizationId, "datasets", id);
    for (const user of force ? [] : others) {
      const why = await user.whyKept(sql, organizationId, id);
      if (why !== null) throw conflict(why);
    }
    for (const user of others) await user.noteDeleted(sql, organizationId, id);
  });
  await removeUnowned(services, ownerPrefix(organizationId, datasetOwners.folder, id));
}

function delivered(received: Received | null): Received {
  if (received === null) throw new TypeError("a dataset was delivered without bytes");
  return received;
}

export {
  type DatasetRow,
  findDataset,
  keepDataset,
  listKeepableDatasets,
} from "./store.ts";
export { withTableFile } from "./table-file.ts";
