/**
 * The file that a dataset's table is read from: written once, by the process that reads what was sent,
 * and read by all that comes after. Datasets of older versions have none until they are first read.
 */

import type { StoredTableFile, TableFile, UploadedFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import type { StoredInspection } from "../../platform/compute/reading/messages.ts";
import { notFound } from "../../platform/input/problem.ts";
import { ownerPrefix } from "../../platform/objects/holds.ts";
import { encodingOf } from "./encoding.ts";
import { type DatasetRow, datasetOwners, findDataset, setTableKey } from "./store.ts";

type Rooms = Pick<Services, "compute" | "objects" | "config">;

/** Where the objects of a dataset lie. */
export interface DatasetFiles {
  readonly object_key: string | null;
  readonly table_key: string;
}

export interface KeepOptions {
  readonly organizationId: string;
  readonly id: string;
  /** What was sent, in the cache. */
  readonly file: UploadedFile;
  readonly signal?: AbortSignal;
}

/**
 * Reads what was sent, and keeps its table and, unless the service is set up otherwise, itself. The
 * caller holds the dataset's objects.
 *
 * @throws DataError where it is no table
 */
export function keepFiles(
  { compute, objects, config }: Rooms,
  { organizationId, id, file, signal }: KeepOptions,
): Promise<{ readonly inspection: StoredInspection; readonly files: DatasetFiles }> {
  const scene = { organizationId, ...(signal && { signal }) };
  return compute.withStoredTable(file, scene, async (path, inspection) => {
    const files = {
      object_key: config.keepOriginals ? keyOf(organizationId, id, "data") : null,
      table_key: keyOf(organizationId, id, "table"),
    };
    await objects.putFile(files.table_key, path);
    if (files.object_key !== null) await objects.putFile(files.object_key, file.path);
    return { inspection, files };
  });
}

const keyOf = (organizationId: string, id: string, name: "data" | "table"): string =>
  `${ownerPrefix(organizationId, datasetOwners.folder, id)}${name}`;

export interface ReadOptions {
  readonly services: Pick<Services, "compute" | "db"> & {
    readonly objects: Pick<Services["objects"], "putFile" | "delete">;
  };
  readonly organizationId: string;
  readonly dataset: DatasetRow;
  readonly signal?: AbortSignal;
}

/**
 * Lends the dataset's table as a local file.
 *
 * @throws DataError, for one of an older version; 404 where it is deleted meanwhile
 */
export async function withTableFile<Result>(
  options: ReadOptions,
  use: (file: TableFile) => Promise<Result>,
): Promise<Result> {
  const { services, dataset } = options;
  const { compute, db } = services;
  try {
    if (dataset.table_key === null) return await convert(options, use);
    return await compute.withLocalFile(dataset.table_key, (path) => use(stored(path)));
  } catch (error) {
    // Whatever a file says that goes away while it is read: its dataset has gone.
    if ((await findDataset(db, options.organizationId, dataset.id)) === null) {
      throw notFound("dataset");
    }
    throw error;
  }
}

const stored = (path: string): StoredTableFile => ({ path, format: "stored" });

/** Writes the file of a dataset that has none. Two at once write the same bytes. */
async function convert<Result>(
  { services, organizationId, dataset, signal }: ReadOptions,
  use: (file: TableFile) => Promise<Result>,
): Promise<Result> {
  const { compute, objects, db } = services;
  const { id, object_key: original, format, columns, source } = dataset;
  if (original === null) throw new TypeError("a dataset has neither a table nor its original");
  const kinds = Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
  const scene = { organizationId, ...(signal && { signal }) };
  return compute.withLocalFile(original, (sent) =>
    compute.withStoredTable(
      { path: sent, format, kinds, ...encodingOf(source) },
      scene,
      async (path) => {
        const key = keyOf(organizationId, id, "table");
        await objects.putFile(key, path);
        const isThere = await setTableKey(db, organizationId, id, key);
        if (!isThere) {
          // Deleted meanwhile.
          await objects.delete(key);
          throw notFound("dataset");
        }
        return use(stored(path));
      },
    ),
  );
}
