/**
 * Registering datasets: bytes go to the object store as they come, are read once from there to
 * learn what they hold, and only then become a dataset. Whatever fails on the way leaves nothing.
 */

import type { ColumnKind, TableFile, TableFormat } from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { ObjectHold } from "../../platform/objects/holds.ts";
import type { StoredObject } from "../../platform/objects/object-store.ts";
import { type DatasetRow, datasetOwners, insertDataset, type NewDataset } from "./store.ts";

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

export function datasetKey(organizationId: string, datasetId: string): string {
  return `organizations/${organizationId}/datasets/${datasetId}/data`;
}

/** What a dataset is registered as. */
export interface Registrant {
  readonly services: Services;
  readonly organizationId: string;
  /** Registering an id again gives what is there. */
  readonly id: string;
}

/** @throws 422 naming row and column where the bytes are not a table of the format */
export async function registerDataset(
  context: AuthedContext,
  deliver: Delivery,
): Promise<DatasetRow> {
  const { services, auth } = context;
  const registrant = { services, organizationId: auth.organizationId, id: context.newId() };
  try {
    return await registerFile(registrant, deliver);
  } catch (error) {
    throw asDataFault(error, ["body"]);
  }
}

/** As `registerDataset`, for what no request waits for. @throws DataError */
export async function registerFile(
  { services, organizationId, id }: Registrant,
  deliver: Delivery,
): Promise<DatasetRow> {
  const { compute } = services;
  const key = datasetKey(organizationId, id);
  let stored: StoredObject | null = null;
  const hold = await ObjectHold.take(services, datasetOwners, organizationId, [id]);
  try {
    const upload = await deliver(async (bytes) => {
      stored = await services.objects.put(key, bytes);
    });
    const { bytes, sha256 } = delivered(stored);
    const inspected = await compute.withLocalFile(key, (path) =>
      compute.register({ path, format: upload.format, kinds: upload.kinds }, { organizationId }),
    );
    const dataset: NewDataset = {
      id,
      name: upload.name,
      format: upload.format,
      object_key: key,
      rows: inspected.rows,
      bytes,
      hash: sha256,
      source: upload.source,
      columns: inspected.columns,
      profile: inspected.profile,
      warnings: inspected.warnings,
    };
    return await register(services.db, organizationId, dataset, hold);
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
): Promise<DatasetRow> {
  return await db.forOrganization(organizationId, async (sql) => {
    await hold.release(sql);
    return await insertDataset(sql, organizationId, dataset);
  });
}

function delivered(stored: StoredObject | null): StoredObject {
  if (stored === null) throw new TypeError("a dataset was delivered without bytes");
  return stored;
}

/** The stored bytes at a local path, read as the kinds that were found when they were registered. */
export function tableFile(dataset: DatasetRow, path: string): TableFile {
  return {
    path,
    format: dataset.format,
    kinds: Object.fromEntries(dataset.columns.map(({ name, kind }) => [name, kind])),
  };
}

export { type DatasetRow, findDataset, keepDataset } from "./store.ts";
