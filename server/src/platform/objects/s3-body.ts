/**
 * An object's bytes, by as many answers as it takes: a connection that is lost within a long body is the commonest
 * fault of a store, and what came before it need not come again.
 */

import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { ObjectNotFoundError, ObjectStoreUnavailableError } from "./object-store.ts";
import { isSilence } from "./s3-client.ts";

/** So often, with less than `PROGRESS_BYTES` in between. */
const RESUMPTIONS = 3;
const PROGRESS_BYTES = 1 << 20;
/** Before the first of them; each next one waits twice as long. */
const RESUME_MS = 50;

/** What a server answered to a GET. */
export interface S3Body {
  readonly stream: Readable;
  /** Absent where the server did not say it. */
  readonly bytes: number | undefined;
}

/**
 * @param first its stream is destroyed, whatever becomes of it
 * @param lengthOf asks how many bytes there are, where the first answer did not say it
 * @param reopen asks for what follows the first bytes, of which it is given how many; of the same version of the object
 * @throws ObjectStoreUnavailableError where it breaks off again and again; ObjectNotFoundError
 */
export async function* readBody(
  first: S3Body,
  lengthOf: () => Promise<number>,
  reopen: (from: number) => Promise<Readable>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let { stream } = first;
  let expected = first.bytes;
  let bytes = 0;
  let begun = 0;
  for (let resumed = 0; ; resumed++) {
    try {
      // Not every server says it with the body, whose end is then that of its connection.
      expected ??= await lengthOf();
      for await (const chunk of stream) {
        const piece: Uint8Array = chunk;
        bytes += piece.byteLength;
        yield piece;
      }
      if (bytes === expected) return;
      throw new Error(`an object came as ${bytes} bytes of ${expected}`);
    } catch (error) {
      if (bytes - begun >= PROGRESS_BYTES) resumed = 0;
      if (resumed === RESUMPTIONS || !isBrokenOff(error) || bytes >= (expected ?? 0)) {
        throw isTold(error) ? error : new ObjectStoreUnavailableError(error);
      }
    } finally {
      stream.destroy();
    }
    await delay(RESUME_MS * 2 ** resumed);
    begun = bytes;
    stream = await reopen(bytes);
  }
}

const isTold = (error: unknown): boolean =>
  error instanceof ObjectNotFoundError || error instanceof ObjectStoreUnavailableError;

/** A server that falls silent was waited for already. */
const isBrokenOff = (error: unknown): boolean => !isTold(error) && !isSilence(error);
