/**
 * A file in parts: each is an object of its own under the upload's row, which says how much has come.
 * Completed, the parts are read one behind another and registered as if they were one body.
 */

import { createHash, randomUUID } from "node:crypto";
import type { AuthedContext } from "../../../api/context/context.ts";
import type { Services } from "../../../api/services.ts";
import {
  conflict,
  notFound,
  payloadTooLarge,
  unprocessable,
} from "../../../platform/input/problem.ts";
import { dropOwners, ownerPrefix } from "../../../platform/objects/holds.ts";
import { ObjectNotFoundError } from "../../../platform/objects/object-store.ts";
import { removeUnowned } from "../../../platform/objects/unowned.ts";
import { roomOf } from "../../quotas/service.ts";
import { registerDataset } from "../service.ts";
import { type DatasetRow, findDataset } from "../store.ts";
import { LEAST_PART_BYTES, MOST_PART_BYTES } from "./record.ts";
import {
  addPart,
  deleteUpload,
  dropExpired,
  findUpload,
  insertUpload,
  listParts,
  lockBeginning,
  type NewUpload,
  openBytes,
  setDataset,
  type UploadPart,
  type UploadRow,
  uploadOwners,
} from "./store.ts";

/** Under way, of an organization. */
const MOST_OPEN = 20;

/** @throws 409 where too many are under way; 413; 507 */
export async function beginUpload(
  { services, auth }: AuthedContext,
  upload: NewUpload,
): Promise<UploadRow> {
  const { db, config } = services;
  const { organizationId } = auth;
  if (upload.bytes > config.maxUploadBytes) throw payloadTooLarge(config.maxUploadBytes);
  const room = await roomOf(db, organizationId);
  return db.forOrganization(organizationId, async (sql) => {
    await lockBeginning(sql, organizationId);
    // What is under way will need its room as well.
    const { whole, missing } = await openBytes(sql, organizationId);
    room.check({
      datasets: 1,
      dataset_bytes: upload.bytes + whole,
      // What has come of the others is in use already.
      total_bytes: upload.bytes + missing,
    });
    const row = await insertUpload(sql, organizationId, upload, MOST_OPEN);
    if (row !== null) return row;
    throw conflict(`${MOST_OPEN} uploads are under way; complete or delete one of them first.`);
  });
}

/** @throws 404 */
export async function requireUpload(
  { services, auth }: AuthedContext,
  id: string,
): Promise<UploadRow> {
  const row = await findUpload(services.db, auth.organizationId, id);
  if (row === null) throw notFound("upload");
  return row;
}

/**
 * @param body taken where the part is wanted; left alone, the service drops it
 * @throws 404; 409 where the upload is not at the offset; 413, 422
 */
export async function receivePart(
  ctx: AuthedContext,
  id: string,
  offset: number,
  body: () => AsyncIterable<Uint8Array>,
): Promise<UploadRow> {
  const { db, objects } = ctx.services;
  const { organizationId } = ctx.auth;
  const upload = await requireUpload(ctx, id);
  assertAt(upload, offset);
  const start = String(offset).padStart(15, "0");
  // Of its own, so that two who send the same part do not write over each other. Below the id as the row
  // has it: a folder of another spelling is nobody's, and swept.
  const key = `${ownerPrefix(organizationId, uploadOwners.folder, upload.id)}${start}-${randomUUID()}`;
  const left = upload.bytes - offset;
  const { bytes } = await objects.put(key, bounded(body(), left));
  let row: UploadRow | null = null;
  try {
    if (bytes < Math.min(LEAST_PART_BYTES, left)) {
      throw unprocessable(
        ["body"],
        `a part but the last has at least ${LEAST_PART_BYTES} bytes, and this has ${bytes}`,
      );
    }
    const part = { start: offset, bytes, object_key: key };
    row = await db.forOrganization(organizationId, (sql) => addPart(sql, organizationId, id, part));
  } finally {
    if (row === null) await objects.delete(key);
  }
  if (row !== null) return row;
  // Deleted, or moved on, meanwhile.
  assertAt(await requireUpload(ctx, id), offset);
  throw conflict("The part came at the same time as another one; ask how far the upload is.");
}

function assertAt(upload: UploadRow, offset: number): void {
  if (upload.dataset_id !== null) throw conflict("The upload was completed.");
  if (upload.received_bytes === offset && offset === upload.bytes) {
    throw conflict(`All ${upload.bytes} bytes have come: complete the upload.`);
  }
  if (upload.received_bytes === offset) return;
  throw conflict(
    `The upload has ${upload.received_bytes} bytes: send what follows them, with offset=${upload.received_bytes}.`,
  );
}

async function* bounded(body: AsyncIterable<Uint8Array>, left: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > left) {
      throw unprocessable(["body"], `${left} bytes of the file are left, and more have come`);
    }
    if (bytes > MOST_PART_BYTES) throw payloadTooLarge(MOST_PART_BYTES);
    yield chunk;
  }
}

/**
 * Completed again, or by several at once, it gives the same dataset.
 *
 * @throws 404, 409, and what registering throws
 */
export async function completeUpload(ctx: AuthedContext, id: string): Promise<DatasetRow> {
  const { services, auth } = ctx;
  const { db } = services;
  const { organizationId } = auth;
  const upload = await requireUpload(ctx, id);
  if (upload.dataset_id !== null) return madeBefore(ctx, upload.dataset_id);
  const { bytes, received_bytes: received, name, format, kinds, source, sha256 } = upload;
  if (received < bytes) throw conflict(`${received} of ${bytes} bytes have come so far.`);
  const parts = await listParts(db, organizationId, id);
  let dataset: DatasetRow;
  try {
    dataset = await registerDataset(
      ctx,
      async (store) => {
        await store(checked(partsOf(services, parts), sha256));
        return { name, format, kinds, source };
      },
      async (sql, datasetId) => {
        if (await setDataset(sql, organizationId, id, datasetId)) return;
        throw conflict("The upload was deleted meanwhile.");
      },
    );
  } catch (error) {
    // Whoever completed it first has taken the parts away, so that this may have failed anyhow.
    const after = await findUpload(db, organizationId, id);
    if (after !== null && after.dataset_id !== null) return madeBefore(ctx, after.dataset_id);
    if (!(error instanceof ObjectNotFoundError)) throw error;
    throw conflict("The upload was deleted meanwhile.");
  }
  await removeUnowned(services, ownerPrefix(organizationId, uploadOwners.folder, upload.id));
  return dataset;
}

async function madeBefore({ services, auth }: AuthedContext, id: string): Promise<DatasetRow> {
  const dataset = await findDataset(services.db, auth.organizationId, id);
  if (dataset !== null) return dataset;
  throw conflict(`The upload became the dataset ${id}, which was deleted since.`);
}

async function* partsOf(
  { objects }: Pick<Services, "objects">,
  parts: readonly UploadPart[],
): AsyncGenerator<Uint8Array> {
  for (const { object_key: key } of parts) yield* objects.get(key);
}

/** @param sha256 lowercase hex; null = anything is right */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  sha256: string | null,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of source) {
    if (sha256 !== null) hash.update(chunk);
    yield chunk;
  }
  if (sha256 === null) return;
  const found = hash.digest("hex");
  if (found === sha256) return;
  throw conflict(
    `What came has the SHA-256 ${found}, and ${sha256} was announced: delete the upload, and send the file again.`,
  );
}

/** With its parts; a dataset that it became stays. @throws 404 */
export async function removeUpload({ services, auth }: AuthedContext, id: string): Promise<void> {
  const deleted = await deleteUpload(services.db, auth.organizationId, id);
  if (deleted === null) throw notFound("upload");
  await removeUnowned(services, ownerPrefix(auth.organizationId, uploadOwners.folder, deleted));
}

/** By the clock: uploads that were given up go. @returns how many */
export const dropExpiredUploads = (
  services: Pick<Services, "db" | "objects" | "log">,
  signal?: AbortSignal,
): Promise<number> =>
  dropOwners(services, uploadOwners, (most) => dropExpired(services.db, most), signal);
