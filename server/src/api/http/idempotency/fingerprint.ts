/** What tells whether a request is the one that used a key before. */
import { createHash, type Hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Principal } from "../../context/context.ts";
import { detached, type MediaType, parseMediaType } from "../bodies/body.ts";

/** What stands for "the same request": who asks, method, path with query, media type and body bytes. */
export interface Fingerprint {
  /** The body, to be read from here instead of from the request. */
  readonly body: Readable;
  /** Reads what is left of the body, then gives the digest. */
  digest(): Promise<string>;
}

/**
 * @param caller who asks, and by which scopes: what one was answered is not for everybody who guesses its
 * key, as the secret of an API key that may do more than they
 */
export function fingerprintOf(
  caller: Pick<Principal, "kind" | "subject" | "scopes">,
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
  source: Readable,
): Fingerprint {
  const media = parseMediaType(headers["content-type"]);
  const coding = headers["content-encoding"] ?? "";
  const hash = createHash("sha256").update(
    JSON.stringify([
      ...[caller.kind, caller.subject, [...caller.scopes].sort()],
      ...[method, url, describe(media), coding.toLowerCase()],
    ]),
  );
  const boundary = boundaryOf(media);
  const digest = boundary === null ? new BytesDigest(hash) : new PartsDigest(hash, boundary);
  const tap = detached(source);
  // At the source, so that what the operation leaves unread counts too.
  source.on("data", (chunk: Buffer) => digest.update(chunk));
  let value: Promise<string> | null = null;
  return {
    body: tap,
    digest() {
      value ??= (async () => {
        tap.destroy();
        if (!source.readableEnded) await finished(source, { writable: false });
        return digest.end();
      })();
      return value;
    },
  };
}

const boundaryOf = (media: MediaType | null): string | null =>
  (media?.type.startsWith("multipart/") && media.parameters["boundary"]) || null;

/** The media type without its boundary, which clients draw anew for each attempt. */
function describe(media: MediaType | null): unknown {
  if (media === null) return null;
  const { boundary: _, ...parameters } = media.parameters;
  return [media.type, ...Object.entries(parameters).sort()];
}

/** Digests bytes as they come. */
class BytesDigest {
  readonly #hash: Hash;
  #size = 0;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  update(chunk: Buffer): void {
    this.#size += chunk.length;
    this.#hash.update(chunk);
  }

  end(): string {
    return this.#hash.update(`\n${this.#size}`).digest("hex");
  }
}

/**
 * Digests what stands between the boundaries of a multipart body, and not the boundaries: a digest of
 * the digests of its pieces, so that no two lists of pieces are alike.
 */
class PartsDigest {
  readonly #hash: Hash;
  readonly #delimiter: Buffer;
  #piece = createHash("sha256");
  /** The end of what came, which may be the beginning of a boundary. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(hash: Hash, boundary: string) {
    this.#hash = hash;
    this.#delimiter = Buffer.from(`--${boundary}`, "latin1");
  }

  update(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const at = bytes.indexOf(this.#delimiter);
      if (at < 0) break;
      this.#piece.update(bytes.subarray(0, at));
      this.#endPiece();
      bytes = bytes.subarray(at + this.#delimiter.length);
    }
    const settled = Math.max(0, bytes.length - this.#delimiter.length + 1);
    this.#piece.update(bytes.subarray(0, settled));
    this.#rest = bytes.subarray(settled);
  }

  end(): string {
    this.#piece.update(this.#rest);
    this.#endPiece();
    return this.#hash.digest("hex");
  }

  #endPiece(): void {
    this.#hash.update(this.#piece.digest());
    this.#piece = createHash("sha256");
  }
}
