/** Request bodies: reading them under a limit, and JSON without surprises. */
import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { type JsonOptions, parseBody } from "../../../platform/input/json.ts";
import { Problem, payloadTooLarge } from "../../../platform/input/problem.ts";

/** What gzip makes of honest text is far below; nothing small is refused for it. */
const GZIP_RATIO = 500;
const RATIO_FREE_BYTES = 64 * 2 ** 20;

/** A body that is read into memory has this long to arrive, … */
const BODY_DEADLINE_MS = 120_000;
/** … and a second more for each so many bytes that came: 128 kbit/s. */
const BYTES_PER_SECOND = 16 * 1024;

/** A request's body on its way in: the request itself, or a stream that taps it. */
export interface IncomingBody {
  readonly headers: IncomingHttpHeaders;
  readonly stream: Readable;
}

/** Whether the headers announce a body, however small. */
export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined ||
  (headers["content-length"] !== undefined && headers["content-length"] !== "0");

export interface MediaType {
  /** Lower case, e.g. `text/csv`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads a `Content-Type`; null where it is absent or malformed. */
export function parseMediaType(header: string | undefined): MediaType | null {
  const match = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(;.*)?$/.exec(header ?? "");
  if (match === null) return null;
  const parameters: Record<string, string> = {};
  for (const [, name, quoted, bare] of (match[2] ?? "").matchAll(
    /;\s*([\w!#$&^.+-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g,
  )) {
    parameters[name!.toLowerCase()] = quoted?.replace(/\\(.)/g, "$1") ?? bare ?? "";
  }
  return { type: match[1]!.toLowerCase(), parameters };
}

export const isJsonType = (type: string): boolean =>
  type === "application/json" || /^application\/[\w.-]+\+json$/.test(type);

const unsupported = (detail: string): Problem => new Problem("unsupported-media-type", detail);

/**
 * A body that may be left half read. Whoever stops reading a request destroys it, and its
 * connection with it, before the answer is out; this stream stands between, and what is left of the
 * request is read and dropped, so that the connection serves on.
 */
export function detached(source: Readable): Readable {
  const body = new PassThrough();
  source.pipe(body);
  source.once("error", (error) => body.destroy(error));
  source.once("close", () => {
    if (!source.readableEnded) body.destroy(new Error("the request ended too early"));
  });
  body.once("close", () => {
    source.unpipe(body);
    source.resume();
  });
  return body;
}

/** Undoes gzip until it is clear that little stands for too much: then it fails with a 413. */
function unpacked(body: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      // What zlib calls written are the bytes that it was given.
      const isTooMuch = bytes > RATIO_FREE_BYTES && bytes > GZIP_RATIO * gunzip.bytesWritten;
      if (isTooMuch) done(unpacksToTooMuch());
      else done(null, chunk);
    },
  });
  // The error goes to whoever reads the result; the callback is only there to be called.
  return pipeline(body, gunzip, counted, () => {});
}

const unpacksToTooMuch = (): Problem =>
  new Problem(
    "payload-too-large",
    `The body unpacks to more than ${GZIP_RATIO} times what was sent, which is the limit.`,
  );

/** The body with its `Content-Encoding` undone; it may be left half read. */
export function decodedBody(incoming: IncomingBody): Readable {
  const body = detached(incoming.stream);
  return isGzip(incoming.headers) ? unpacked(body) : body;
}

/** Whether the body is compressed; 415 for what is neither gzip nor plain. */
function isGzip(headers: IncomingHttpHeaders): boolean {
  const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity") return false;
  if (encoding === "gzip" || encoding === "x-gzip") return true;
  throw unsupported(`The Content-Encoding ${encoding} is not supported; use gzip or none.`);
}

/** From here on a body is written into one piece of memory as it comes. */
const IN_CHUNKS_BYTES = 128 * 1024;

interface BodyMemory {
  /** Bytes that there may be. */
  readonly limit: number;
  /** Bytes that there will be; null where nobody knows. */
  readonly announced: number | null;
  /** Makes room for a large one. */
  readonly room: (bytes: number) => Buffer;
  /** Whether nobody else reads the chunks. */
  readonly isSoleReader: boolean;
}

/** A body's bytes: those of a large one are never copied all at once. */
class BodyBytes {
  readonly #memory: BodyMemory;
  #chunks: Buffer[] = [];
  #whole: Buffer | null = null;
  #copied: Buffer | null = null;
  #size = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** @returns whether it is still within the limit */
  push(chunk: Buffer): boolean {
    const at = this.#size;
    this.#size += chunk.length;
    const { limit, announced, room, isSoleReader } = this.#memory;
    if (this.#size > limit) return false;
    if (this.#whole === null && this.#size <= IN_CHUNKS_BYTES) {
      this.#chunks.push(chunk);
      return true;
    }
    if (this.#whole === null) {
      // The system gives memory where it is written to, so that what stays empty costs nothing.
      this.#whole = room(Math.max(this.#size, announced ?? limit));
      Buffer.concat(this.#chunks, at).copy(this.#whole);
      this.#chunks = [];
    }
    chunk.copy(this.#whole, at);
    if (!isSoleReader) return true;
    // Whoever parses the request may still be at the latest one.
    if (this.#copied !== null) release(this.#copied);
    this.#copied = chunk;
    return true;
  }

  get size(): number {
    return this.#size;
  }

  /** A small one in memory of its own: Node's pool would go along with it to a thread, 64 KiB. */
  all(): Buffer {
    if (this.#whole !== null) return this.#whole.subarray(0, this.#size);
    const own = Buffer.allocUnsafeSlow(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) at += chunk.copy(own, at);
    return own;
  }
}

/**
 * Gives back the memory of bytes that nobody reads any more, such as a chunk that was copied. Collectors count memory that lies outside of the heap: the
 * chunks of a body of 24 MB, left to them, had the loop collect all of its heap at about each such body.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

const tooLate = (): Problem =>
  new Problem("request-timeout", "The request body did not arrive in time.", {
    headers: { connection: "close" },
  });

/**
 * Reads a whole body, at most `limit` bytes of it before and after decoding.
 *
 * @param room for a large one; default memory of its own
 */
export async function readBody(
  incoming: IncomingBody,
  limit: number,
  room: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
): Promise<Buffer> {
  const length = Number(incoming.headers["content-length"] ?? 0);
  if (length > limit) throw payloadTooLarge(limit);
  // Listening for chunks never destroys a request, so a plain one needs nothing between.
  const isPacked = isGzip(incoming.headers);
  const stream = isPacked ? decodedBody(incoming) : incoming.stream;
  const announced = isPacked || length === 0 ? null : length;
  return await new Promise<Buffer>((resolve, reject) => {
    // What taps a request, or unpacks it, has the chunks too.
    const isSoleReader = stream instanceof IncomingMessage;
    const body = new BodyBytes({ limit, announced, room, isSoleReader });
    let isSettled = false;
    const settle = (finish: () => void): void => {
      // Behind its end a request closes; an error that nobody hears of costs a tenth of what a small request does.
      if (isSettled) return;
      isSettled = true;
      clearTimeout(deadline);
      stream.removeAllListeners("data");
      finish();
    };
    const begun = performance.now();
    const checkTime = (): void => {
      const allowed = BODY_DEADLINE_MS + (1000 * body.size) / BYTES_PER_SECOND;
      const left = begun + allowed - performance.now();
      if (left > 0) deadline = setTimeout(checkTime, left);
      else settle(() => reject(tooLate()));
    };
    let deadline = setTimeout(checkTime, BODY_DEADLINE_MS);
    stream.on("data", (chunk: Buffer) => {
      if (!body.push(chunk)) settle(() => reject(payloadTooLarge(limit)));
    });
    stream.once("end", () => settle(() => resolve(body.all())));
    stream.once("error", (cause) =>
      settle(() =>
        reject(new Problem("bad-request", "The request body could not be read.", { cause })),
      ),
    );
    stream.once("close", () =>
      settle(() => reject(new Problem("bad-request", "The request body ended too early."))),
    );
  });
}

/**
 * The bytes of a JSON body, or undefined where there is none.
 * Throws 415 and 413.
 */
export async function readJsonBytes(
  incoming: IncomingBody,
  limit: number,
): Promise<Buffer | undefined> {
  if (!hasBody(incoming.headers)) return undefined;
  const media = parseMediaType(incoming.headers["content-type"]);
  if (media === null || !isJsonType(media.type)) {
    throw unsupported("Send the body as application/json.");
  }
  const charset = media.parameters["charset"]?.toLowerCase() ?? "utf-8";
  if (charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii") {
    throw unsupported(`The charset ${charset} is not supported; send UTF-8.`);
  }
  const bytes = await readBody(incoming, limit);
  return bytes.length === 0 ? undefined : bytes;
}

/**
 * A JSON body, or undefined where there is none. Nothing is coerced.
 * Throws 415, 413 and, for what is no JSON, the interface's 422 (`json_invalid`).
 */
export async function readJsonBody(
  incoming: IncomingBody,
  limit: number,
  options: JsonOptions = {},
): Promise<unknown> {
  const bytes = await readJsonBytes(incoming, limit);
  return bytes && parseBody(bytes, options);
}
