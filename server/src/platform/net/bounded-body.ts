/** An answer's body with an end: of its size, and of its time however slowly it drips. */

import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { OutboundFailedError } from "./outbound.ts";

export interface BodyBounds {
  /** For messages. */
  readonly place: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Aborting it ends the request. */
  readonly clock: AbortController;
  /** Follows the clock and the caller. */
  readonly signal: AbortSignal;
  readonly translate: (error: unknown) => Error;
}

/** The time runs from this call on, and whether or not anybody reads. */
export function boundedBody(
  source: NodeReadableStream<Uint8Array>,
  bounds: BodyBounds,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  let bytes = 0;
  const end = (error: OutboundFailedError): void => bounds.clock.abort(error);
  const timer = setTimeout(
    () =>
      end(new OutboundFailedError("timeout", `The answer of ${bounds.place} did not end in time.`)),
    bounds.timeoutMs,
  );
  timer.unref();
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          clearTimeout(timer);
          controller.close();
          return;
        }
        bytes += value.byteLength;
        if (bytes > bounds.maxBytes) {
          const message = `The answer of ${bounds.place} is larger than ${bounds.maxBytes} bytes.`;
          const error = new OutboundFailedError("too-large", message);
          end(error);
          throw error;
        }
        controller.enqueue(new Uint8Array(value));
      } catch (error) {
        clearTimeout(timer);
        throw bounds.signal.aborted ? bounds.signal.reason : bounds.translate(error);
      }
    },
    async cancel(reason) {
      clearTimeout(timer);
      await reader.cancel(reason);
    },
  });
}
