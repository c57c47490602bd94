/** Scores tables by a model in threads of its own, part by part, so that requests never wait behind it. */

import { ComputePool, type DeviceLoan, type PoolOptions, reviveError } from "@distillery/engine";
import type {
  LearnedDateOrders,
  PartRequest,
  ScoredPart,
  ScoringPlan,
  ScoringRequest,
} from "./scoring-request.ts";

export interface PartsToScore {
  readonly request: ScoringRequest;
  /** Of the plan. */
  readonly cells: number;
  /** In any order; those with lower numbers are begun first. */
  readonly parts: readonly number[];
  readonly signal: AbortSignal;
  /** Lends a path on which nothing is. */
  readonly withPath: <Result>(use: (path: string) => Promise<Result>) => Promise<Result>;
  /** Is given each part, whose file is there until it resolves. */
  readonly take: (part: number, scored: ScoredPart, path: string) => Promise<void>;
}

/** Parts that are on their way from a thread to where they are kept, in files. */
const PUT_AWAY = 4;

export class Scoring {
  readonly #pool: ComputePool;

  /** @param options see the engine's `PoolOptions` */
  constructor(threads: number, options: PoolOptions) {
    this.#pool = new ComputePool(
      new URL("./scoring-tasks.ts", import.meta.url),
      threads,
      reviveError,
      options,
    );
  }

  /** @param folder a local copy of the model's directory @throws ModelFormatError */
  dateOrders(folder: string, signal: AbortSignal): Promise<LearnedDateOrders> {
    return this.#pool.run("dateOrders", folder, { signal });
  }

  /** @throws DataError, ModelFormatError */
  plan(request: ScoringRequest, signal: AbortSignal): Promise<ScoringPlan> {
    return this.#pool.run("plan", request, { signal });
  }

  /**
   * Scores parts of a file, several at a time.
   *
   * @returns what a GPU did, in one line; null where it did nothing
   * @throws DataError of the first part that has one; what the signal is aborted with
   */
  async score({
    request,
    cells,
    parts,
    signal,
    withPath,
    take,
  }: PartsToScore): Promise<string | null> {
    const devices = this.#pool.deviceLender(cells);
    const open = [...parts].sort((a, b) => a - b);
    const failures: { readonly part: number; readonly error: unknown }[] = [];
    const next = async (device: DeviceLoan | undefined): Promise<void> => {
      for (let part = open.shift(); part !== undefined; part = open.shift()) {
        const number = part;
        try {
          await withPath(async (target) => {
            const asked = { ...request, part: number, target, ...(device ? { device } : {}) };
            const scored = await this.#pool.run<PartRequest, ScoredPart>("part", asked, { signal });
            await take(number, scored, target);
          });
        } catch (error) {
          failures.push({ part: number, error });
          open.length = 0;
        }
      }
    };
    const withDevice = async (): Promise<void> => {
      const lent = open.length > 0 && cells > 0 ? await devices.lend() : null;
      try {
        await next(lent?.loan);
      } finally {
        await lent?.end();
      }
    };
    // More than there are threads: while some parts are put away, which waits for disks, these have work.
    const most = Math.min(open.length, this.#pool.threads + PUT_AWAY);
    await Promise.all(Array.from({ length: most }, withDevice));
    const [first] = failures.toSorted((a, b) => a.part - b.part);
    signal.throwIfAborted();
    if (first !== undefined) throw first.error;
    return devices.report;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
