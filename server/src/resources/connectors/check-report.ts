/**
 * The report of a connector's test: its steps in order, each with its time. A step whose ground has
 * failed is not tried. What a step says on failure is a source's own sentence, which holds no
 * secret; any other failure is logged and told without its words.
 */

import { z } from "zod";
import type { Logger } from "../../platform/log.ts";
import { OutboundFailedError, OutboundRefusedError } from "../../platform/net/outbound.ts";
import {
  SourceChangedError,
  SourceError,
  SourceUrlError,
} from "../../query/sources/source-error.ts";

export const checkReport = z
  .object({
    ok: z.boolean(),
    checks: z.array(
      z.object({
        check: z.string(),
        ok: z.boolean(),
        detail: z.string(),
        milliseconds: z.int(),
      }),
    ),
  })
  .meta({ id: "ConnectorTestReport" });

export type CheckReport = z.infer<typeof checkReport>;

/** A whole test ends after this long. */
export const TEST_MS = 10_000;

export class CheckList {
  readonly #checks: CheckReport["checks"] = [];
  readonly #signal: AbortSignal;
  readonly #log: Logger;

  /** @param signal is aborted when the test's time is over or nobody waits for it any more */
  constructor(signal: AbortSignal, log: Logger) {
    this.#signal = signal;
    this.#log = log;
  }

  /** @returns whether the next step has ground to stand on */
  async step(check: string, work: () => Promise<string>): Promise<boolean> {
    const started = performance.now();
    const [ok, detail] = this.#ok ? await this.#attempt(check, work) : [false, "Not tried."];
    const milliseconds = Math.round(performance.now() - started);
    this.#checks.push({ check, ok, detail, milliseconds });
    return ok;
  }

  get report(): CheckReport {
    return { ok: this.#ok, checks: this.#checks };
  }

  get #ok(): boolean {
    return this.#checks.every(({ ok }) => ok);
  }

  async #attempt(check: string, work: () => Promise<string>): Promise<[boolean, string]> {
    try {
      return [true, await work()];
    } catch (error) {
      if (this.#signal.aborted) return [false, `There was no answer within ${TEST_MS / 1000} s.`];
      if (
        error instanceof SourceError ||
        error instanceof SourceUrlError ||
        error instanceof SourceChangedError ||
        error instanceof OutboundRefusedError ||
        error instanceof OutboundFailedError
      ) {
        return [false, error.message];
      }
      this.#log.error({ err: error, check }, "a connector's test failed for an unforeseen reason");
      return [false, "This failed for an unexpected reason; it is in the service's log."];
    }
  }
}
