/**
 * Objects in a bucket of the S3 API, under a key prefix. Credentials come from the SDK's default
 * chain. Uploads of more than one part are multipart: an object appears when its last part has
 * arrived, and a failed source aborts the upload.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { ObjectStoreLocation } from "../object-store-url.ts";
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  chunks,
  type ObjectHead,
  ObjectNotFoundError,
  type ObjectStore,
  ObjectStoreUnavailableError,
  type PresignOptions,
  type StoredObject,
} from "./object-store.ts";
import { resumedBody } from "./s3-body.ts";
import {
  codeFailure,
  createS3Client,
  ForeignAnswerError,
  hasStatus,
  isSilence,
  listS3,
  listS3Folders,
  rangeHeader,
  storeFailure,
} from "./s3-client.ts";
import { abortUnfinished } from "./s3-unfinished.ts";

/** An upload holds this many parts of this size: 32 MiB, up to 80 GB an object. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 4;
const DELETE_BATCH = 1000;
/** A request may take an hour and a task a day; the parts of what began before that are nobody's. */
const LONGEST_UPLOAD_MILLISECONDS = 24 * 3_600_000;

/** Whose answers, of any server of the S3 API, have the object's ETag. */
const TAGGED = new Set([
  "CompleteMultipartUploadCommand",
  "GetObjectCommand",
  "HeadObjectCommand",
  "PutObjectCommand",
  "UploadPartCommand",
]);

interface OpenedObject {
  readonly stream: Readable;
  /** Absent where the server did not say it. */
  readonly bytes: number | undefined;
  readonly etag: string | undefined;
  /** Of its bytes the first in the stream. */
  readonly from: number;
}

type S3Location = Extract<ObjectStoreLocation, { kind: "s3" }>;

export class S3ObjectStore implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  /** Empty or ending in `/`. */
  readonly #prefix: string;

  constructor(location: S3Location, client?: S3Client) {
    this.#bucket = location.bucket;
    this.#prefix = location.prefix === "" ? "" : `${location.prefix}/`;
    this.#client =
      client ??
      createS3Client({
        ...(location.endpoint !== undefined && { endpoint: location.endpoint }),
        region: location.region ?? process.env["AWS_REGION"] ?? "us-east-1",
        forcePathStyle: location.forcePathStyle,
      });
    // Around everything that the client does, its own retries included.
    this.#client.middlewareStack.add(
      (next) => async (call) => {
        try {
          return await next(call);
        } catch (error) {
          const failure = storeFailure(error);
          throw failure === null ? error : new ObjectStoreUnavailableError(told(error), failure);
        }
      },
      { step: "initialize", priority: "high", name: "unavailable" },
    );
    // Within the retries: who waits for the answer is not to wait three times as long for it. The
    // cause is left out, since the SDK tries again by the names of causes as well.
    this.#client.middlewareStack.add(
      (next) => async (call) => {
        try {
          return await next(call);
        } catch (error) {
          throw isSilence(error)
            ? new ObjectStoreUnavailableError(new Error(error.message))
            : error;
        }
      },
      { step: "finalizeRequest", priority: "low", name: "silent" },
    );
    // Something in between that answers all alike, such as a portal to sign in at, has kept nothing.
    this.#client.middlewareStack.add(
      (next, { commandName = "" }) =>
        async (call) => {
          const answer = await next(call);
          if (!TAGGED.has(commandName) || "ETag" in (answer.output ?? {})) return answer;
          throw new ObjectStoreUnavailableError(new ForeignAnswerError());
        },
      { step: "deserialize", priority: "high", name: "foreign" },
    );
  }

  async put(
    key: string,
    source: AsyncIterable<Uint8Array> | Uint8Array,
    options: { readonly contentType?: string } = {},
  ): Promise<StoredObject> {
    checkKey(key);
    const hash = createHash("sha256");
    let bytes = 0;
    let failure: { readonly reason: unknown } | undefined;
    async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for await (const chunk of chunks(source)) {
          hash.update(chunk);
          bytes += chunk.byteLength;
          yield chunk;
        }
      } catch (reason) {
        failure = { reason };
        throw reason;
      }
    }
    const upload = new Upload({
      client: this.#client,
      params: {
        Bucket: this.#bucket,
        Key: this.#prefix + key,
        Body: Readable.from(counted(), { objectMode: false }),
        ...(options.contentType !== undefined && { ContentType: options.contentType }),
      },
      partSize: PART_BYTES,
      queueSize: PARTS_IN_FLIGHT,
      leavePartsOnError: false,
    });
    try {
      await upload.done();
    } catch (error) {
      // The source's own failure tells more than that of the abort that follows it.
      if (failure !== undefined) throw failure.reason;
      // An upload that it no longer knows was ended by a request whose answer was lost, or aborted there.
      throw hasStatus(error, 404) ? new ObjectStoreUnavailableError(told(error)) : error;
    }
    return { bytes, sha256: hash.digest("hex") };
  }

  async putFile(key: string, path: string): Promise<void> {
    await this.put(key, createReadStream(path, { highWaterMark: 1 << 20 }));
  }

  async copyTo(key: string, path: string): Promise<void> {
    await pipeline(this.get(key), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  }

  async *get(
    key: string,
    options: { readonly range?: ByteRange } = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    checkKey(key);
    if (options.range?.length === 0) {
      if ((await this.head(key)) === null) throw new ObjectNotFoundError(key);
      return;
    }
    const opened = await this.#open(key, options.range);
    if (opened === null) return;
    const { offset = 0, length } = options.range ?? {};
    const { stream, etag } = opened;
    try {
      // Not every server says it with the body, whose end is then that of its connection.
      const expected = opened.bytes ?? (await this.#lengthOf(key, options.range));
      yield* resumedBody(stream, expected, async (from) => {
        const rest = {
          offset: offset + from,
          ...(length !== undefined && { length: length - from }),
        };
        const next = await this.#open(key, rest, etag);
        if (next?.from === rest.offset) return next.stream;
        next?.stream.destroy();
        return null;
      });
    } catch (error) {
      throw error instanceof ObjectNotFoundError || error instanceof ObjectStoreUnavailableError
        ? error
        : new ObjectStoreUnavailableError(error);
    } finally {
      stream.destroy();
    }
  }

  async head(key: string): Promise<ObjectHead | null> {
    checkKey(key);
    try {
      const head = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + key }),
      );
      return {
        key,
        bytes: head.ContentLength ?? 0,
        modifiedAt: head.LastModified ?? new Date(0),
      };
    } catch (error) {
      if (hasStatus(error, 404)) return null;
      throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<ObjectHead, void, undefined> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    if (folder !== "") checkPrefix(folder);
    const listed = listS3(this.#client, this.#bucket, this.#prefix + prefix);
    try {
      for await (const { key, bytes, modifiedAt } of listed) {
        yield { key: key.slice(this.#prefix.length), bytes, modifiedAt };
      }
    } catch (error) {
      throw error instanceof ForeignAnswerError ? new ObjectStoreUnavailableError(error) : error;
    }
  }

  async *listFolders(prefix: string): AsyncGenerator<string, void, undefined> {
    checkPrefix(prefix);
    yield* listS3Folders(this.#client, this.#bucket, this.#prefix + prefix);
  }

  async removeAbandonedUploads(prefix: string): Promise<void> {
    checkPrefix(prefix);
    const before = Date.now() - LONGEST_UPLOAD_MILLISECONDS;
    await abortUnfinished(this.#client, this.#bucket, this.#prefix + prefix, before);
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#client.send(
      new DeleteObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + key }),
    );
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    let batch: string[] = [];
    for await (const { key } of this.list(prefix)) {
      batch.push(key);
      if (batch.length === DELETE_BATCH) {
        await this.#deleteBatch(batch);
        batch = [];
      }
    }
    if (batch.length > 0) await this.#deleteBatch(batch);
  }

  async presign(key: string, options: PresignOptions): Promise<string> {
    checkKey(key);
    return await getSignedUrl(
      this.#client,
      new GetObjectCommand({
        Bucket: this.#bucket,
        Key: this.#prefix + key,
        ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(options.fileName)}`,
      }),
      { expiresIn: options.expiresInSeconds },
    );
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      // An answer to HEAD has no body that would name the fault: no such bucket (404), another region (400).
      throw error instanceof S3ServiceException
        ? new ObjectStoreUnavailableError(told(error), "refusing")
        : error;
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #lengthOf(key: string, range: ByteRange = { offset: 0 }): Promise<number> {
    const head = await this.head(key);
    if (head === null) throw new ObjectNotFoundError(key);
    return Math.min(range.length ?? head.bytes, head.bytes - range.offset);
  }

  /**
   * Null where the range begins past the end.
   *
   * @param etag of the version that is wanted; any unless given
   */
  async #open(key: string, range?: ByteRange, etag?: string): Promise<OpenedObject | null> {
    try {
      const { Body, ContentLength, ContentRange, ETag } = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: this.#prefix + key,
          ...(range !== undefined && { Range: rangeHeader(range) }),
          ...(etag !== undefined && { IfMatch: etag }),
        }),
      );
      if (!(Body instanceof Readable)) throw new Error("the object store sent no body");
      const from = Number(/^bytes (\d+)-/.exec(ContentRange ?? "")?.[1] ?? 0);
      return { stream: Body, bytes: ContentLength, etag: ETag, from };
    } catch (error) {
      if (hasStatus(error, 404)) throw new ObjectNotFoundError(key);
      if (hasStatus(error, 416)) return null;
      // Another object has taken its place meanwhile.
      throw hasStatus(error, 412) ? new ObjectStoreUnavailableError(told(error)) : error;
    }
  }

  async #deleteBatch(keys: readonly string[]): Promise<void> {
    const { Errors } = await this.#client.send(
      new DeleteObjectsCommand({
        Bucket: this.#bucket,
        Delete: { Objects: keys.map((key) => ({ Key: this.#prefix + key })), Quiet: true },
      }),
    );
    const failed = Errors?.[0];
    if (!failed) return;
    const failure = codeFailure(failed.Code);
    if (failure !== null) throw new ObjectStoreUnavailableError(failed.Code, failure);
    throw new Error(`${failed.Key} could not be deleted: ${failed.Message}`);
  }
}

/** By its name, where a server answered: its words may repeat what it was sent, such as the access key. */
function told(error: unknown): unknown {
  if (!(error instanceof S3ServiceException)) return error;
  const name = /^\w{1,64}$/.test(error.name) ? error.name : "an error";
  return new Error(`${name}, status ${error.$metadata.httpStatusCode}`);
}
