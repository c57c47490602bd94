/** One file of an upload, on its way in: to a local file, hashed and counted as it comes. */

import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Problem } from "../../platform/input/problem.ts";
import { LIMITS } from "./limits.ts";

export interface ReceivedFile {
  /** Its place in the request, from 0. */
  readonly index: number;
  readonly name: string;
  /** As the upload said, in lower case; null where it said none. */
  readonly mediaType: string | null;
  /** Of the local file. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, lowercase hex. */
  readonly hash: string;
}

/** Counts what all files of a request bring. */
export class ByteBudget {
  #left: number = LIMITS.bytesPerRequest;
  readonly #admit: (bytes: number) => void;

  /** @param admit asked for what all have brought; throws where that is too much */
  constructor(admit: (bytes: number) => void = () => {}) {
    this.#admit = admit;
  }

  /** @throws 413 */
  take(bytes: number): void {
    this.#left -= bytes;
    this.#admit(LIMITS.bytesPerRequest - this.#left);
    if (this.#left < 0) {
      throw tooLarge(
        `The files together are larger than ${LIMITS.bytesPerRequest} bytes; send them in several requests.`,
      );
    }
  }
}

/** @throws 413 where the file, or the request, is larger than may be */
export async function receiveFile(
  source: Readable | AsyncIterable<Uint8Array>,
  folder: string,
  file: Pick<ReceivedFile, "index" | "name" | "mediaType">,
  budget: ByteBudget,
): Promise<ReceivedFile> {
  const path = join(folder, String(file.index));
  const hash = createHash("sha256");
  let bytes = 0;
  await pipeline(
    source,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > LIMITS.bytesPerFile) {
          throw tooLarge(`'${file.name}' is larger than ${LIMITS.bytesPerFile} bytes.`);
        }
        budget.take(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return { ...file, path, bytes, hash: hash.digest("hex") };
}

const tooLarge = (detail: string): Problem => new Problem("payload-too-large", detail);
