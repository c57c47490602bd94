/**
 * A run's events as they come, between the connection and the screen. They are read for a few milliseconds
 * at a time, so that a log of ten thousand trials, which comes at once when its page is opened, does not hold
 * up the page; who draws is told once a frame.
 */

import type { JobEnd, JobEvent, Outputs } from "@distillery/client";
import { client } from "../../../api/client.ts";
import { RunLog } from "./run-state.ts";

type Progress = Outputs["training"]["list"]["training_jobs"][number]["progress"];

/** For reading events, before others have their turn. */
const TURN_MS = 4;

export class LiveRun {
  readonly log: RunLog;
  progress: Progress | null = null;
  /** `performance.now()` when the progress came. */
  progressAt = 0;
  end: JobEnd | null = null;
  /** Null before the first connection. */
  isConnected: boolean | null = null;
  error: unknown = null;
  #frame = 0;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #events: typeof client.jobEvents;

  constructor(isLower: (metric: string) => boolean, events = client.jobEvents) {
    this.log = new RunLog(isLower);
    this.#events = events;
  }

  /** Follows the job to its end. Reconnects for as long as somebody looks. */
  async follow(jobId: string): Promise<void> {
    const onConnection = (isOpen: boolean): void => {
      this.isConnected = isOpen;
      this.#wake();
    };
    const { signal } = this.#stop;
    const patienceMs = Number.POSITIVE_INFINITY;
    try {
      let began = performance.now();
      for await (const event of this.#events(jobId, { signal, patienceMs, onConnection })) {
        this.#take(event);
        this.#wake();
        if (performance.now() - began < TURN_MS) continue;
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
      this.#wake();
    }
  }

  close(): void {
    this.#stop.abort();
    cancelAnimationFrame(this.#frame);
  }

  /** @param listener called once a frame in which something has changed */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #wake(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#tick());
  }

  #tick(): void {
    this.#frame = 0;
    for (const listener of this.#listeners) listener();
  }

  #take(event: JobEvent): void {
    if (event.event === "run") this.log.apply(event.data);
    else if (event.event === "end") this.end = event.data;
    else if ("trials_planned" in event.data) {
      this.progress = event.data;
      this.progressAt = performance.now();
    }
  }
}
