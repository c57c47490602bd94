/**
 * Objects of a bucket behind the S3 API. Each read names the version it wants (its ETag), so that
 * an object that was replaced since it was listed is never taken for what was listed. Sockets go
 * through the way out.
 */

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { guardedAgents } from "../../platform/net/guarded-agents.ts";
import type { Outbound } from "../../platform/net/outbound.ts";
import type { ByteRange } from "../../platform/objects/object-store.ts";
import { BodyLengthError, resumedBody } from "../../platform/objects/s3-body.ts";
import {
  createS3Client,
  hasStatus,
  listS3,
  rangeHeader,
} from "../../platform/objects/s3-client.ts";
import type { ObjectSource, SourceObject, SourceRange } from "./object-source.ts";
import { type S3Context, s3Failure } from "./s3-failure.ts";
import { SourceChangedError, SourceError, SourceUrlError } from "./source-error.ts";
import { liesWithin, parseSourceUrl } from "./source-url.ts";

/** What a connector knows of a server of the S3 API. */
interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Settings {
  /** `s3://bucket/prefix`: objects outside the prefix are out of reach. */
  readonly url: string;
  /** An http or https URL; null = Amazon's own of the region. */
  readonly endpoint: string | null;
  /** Null = `us-east-1`, which servers other than Amazon's mostly take for theirs. */
  readonly region: string | null;
  /** Null = path style exactly where an endpoint is given. */
  readonly pathStyle: boolean | null;
  /** Null = anonymous; never the service's own. */
  readonly credentials: S3Credentials | null;
}

const ATTEMPTS = 3;
const SOCKETS = 16;
/** Until an answer's headers are there, and between two chunks of its body. */
const SILENCE_MS = 30_000;
/** A connection that nobody uses ends after this long. */
const IDLE_MS = 60_000;
const REGION = "us-east-1";
/** Parts of larger ones have places that a file of this machine does not; 16 TiB is the most of ext4. */
const MAX_OBJECT_BYTES = 2 ** 44 - 2 ** 12;

/** Requests go out unsigned. */
const ANONYMOUS = {
  credentials: { accessKeyId: "", secretAccessKey: "" },
  signer: { sign: async <Request>(request: Request): Promise<Request> => request },
};

export class S3Source implements ObjectSource {
  readonly identity: string;
  readonly cacheScope: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  /** What the connector may reach: empty, or a folder or object. */
  readonly #prefix: string;
  readonly #context: S3Context;

  /** @throws SourceUrlError */
  constructor(settings: S3Settings, outbound: Outbound) {
    const { scheme, bucket, path } = parseSourceUrl(settings.url);
    if (scheme !== "s3") throw new SourceUrlError("This is not an s3:// URL.");
    const region = settings.region ?? REGION;
    this.#bucket = bucket;
    this.#prefix = path.replace(/\/+$/, "");
    this.identity = `s3://${bucket}`;
    this.cacheScope = scopeOf(settings, bucket, region);
    const server =
      settings.endpoint === null ? `Amazon S3 in ${region}` : new URL(settings.endpoint).host;
    this.#context = { bucket, server, region };
    this.#client = createS3Client({
      ...(settings.endpoint !== null && { endpoint: settings.endpoint }),
      ignoreConfiguredEndpointUrls: true,
      region,
      forcePathStyle: settings.pathStyle ?? settings.endpoint !== null,
      ...(settings.credentials === null ? ANONYMOUS : signed(settings.credentials)),
      maxAttempts: ATTEMPTS,
      retryMode: "standard",
      requestHandler: {
        ...guardedAgents(outbound, { keepAlive: true, maxSockets: SOCKETS, timeout: IDLE_MS }),
        requestTimeout: SILENCE_MS,
        throwOnRequestTimeout: true,
        socketTimeout: SILENCE_MS,
      },
    });
  }

  keyOf(url: string): string {
    const { scheme, bucket, path } = parseSourceUrl(url);
    if (scheme !== "s3" || bucket !== this.#bucket) {
      throw new SourceUrlError(
        `The connector gives access to ${this.identity}, and this URL is not in it.`,
      );
    }
    this.#checkReach(path);
    return path;
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<SourceObject, void, undefined> {
    this.#checkReach(prefix);
    const pages = listS3(this.#client, this.#bucket, prefix, signal);
    try {
      for await (const { key, bytes, modifiedAt, etag } of pages) {
        // `logs-old/x` begins with `logs` and is not of a connector for `logs`.
        if (!liesWithin(key, this.#prefix)) continue;
        yield { key, bytes: this.#size(key, bytes), modifiedAt, version: this.#version(etag) };
      }
    } catch (error) {
      throw this.#failure(error, signal);
    }
  }

  async head(key: string, signal: AbortSignal): Promise<SourceObject | null> {
    this.#checkReach(key);
    if (key === "" || key.endsWith("/")) return null;
    try {
      const head = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: key }),
        { abortSignal: signal },
      );
      return {
        key,
        bytes: this.#size(key, head.ContentLength ?? 0),
        modifiedAt: head.LastModified ?? new Date(0),
        version: this.#version(head.ETag),
      };
    } catch (error) {
      if (hasStatus(error, 404) && !(await this.#lacksBucket(signal))) return null;
      throw this.#failure(error, signal);
    }
  }

  /** An answer to HEAD has no body that could tell a missing bucket from a missing object. Whoever may not ask does not know. */
  async #lacksBucket(signal: AbortSignal): Promise<boolean> {
    const asked = this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }), {
      abortSignal: signal,
    });
    return await asked.then(
      () => false,
      (error: unknown) => hasStatus(error, 404),
    );
  }

  async *read(
    object: SourceObject,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#stream(object, null, object.bytes, signal);
  }

  async *readRange(
    object: SourceObject,
    range: SourceRange,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    // HTTP has no empty ranges.
    if (range.length > 0) yield* this.#stream(object, range, range.length, signal);
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async *#stream(
    object: SourceObject,
    range: ByteRange | null,
    expected: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const body = await this.#open(object, range, signal);
    const { offset = 0 } = range ?? {};
    try {
      yield* resumedBody(body, expected, (from) => {
        signal.throwIfAborted();
        const rest = { offset: offset + from, length: expected - from };
        return this.#open(object, rest, signal, true).catch((error: unknown) => {
          // Not every server knows ranges.
          if (error instanceof SourceError && error.failure === "broken") return null;
          throw error;
        });
      });
    } catch (error) {
      if (!(error instanceof BodyLengthError)) throw this.#failure(error, signal);
      throw new SourceError(
        "broken",
        `${this.#context.server} sent ${object.key} with a length other than the one it announced.`,
      );
    }
  }

  /** @param isRest of an object whose beginning came: a server that does not know ranges sends that again */
  async #open(
    object: SourceObject,
    range: ByteRange | null,
    signal: AbortSignal,
    isRest = false,
  ): Promise<Readable> {
    this.#checkReach(object.key);
    try {
      const { Body, ETag, ContentRange } = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: object.key,
          IfMatch: object.version,
          ...(range !== null && { Range: rangeHeader(range) }),
        }),
        { abortSignal: signal },
      );
      if (!(Body instanceof Readable)) throw new Error("an answer without a body");
      // There are servers that do not know If-Match.
      if (ETag === object.version) {
        if (range === null || (ContentRange === undefined && !isRest)) return Body;
        if (ContentRange?.startsWith(`${rangeHeader(range).replace("=", " ")}/`)) return Body;
        Body.destroy();
        const sentence = `${this.#context.server} sent a part of ${object.key} other than the one requested.`;
        throw new SourceError("broken", sentence);
      }
      Body.destroy();
    } catch (error) {
      const gone = hasStatus(error, 404) && error instanceof Error && error.name === "NoSuchKey";
      if (!gone && !hasStatus(error, 412)) throw this.#failure(error, signal);
    }
    throw new SourceChangedError(
      `${this.identity}/${object.key} was replaced or removed since it was listed.`,
    );
  }

  #size(key: string, bytes: number): number {
    if (Number.isInteger(bytes) && bytes >= 0 && bytes <= MAX_OBJECT_BYTES) return bytes;
    const sentence = `${this.#context.server} says that ${key} has ${bytes} bytes, which no object has.`;
    throw new SourceError("broken", sentence);
  }

  #version(etag: string | undefined): string {
    if (etag) return etag;
    throw new SourceError("broken", `${this.#context.server} gives its objects no ETag.`);
  }

  /** @throws SourceUrlError */
  #checkReach(key: string): void {
    if (liesWithin(key, this.#prefix)) return;
    throw new SourceUrlError(
      `The connector gives access to ${this.identity}/${this.#prefix}/ only.`,
    );
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof SourceError || error instanceof SourceChangedError) return error;
    return s3Failure(error, this.#context);
  }
}

function signed({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials) {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  return { credentials };
}

function scopeOf(settings: S3Settings, bucket: string, region: string): string {
  const { endpoint, credentials } = settings;
  return createHash("sha256")
    .update(JSON.stringify(["s3", endpoint, region, bucket, credentials]))
    .digest("base64url");
}
