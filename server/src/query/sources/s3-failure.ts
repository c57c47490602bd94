/**
 * Failures of a server of the S3 API as `SourceError`s. What the SDK throws holds whatever the
 * server chose to echo, so of it only name and status go on, as the cause.
 */

import { S3ServiceException } from "@aws-sdk/client-s3";
import { guardsError } from "../../platform/net/outbound.ts";
import { isUnavailable } from "../../platform/objects/s3-client.ts";
import { outboundFault, SourceError } from "./source-error.ts";

export interface S3Context {
  readonly bucket: string;
  /** Such as `minio.example.com:9000`, for sentences. */
  readonly server: string;
  readonly region: string;
}

const OTHER_REGION = new Set([
  "PermanentRedirect",
  "TemporaryRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
]);

export function s3Failure(error: unknown, context: S3Context): SourceError {
  const { bucket, server, region } = context;
  const guarded = outboundFault(guardsError(error));
  if (guarded !== null) return guarded;
  if (error instanceof S3ServiceException) return serverFailure(error, context);
  if (error instanceof Error && error.name === "TimeoutError" && !wasCut(error)) {
    return new SourceError("timeout", `${server} did not answer in time.`, { cause: error });
  }
  if (isUnavailable(error)) {
    return new SourceError("unreachable", `${server} broke off the connection.`, { cause: error });
  }
  return new SourceError(
    "broken",
    `${server} does not answer as the S3 API does (bucket ${bucket}, region ${region}).`,
    { cause: new Error(error instanceof Error ? error.name : "not an error") },
  );
}

/** The SDK calls a connection that was reset a timeout too. */
const wasCut = (error: Error): boolean =>
  "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

const unknownKey = (server: string): string => `${server} knows no such access key.`;

const REFUSALS: Readonly<Record<string, (server: string) => string>> = {
  InvalidAccessKeyId: unknownKey,
  // What versitygw says of it, with a status of 404.
  XAdminUserNotFound: unknownKey,
  SignatureDoesNotMatch: (server) =>
    `${server} says that the secret does not belong to the access key.`,
  ExpiredToken: (server) => `${server} says that the session token has expired.`,
  InvalidToken: (server) => `${server} does not accept the session token.`,
  RequestTimeTooSkewed: (server) => `The clocks of ${server} and of this service differ too much.`,
};

function serverFailure(
  error: S3ServiceException,
  { bucket, server, region }: S3Context,
): SourceError {
  const status = error.$metadata.httpStatusCode ?? 0;
  const cause = new Error(`${/^\w{1,64}$/.test(error.name) ? error.name : "?"}, status ${status}`);
  const refusal = Object.hasOwn(REFUSALS, error.name) ? REFUSALS[error.name]?.(server) : undefined;
  if (refusal !== undefined) return new SourceError("refused", refusal, { cause });
  if (OTHER_REGION.has(error.name) || status === 301 || status === 307) {
    const message = `The bucket ${bucket} of ${server} is not in the region ${region}; set its region or endpoint.`;
    return new SourceError("not-found", message, { cause });
  }
  if (status === 401 || status === 403) {
    const message = `${server} does not allow these credentials to read the bucket ${bucket}.`;
    return new SourceError("refused", message, { cause });
  }
  if (status === 404) {
    return new SourceError("not-found", `${server} has no bucket ${bucket}.`, { cause });
  }
  if (status >= 500 || status === 429) {
    const message = `${server} says that it cannot answer now (status ${status}).`;
    return new SourceError("unreachable", message, { cause });
  }
  const message = `${server} does not take the request for the bucket ${bucket} (status ${status}).`;
  return new SourceError("broken", message, { cause });
}
