/** In the place of the engine's: for runtimes without `node:crypto`, and for pages without `crypto.subtle`. */

import { sha256 as hash } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Lowercase hex. */
export function sha256(bytes: Uint8Array): string {
  return bytesToHex(hash(bytes));
}
