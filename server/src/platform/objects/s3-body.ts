/**
 * An object's bytes, by as many answers as it takes: a connection that is lost within a long body is the commonest
 * fault of a store, and what came before it need not come again.
 */

import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isSilence } from "./s3-client.ts";

/** So often, with less than `PROGRESS_BYTES` in between. */
const RESUMPTIONS = 3;
const PROGRESS_BYTES = 1 << 20;
/** Before the first of them; each next one waits twice as long. */
const RESUME_MS = 50;

/** More bytes came than there are, or fewer, however often the rest was asked for. */
export class BodyLengthError extends Error {
  override readonly name = "BodyLengthError";
}

/**
 * @param first destroyed, whatever becomes of it
 * @param expected bytes
 * @param reopen asks for what follows the first bytes, of which it is given how many; of the same version of the object;
 *   null where the server has no such answer
 * @throws what broke off the last answer; BodyLengthError; what `reopen` throws
 */
export async function* resumedBody(
  first: Readable,
  expected: number,
  reopen: (from: number) => Promise<Readable | null>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let stream = first;
  let bytes = 0;
  let begun = 0;
  for (let resumed = 0; ; resumed++) {
    let fault: unknown;
    try {
      for await (const chunk of stream) {
        const piece: Uint8Array = chunk;
        bytes += piece.byteLength;
        if (bytes > expected) break;
        yield piece;
      }
      if (bytes === expected) return;
      throw new BodyLengthError(`an object came as ${bytes} bytes of ${expected}`);
    } catch (error) {
      if (bytes - begun >= PROGRESS_BYTES) resumed = 0;
      // A server that falls silent was waited for already.
      if (resumed === RESUMPTIONS || bytes >= expected || isSilence(error)) throw error;
      fault = error;
    } finally {
      stream.destroy();
    }
    await delay(RESUME_MS * 2 ** resumed);
    begun = bytes;
    const rest = await reopen(bytes);
    if (rest === null) throw fault;
    stream = rest;
  }
}
