/**
 * URLs that the service signs for its own file store: an HMAC-SHA-256 over key, file name and
 * expiry, so that whoever holds one may read that object until then and nothing else.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { PresignOptions } from "./object-store.ts";

const PATH = "/v1/objects/";

const querySchema = z.object({
  expires: z.string().regex(/^\d{1,12}$/),
  name: z.string().max(1000),
  signature: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** What a signed URL gives a right to, or why it does not. */
export type Verification =
  | { readonly valid: true; readonly fileName: string; readonly expiresAt: Date }
  | { readonly valid: false; readonly reason: "malformed" | "forged" | "expired" };

export class ObjectUrlSigner {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  /** @param key 32 bytes, derived for this purpose alone */
  constructor(key: Uint8Array, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
  }

  /** `<base URL>/v1/objects/<key>?expires=<unix seconds>&name=<file>&signature=<base64url>` */
  sign(key: string, options: PresignOptions): string {
    const expires = String(Math.floor(this.#now() / 1000) + options.expiresInSeconds);
    const url = new URL(options.baseUrl + PATH + key.split("/").map(encodeURIComponent).join("/"));
    url.searchParams.set("expires", expires);
    url.searchParams.set("name", options.fileName);
    url.searchParams.set("signature", this.#signature(key, expires, options.fileName));
    return url.href;
  }

  /**
   * @param key the path's part behind `/v1/objects/`, percent-decoded
   * @param query the URL's query parameters
   */
  verify(key: string, query: Readonly<Record<string, unknown>>): Verification {
    const parsed = querySchema.safeParse(query);
    if (!parsed.success) return { valid: false, reason: "malformed" };
    const { expires, name, signature } = parsed.data;
    const expected = this.#signature(key, expires, name);
    // As texts: several texts of base64 stand for the same bytes.
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) {
      return { valid: false, reason: "forged" };
    }
    const expiresAt = new Date(Number(expires) * 1000);
    if (this.#now() >= expiresAt.getTime()) return { valid: false, reason: "expired" };
    return { valid: true, fileName: name, expiresAt };
  }

  /** Members are framed by their lengths, so that none can run into the next. */
  #signature(key: string, expires: string, name: string): string {
    const hmac = createHmac("sha256", this.#key);
    for (const member of ["GET", key, expires, name]) {
      hmac.update(`${Buffer.byteLength(member)}:${member}`);
    }
    return hmac.digest("base64url");
  }
}
