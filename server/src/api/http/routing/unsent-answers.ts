/**
 * Answers that their callers do not read: they wait in memory until their last byte is taken, so there is room for
 * so many bytes and no more, and whoever takes nothing for a while is let go.
 */

import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { Problem } from "../../../platform/input/problem.ts";

const MIB = 2 ** 20;
/** Bytes of an answer from which on it is counted. */
const LEAST = 64 * 1024;

export interface UnsentLimits {
  /** Bytes of one organization's answers; a single one may be larger. */
  readonly ofOrganization: number;
  /** Likewise, of all. */
  readonly ofAll: number;
}

export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #bytes = new Map<string, number>();
  #all = 0;

  constructor(limits: UnsentLimits = { ofOrganization: 512 * MIB, ofAll: 1024 * MIB }) {
    this.#limits = limits;
  }

  /**
   * Counts the bytes until the response has been sent, or its connection has ended.
   *
   * @param owner the organization, or whoever else asks
   * @throws Problem 429 where too many bytes wait for the owner, 503 where they do for all
   */
  hold(owner: string, bytes: number, response: ServerResponse): void {
    if (bytes < LEAST || response.closed) return;
    const own = this.#bytes.get(owner) ?? 0;
    const headers = { "retry-after": "5" };
    if (own > 0 && own + bytes > this.#limits.ofOrganization) {
      const detail = `Earlier answers, ${Math.ceil(own / MIB)} MiB, wait to be read: read them to their end, or break off.`;
      throw new Problem("too-many-requests", detail, { headers });
    }
    if (this.#all > 0 && this.#all + bytes > this.#limits.ofAll) {
      const detail = `Answers of ${Math.ceil(this.#all / MIB)} MiB wait to be read by others. Ask again in a few seconds.`;
      throw new Problem("unavailable", detail, { headers });
    }
    this.#bytes.set(owner, own + bytes);
    this.#all += bytes;
    response.once("close", () => {
      this.#all -= bytes;
      const left = (this.#bytes.get(owner) ?? 0) - bytes;
      if (left > 0) this.#bytes.set(owner, left);
      else this.#bytes.delete(owner);
    });
  }
}

/**
 * Ends connections that take nothing of an answer. What is only waited for, such as a long statement or the next
 * event of a stream, has nothing to be taken.
 *
 * @param idleMs without a byte taken
 */
export function dropIdleReaders(app: FastifyInstance, idleMs: number): void {
  app.addHook("onRequest", (_request, { raw }, done) => {
    raw.setTimeout(idleMs, () => {
      if (raw.writableLength > 0) raw.socket?.destroy();
    });
    done();
  });
}
