/** Bytes that come, as a local file, with what tells them from others. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

export interface Received {
  readonly bytes: number;
  /** SHA-256, lowercase hex. */
  readonly sha256: string;
}

/** @param path where nothing is */
export async function receiveFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const file = await open(path, "wx", 0o600);
  try {
    return await digest(source, (chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
}

/** The same of a file that is there. */
export function digestFile(path: string): Promise<Received> {
  return digest(createReadStream(path, { highWaterMark: 1 << 20 }), async () => {});
}

async function digest(
  source: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<Received> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await take(chunk);
  }
  return { bytes, sha256: hash.digest("hex") };
}
