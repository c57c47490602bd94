/**
 * Requests for shadow models. They are run behind the answers, one at a time, and only so many wait:
 * the callers of an endpoint neither wait for its shadow model nor see what it does.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { Comparison } from "../../platform/compute/compare-answers.ts";
import { observations, type ShadowedRequest } from "./observations.ts";

/** What waits at most: requests, and bytes of them. */
const MOST_WAITING = 256;
const MOST_BYTES = 64 * 1024 * 1024;

interface Waiting {
  readonly of: Omit<ShadowedRequest, "outcome">;
  readonly bytes: number;
  /** Asks the shadow model and compares. */
  readonly run: () => Promise<Comparison>;
}

export class Shadows {
  readonly #services: Services;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #running = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Whether there is room for a request; where there is not, it counts as dropped. */
  admits(of: Waiting["of"], bytes: number): boolean {
    if (this.#waiting.length < MOST_WAITING && this.#bytes + bytes <= MOST_BYTES) return true;
    observations(this.#services).shadowed({ ...of, outcome: { kind: "dropped" } });
    return false;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#bytes += waiting.bytes;
    if (this.#running) return;
    this.#running = true;
    // By then the answer has gone out to the socket.
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { of, bytes, run } = next;
      this.#bytes -= bytes;
      const outcome = await this.#outcomeOf(of, run);
      observations(this.#services).shadowed({ ...of, outcome });
    }
    this.#running = false;
  }

  async #outcomeOf(
    { endpointId, reference }: Waiting["of"],
    run: Waiting["run"],
  ): Promise<ShadowedRequest["outcome"]> {
    const begun = performance.now();
    try {
      const comparison = await run();
      return { kind: "compared", comparison, ms: performance.now() - begun };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#services.log.debug({ endpoint: endpointId, model: reference, reason }, "shadow failed");
      return { kind: "failed" };
    }
  }
}

const instances = new WeakMap<Services, Shadows>();

/** The one instance of a process's services. */
export function shadowsOf({ services }: AuthedContext): Shadows {
  const instance = instances.get(services) ?? new Shadows(services);
  instances.set(services, instance);
  return instance;
}
