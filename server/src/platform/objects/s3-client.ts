/** What every client of the S3 API here has in common: its settings, its pages, its failures. */

import {
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { isTlsFault } from "../net/tls-faults.ts";
import type { ByteRange, StoreFailure } from "./object-store.ts";
import { boundAnswers } from "./s3-answers.ts";

const CONNECT_MS = 10_000;
/** The longest that a server takes in or sends nothing; the SDK itself would wait for ever. */
const SILENCE_MS = 60_000;

/** @param silenceMs after which a server that says nothing counts as away; for a handler of its own `config` says it */
export function createS3Client(config: S3ClientConfig, silenceMs: number = SILENCE_MS): S3Client {
  const client = new S3Client({
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silenceMs },
    ...config,
    // Servers other than Amazon's do not all take the checksums that the SDK adds by itself.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return boundAnswers(client);
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
  readonly etag: string | undefined;
}

/** What answered with success is something else, such as a proxy's page to sign in at. */
export class ForeignAnswerError extends Error {
  override readonly name = "ForeignAnswerError";
  constructor() {
    super("what answered is no server of the S3 API");
  }
}

/** Page by page, without the markers of folders (keys that end in `/`). */
export async function* listS3(
  client: S3Client,
  bucket: string,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedObject, void, undefined> {
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...(token !== undefined && { ContinuationToken: token }),
      }),
      signal && { abortSignal: signal },
    );
    // The SDK reads any other document as a listing of nothing.
    if (page.IsTruncated === undefined && page.Name === undefined) {
      throw new ForeignAnswerError();
    }
    for (const entry of page.Contents ?? []) {
      if (entry.Key === undefined || entry.Key.endsWith("/")) continue;
      yield {
        key: entry.Key,
        bytes: entry.Size ?? 0,
        modifiedAt: entry.LastModified ?? new Date(0),
        etag: entry.ETag,
      };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Behind every key of a folder. */
const LAST = "\u{10ffff}";

/**
 * The names of the folders right below a prefix that ends in `/`. Keys are listed plainly and a
 * folder's rest is skipped, since not every server groups keys of several levels by a delimiter.
 */
export async function* listS3Folders(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<string, void, undefined> {
  let latest = "";
  let after: string | undefined;
  for (;;) {
    const { Contents = [], IsTruncated }: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...(after !== undefined && { StartAfter: after }),
      }),
    );
    for (const { Key = "" } of Contents) {
      const end = Key.indexOf("/", prefix.length);
      const name = Key.slice(prefix.length, end);
      if (end >= 0 && name !== latest) yield name;
      if (end >= 0) latest = name;
      after = end < 0 ? Key : `${prefix}${name}/${LAST}`;
    }
    if (!IsTruncated || Contents.length === 0) return;
  }
}

export function rangeHeader({ offset, length }: ByteRange): string {
  return length === undefined ? `bytes=${offset}-` : `bytes=${offset}-${offset + length - 1}`;
}

const NO_ANSWER = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Whether the server could not be reached, or answered that it cannot answer now. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    // 501: it will never know this request.
    return status >= 500 && status !== 501;
  }
  if (!(error instanceof Error)) return false;
  return (
    error.name === "TimeoutError" ||
    isTlsFault(error) ||
    ("code" in error && NO_ANSWER.has(String(error.code)))
  );
}

/** Refusals of who asks, or of where: nothing that is asked alike is ever answered. */
const REFUSALS = new Set([
  "AccessDenied",
  "AccountProblem",
  "AllAccessDisabled",
  "AuthorizationHeaderMalformed",
  "ExpiredToken",
  "IllegalLocationConstraintException",
  "InvalidAccessKeyId",
  "InvalidToken",
  "NoSuchBucket",
  "PermanentRedirect",
  "RequestTimeTooSkewed",
  "SignatureDoesNotMatch",
  // What versitygw says of a key that it does not know, with a status of 404.
  "XAdminUserNotFound",
]);

/** No room, by the names that servers have for it; Ceph and versitygw send them as 403, MinIO as 400. */
const FULL = new Set([
  "InsufficientStorage",
  "QuotaExceeded",
  "XMinioAdminBucketQuotaExceeded",
  "XMinioStorageFull",
]);

/** How the server, or the way to it, is at fault; null where the request is, or what it is about. */
export function storeFailure(error: unknown): StoreFailure | null {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    if (status === 507) return "full";
    const named = codeFailure(error.name);
    if (named !== null) return named;
    if (status === 401 || status === 403 || status === 301) return "refusing";
  }
  // The SDK found none to sign with.
  if (error instanceof Error && error.name === "CredentialsProviderError") return "refusing";
  return isUnavailable(error) ? "away" : null;
}

/** What a server that cannot answer now says by name, wherever the answer itself has no status of its own. */
const PASSING = new Set([
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "SlowDownRead",
  "SlowDownWrite",
  "XMinioServerNotInitialized",
]);

/** By the code of an answer, or of one of many keys in it. */
export function codeFailure(code: string = ""): StoreFailure | null {
  if (FULL.has(code)) return "full";
  if (REFUSALS.has(code)) return "refusing";
  return PASSING.has(code) ? "away" : null;
}

/** Whether the server took the request, or the connection, and said nothing; what a socket reports has a code. */
export function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.name === "TimeoutError" && !("code" in error);
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;
}
