/**
 * Sealing of credentials at rest: AES-256-GCM under a key derived from the installation's secret,
 * with the owner's identity as associated data, so that a sealed value moved to another row or
 * organization does not open. Format: `v1.<key id>.<nonce>.<ciphertext and tag>`, base64url.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { SecretKey } from "./secret-key.ts";

/** A sealed value was made with another key, for another owner, or was changed. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
}

const TAG_BYTES = 16;
const NONCE_BYTES = 12;

export class Sealer {
  readonly #key: Uint8Array;
  /** Tells keys apart, and is no secret. */
  readonly keyId: string;

  constructor(secret: SecretKey) {
    this.#key = secret.derive("sealing");
    this.keyId = createHash("sha256").update(this.#key).digest("base64url").slice(0, 8);
  }

  /** @param owner names what the value belongs to, such as organization and connector ids */
  seal(plaintext: string, owner: readonly string[]): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(JSON.stringify(owner)));
    const sealed = Buffer.concat([
      cipher.update(plaintext, "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `v1.${this.keyId}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
  }

  /** @throws UnsealError */
  open(sealed: string, owner: readonly string[]): string {
    const [version, keyId, nonce, body, ...rest] = sealed.split(".");
    if (version !== "v1" || nonce === undefined || body === undefined || rest.length > 0) {
      throw new UnsealError("not a sealed value");
    }
    if (keyId !== this.keyId) throw new UnsealError("sealed with another DISTILLERY_SECRET_KEY");
    const bytes = Buffer.from(body, "base64url");
    const nonceBytes = Buffer.from(nonce, "base64url");
    if (bytes.length < TAG_BYTES || nonceBytes.length !== NONCE_BYTES) {
      throw new UnsealError("not a sealed value");
    }
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonceBytes);
    decipher.setAAD(Buffer.from(JSON.stringify(owner)));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return (
        decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      );
    } catch (error) {
      throw new UnsealError("the sealed value was changed or belongs to another owner", {
        cause: error,
      });
    }
  }
}
