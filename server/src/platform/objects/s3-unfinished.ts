/**
 * Uploads of several parts that never ended: their parts take room that no listing of objects shows. Servers
 * differ in what they list. Amazon's, Ceph and others list those below a prefix, page by page. MinIO takes the
 * prefix for a whole key (`cmd/erasure-multipart.go`: "We do not support prefix based listing"), but without one
 * it lists all of the bucket's; older ones list none, and all end them themselves after a day if not told
 * otherwise (`stale_uploads_expiry`).
 */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { hasStatus } from "./s3-client.ts";

interface Unfinished {
  readonly key: string;
  readonly uploadId: string;
}

/**
 * Ends those whose keys begin with the prefix, which may not be empty, as far as they began before a time in
 * milliseconds; those of others in the bucket stay, whatever the server lists.
 */
export async function abortUnfinished(
  client: S3Client,
  bucket: string,
  prefix: string,
  before: number,
): Promise<void> {
  if (prefix === "") throw new RangeError("a bucket may be others' as well");
  const found = new Map<string, Unfinished>();
  const list = async (Prefix: string): Promise<void> => {
    for await (const upload of unfinished(client, bucket, Prefix, before)) {
      if (upload.key.startsWith(prefix)) found.set(`${upload.uploadId}\n${upload.key}`, upload);
    }
  };
  await list(prefix);
  if (client.config.isCustomEndpoint === true) await list("");
  for (const { key, uploadId } of found.values()) {
    await client
      .send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }))
      .catch((error: unknown) => {
        // Another process has aborted it meanwhile.
        if (!hasStatus(error, 404)) throw error;
      });
  }
}

async function* unfinished(
  client: S3Client,
  bucket: string,
  prefix: string,
  before: number,
): AsyncGenerator<Unfinished, void, undefined> {
  let from: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {};
  for (;;) {
    const page: ListMultipartUploadsCommandOutput | null = await client
      .send(
        new ListMultipartUploadsCommand({
          Bucket: bucket,
          ...(prefix !== "" && { Prefix: prefix }),
          ...from,
        }),
      )
      .catch((error: unknown) => {
        // Not every server of the API knows this request.
        if (hasStatus(error, 501) || hasStatus(error, 400)) return null;
        throw error;
      });
    if (page === null) return;
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined || Initiated === undefined) continue;
      if (Initiated.getTime() <= before) yield { key: Key, uploadId: UploadId };
    }
    const { IsTruncated, NextKeyMarker: key, NextUploadIdMarker: uploadId } = page;
    const isSame = key === from.KeyMarker && uploadId === from.UploadIdMarker;
    // A server that says no place to go on from, or the one that it was asked from, would be asked for ever.
    if (IsTruncated !== true || !key || isSame) return;
    from = { KeyMarker: key, ...(uploadId && { UploadIdMarker: uploadId }) };
  }
}
