/** A file, sent to be registered as a dataset (`POST /v1/datasets`), with what has left so far. */

import type { Outputs } from "./procedures.ts";
import { send, type UploadProgress } from "./send.ts";
import { jsonOf, ServiceError } from "./service-error.ts";
import type { Transport } from "./transport.ts";

/** What the service knows of a dataset. */
export type Dataset = Outputs["uploads"]["complete"];

/** A browser's or Node's `Blob`, or its `File`, whose name is then the dataset's. */
export interface BlobLike {
  readonly size: number;
  readonly name?: string;
  stream(): AsyncIterable<Uint8Array> | ReadableStreamLike;
}

/** A stream of bytes of the web's kind. */
export interface ReadableStreamLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The bytes of a file, or what gives them one after another, such as Node's `createReadStream(path)`. */
export type UploadData =
  | string
  | Uint8Array
  | ArrayBuffer
  | BlobLike
  | AsyncIterable<Uint8Array>
  | ReadableStreamLike;

export interface UploadOptions {
  /** The dataset's; default: the file's name. */
  readonly name?: string;
  /** Tells the format where `mediaType` does not: `.csv`, `.tsv`, `.parquet`, `.arrow`, `.feather`, `.ndjson`, `.jsonl`, each also with `.gz` or `.zst`. */
  readonly fileName?: string;
  /** Such as `text/csv` or `application/vnd.apache.parquet`. */
  readonly mediaType?: string;
  /** Kinds to read columns as, instead of the inferred ones. */
  readonly kinds?: Readonly<Record<string, Dataset["columns"][number]["datatype"]["kind"]>>;
  /** Of CSV: a label of the Encoding Standard, such as `windows-1250`; default: found out of the bytes. */
  readonly encoding?: string | undefined;
  /** Sent again under the same key, the file is registered once. */
  readonly idempotencyKey?: string;
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  tsv: "text/csv",
  txt: "text/csv",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file",
  arrows: "application/vnd.apache.arrow.stream",
  feather: "application/vnd.apache.arrow.file",
  ipc: "application/vnd.apache.arrow.file",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
};

/** Bytes that are handed over at a time, so that progress is seen. */
const PART_BYTES = 262_144;

export async function uploadDataset(
  transport: Transport,
  data: UploadData,
  options: UploadOptions = {},
): Promise<Dataset> {
  const { idempotencyKey, kinds, encoding, onProgress, signal } = options;
  const fileName = options.fileName ?? (isBlob(data) ? data.name : undefined);
  const name = options.name ?? fileName;
  const query = new URLSearchParams({
    ...(name === undefined ? {} : { name }),
    ...(kinds === undefined ? {} : { kinds: JSON.stringify(kinds) }),
    ...(encoding === undefined ? {} : { encoding }),
  });
  const path = `/v1/datasets${query.size > 0 ? `?${query}` : ""}`;
  const headers = {
    "content-type": options.mediaType ?? mediaTypeOf(fileName),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
  };
  const bytes = bytesOf(data);
  if (bytes !== null && !onProgress) {
    return transport.askJson(path, { method: "POST", headers, body: bytes, signal });
  }
  const whole = bytes ?? (isBlob(data) && data instanceof Blob ? data : null);
  if (whole !== null && onProgress && typeof XMLHttpRequest !== "undefined") {
    const response = await send(transport, path, whole, { headers, onProgress, signal });
    return jsonOf(response, signal);
  }
  const total = bytes?.byteLength ?? (isBlob(data) ? data.size : null);
  const parts = bytes ? partsOf(bytes) : chunksOf(data as Exclude<UploadData, string>);
  const own: { failure?: { readonly reason: unknown } } = {};
  const body = counted(parts, total, onProgress, (reason) => {
    own.failure = { reason };
  });
  try {
    return await transport.askJson(path, { method: "POST", headers, body, signal });
  } catch (error) {
    // It is not the service that could not be reached.
    throw own.failure && !signal?.aborted ? own.failure.reason : error;
  }
}

function mediaTypeOf(fileName: string | undefined): string {
  const ending = /\.([a-z0-9]+)(?:\.(?:gz|zst))?$/i.exec(fileName ?? "")?.[1]?.toLowerCase() ?? "";
  const known = MEDIA_TYPES[ending];
  if (known) return known;
  throw new ServiceError(
    `${fileName === undefined ? "Nothing" : `The file name ${fileName}`} says which format the data has: give \`mediaType\`, or a \`fileName\` that ends in .${Object.keys(MEDIA_TYPES).join(", .")}.`,
    null,
    null,
  );
}

const isBlob = (data: UploadData): data is BlobLike =>
  typeof data === "object" && "size" in data && "stream" in data;

/** Null for what comes bit by bit. */
function bytesOf(data: UploadData): Uint8Array<ArrayBuffer> | null {
  if (typeof data === "string") return new TextEncoder().encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  // What lies in shared memory is copied: requests do not take it.
  return data instanceof Uint8Array ? new Uint8Array(data) : null;
}

function* partsOf(bytes: Uint8Array<ArrayBuffer>): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    yield bytes.subarray(from, from + PART_BYTES);
  }
}

async function* chunksOf(data: Exclude<UploadData, string>): AsyncGenerator<Uint8Array> {
  const stream = isBlob(data) ? data.stream() : data;
  if (Symbol.asyncIterator in stream) {
    yield* stream;
    return;
  }
  const reader = (stream as ReadableStreamLike).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value) yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function counted(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  totalBytes: number | null,
  onProgress: UploadOptions["onProgress"],
  failed: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = (async function* () {
    yield* parts;
  })();
  let sentBytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done) return controller.close();
        if (!(value instanceof Uint8Array)) {
          throw new TypeError(`The data gives a ${typeof value} where bytes should come.`);
        }
        controller.enqueue(value);
        sentBytes += value.length;
        onProgress?.({ sentBytes, totalBytes });
      } catch (error) {
        failed(error);
        throw error;
      }
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
}
