/**
 * The form of an API key: `dk_`, 32 random bytes in base62 (43 digits), and a CRC-32 of what stands
 * before it (6 digits). The checksum lets a mistyped key, or a string that only looks like one, be
 * told by scanners and tools without asking the service; the secret is in the random bytes alone.
 */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "dk_";
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43; // 62^43 > 2^256
const CHECK_DIGITS = 6; // 62^6 > 2^32
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECK_DIGITS}}$`);

/** A non-negative number in base62, most significant digit first, padded with zeros. */
export function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits || rest > 0n; rest /= 62n) {
    text = DIGITS[Number(rest % 62n)]! + text;
  }
  return text;
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECK_DIGITS);

/** @param secret 32 bytes */
export function formatApiKey(secret: Uint8Array): string {
  const body = PREFIX + base62(BigInt(`0x${Buffer.from(secret).toString("hex")}`), SECRET_DIGITS);
  return body + checksum(body);
}

export const createApiKey = (): string => formatApiKey(randomBytes(SECRET_BYTES));

/** Whether a token claims to be one of our keys, right or wrong. */
export const looksLikeApiKey = (token: string): boolean => token.startsWith(PREFIX);

/** Whether it has the form and its checksum is right. */
export const isWellFormedApiKey = (token: string): boolean =>
  FORM.test(token) && checksum(token.slice(0, -CHECK_DIGITS)) === token.slice(-CHECK_DIGITS);

/** What is stored and looked up. A lookup by hash tells an attacker's clock nothing of the key. */
export const hashApiKey = (key: string): Buffer => hash("sha256", key, "buffer");

/** The same in lower-case hexadecimal digits. */
export const hexHashOfApiKey = (key: string): string => hash("sha256", key, "hex");

/** What people see of a key afterwards. */
export const visiblePrefix = (key: string): string =>
  isWellFormedApiKey(key) ? key.slice(0, PREFIX.length + 6) : "";
