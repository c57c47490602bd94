/** Saves how far a job is, for people who look; what counts is the result. */

import type { Services } from "../../api/services.ts";
import { saveProgress } from "./store.ts";

const INTERVAL_MS = 250;

/** Saves a few times a second at most; each new phase always. */
export class ProgressWriter<Progress> {
  readonly #services: Pick<Services, "db" | "log">;
  readonly #jobId: string;
  #last = Number.NEGATIVE_INFINITY;
  #phase: string | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: Pick<Services, "db" | "log">, jobId: string) {
    this.#services = services;
    this.#jobId = jobId;
  }

  /** @param make is asked only where the progress is saved */
  at(phase: string, make: () => Progress): void {
    const now = performance.now();
    if (phase === this.#phase && now - this.#last < INTERVAL_MS) return;
    this.#phase = phase;
    this.#last = now;
    this.save(make());
  }

  save(progress: Progress): void {
    const { db, log } = this.#services;
    this.#writing = this.#writing
      .then(() => db.systemQuery((sql) => saveProgress(sql, this.#jobId, progress)))
      .catch((error: unknown) => {
        log.warn({ err: error, job: this.#jobId }, "progress was not saved");
      });
  }

  /** Resolves when all that was said so far is saved. */
  async flush(): Promise<void> {
    await this.#writing;
  }
}
