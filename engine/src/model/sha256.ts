/** The hash by which a model lists its files. `@distillery/predict` has a file of its own in this one's place. */

import { createHash } from "node:crypto";

/** Lowercase hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
