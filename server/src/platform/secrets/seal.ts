/**
 * Sealing of credentials at rest: AES-256-GCM under a key derived from the installation's secret,
 * with the owner's identity as associated data, so that a sealed value moved to another row or
 * organization does not open. Format: `v1.<key id>.<nonce>.<ciphertext and tag>`, base64url. The key
 * id says which of the keys that the installation knows opens it; sealing takes the current one.
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
  /** Of the current key: tells keys apart, and is no secret. */
  readonly keyId: string;
  /** By id, the current one among them. */
  readonly #keys = new Map<string, Uint8Array>();

  /** @param previous secrets of before, which open and do not seal */
  constructor(secret: SecretKey, previous: readonly SecretKey[] = []) {
    this.#key = secret.derive("sealing");
    this.keyId = idOf(this.#key);
    for (const key of [...previous.map((one) => one.derive("sealing")), this.#key]) {
      this.#keys.set(idOf(key), key);
    }
  }

  /** Whether what was sealed with the key of this id opens. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Whether the value was sealed with the current key. */
  isCurrent(sealed: string): boolean {
    return sealed.split(".")[1] === this.keyId;
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
    const key = this.#keys.get(keyId ?? "");
    if (key === undefined) throw new UnsealError("sealed with another DISTILLERY_SECRET_KEY");
    const bytes = Buffer.from(body, "base64url");
    const nonceBytes = Buffer.from(nonce, "base64url");
    if (bytes.length < TAG_BYTES || nonceBytes.length !== NONCE_BYTES) {
      throw new UnsealError("not a sealed value");
    }
    const decipher = createDecipheriv("aes-256-gcm", key, nonceBytes);
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

const idOf = (key: Uint8Array): string =>
  createHash("sha256").update(key).digest("base64url").slice(0, 8);
