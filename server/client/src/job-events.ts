/** A job's events (`GET /v1/jobs/{job_id}/events`), across connections that are lost. */

import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Outputs } from "./procedures.ts";
import { failureOf, ServiceError } from "./service-error.ts";
import type { Transport } from "./transport.ts";

/** What a job says of how far it is; which members it has follows from its kind. */
export type JobProgress = Outputs["jobs"]["metrics"]["metrics"]["progress"];

/** What became of a job. */
export interface JobEnd {
  readonly status: Outputs["jobs"]["result"]["status"];
  readonly error_message: string | null;
}

/** One event of a job: an entry of its log, its progress, or its end. */
export type JobEvent =
  | { readonly event: "run"; readonly id: number; readonly data: Readonly<Record<string, unknown>> }
  | { readonly event: "progress"; readonly data: JobProgress }
  | { readonly event: "end"; readonly data: JobEnd };

export interface JobEventsOptions {
  readonly signal?: AbortSignal | undefined;
  /** The id of the last `run` event that is known already. Default 0: all from the first. */
  readonly after?: number;
  /** Milliseconds for which a service that does not answer is asked again. Default 60,000. */
  readonly patienceMs?: number;
  /** Told when events begin to come, and when the connection is lost on which they came. */
  readonly onConnection?: (isOpen: boolean) => void;
}

/** The service says something at least every 15 s. */
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

export async function* followJob(
  transport: Transport,
  jobId: string,
  { signal, after = 0, patienceMs = 60_000, onConnection }: JobEventsOptions = {},
): AsyncGenerator<JobEvent, void, undefined> {
  let last = after;
  let heardAt = Date.now();
  const heard = (): void => {
    heardAt = Date.now();
  };
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    const watch = new Silence(signal, heard);
    let failure: unknown = null;
    let waitMs = pause;
    try {
      for await (const event of connection(transport, jobId, last, watch, onConnection)) {
        pause = FIRST_PAUSE_MS;
        if (event.event === "run") last = event.id;
        yield event;
        if (event.event === "end") return;
        // Who takes long over an event has not been left without an answer meanwhile.
        watch.heard();
      }
    } catch (error) {
      signal?.throwIfAborted();
      failure = failureOf(error, null);
      if (failure instanceof ServiceError) {
        if (!failure.isPassing) throw failure;
        waitMs = Math.max(pause, failure.retryAfterMs ?? 0);
      }
    } finally {
      watch.end();
    }
    onConnection?.(false);
    if (Date.now() + waitMs - heardAt > patienceMs) {
      throw failure ?? new ServiceError("The events end before the job does.", null, null);
    }
    await pauseOf(waitMs, signal);
  }
}

/** @throws the signal's reason */
function pauseOf(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

async function* connection(
  transport: Transport,
  jobId: string,
  last: number,
  watch: Silence,
  onConnection: JobEventsOptions["onConnection"],
): AsyncGenerator<JobEvent> {
  const response = await transport.ask(`/v1/jobs/${encodeURIComponent(jobId)}/events`, {
    headers: {
      accept: "text/event-stream",
      ...(last > 0 ? { "last-event-id": String(last) } : {}),
    },
    signal: watch.signal,
  });
  const type = response.headers.get("content-type") ?? "nothing";
  if (!type.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw new ServiceError(
      `What answered at ${response.url} is no service of this kind: it sent ${type} in place of events.`,
      response.status,
      null,
    );
  }
  onConnection?.(true);
  const heard = new TransformStream<string, string>({
    transform(text, controller) {
      watch.heard();
      controller.enqueue(text);
    },
  });
  const messages = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(heard)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  if (!messages) throw new ServiceError("The service answered without a stream.", null, null);
  try {
    for (let next = await messages.read(); !next.done; next = await messages.read()) {
      const { event, id, data } = next.value;
      // The service's own events; later versions may have others.
      if (event === "run") yield { event, id: Number(id), data: JSON.parse(data) };
      else if (event === "progress" || event === "end") yield { event, data: JSON.parse(data) };
    }
  } finally {
    // Who stops listening closes the connection.
    await messages.cancel().catch(() => undefined);
  }
}

/** Ends a connection on which nothing is said any more. */
class Silence {
  readonly #controller = new AbortController();
  readonly #stop: () => void;
  readonly #onHeard: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onHeard called with everything that is heard */
  constructor(signal: AbortSignal | undefined, onHeard: () => void) {
    this.#onHeard = onHeard;
    this.#stop = () => this.#controller.abort(signal?.reason);
    signal?.addEventListener("abort", this.#stop);
    this.end = () => {
      clearTimeout(this.#timer);
      signal?.removeEventListener("abort", this.#stop);
    };
    this.#wait();
  }

  readonly end: () => void;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#onHeard();
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error("Nothing was heard.")),
      SILENCE_MS,
    );
  }
}
