/**
 * Files of results that callers are still reading. Each stays on the disk until its last byte is taken, so
 * an organization whose callers do not read has room for so many bytes and no more, and whoever takes
 * nothing for a while is let go.
 */

import type { ReadStream } from "node:fs";
import { Problem } from "../../platform/input/problem.ts";
import { SqlError } from "../../query/sql/query.ts";

const MIB = 2 ** 20;

export interface HeldLimits {
  /** Of one organization. */
  readonly mostBytes: number;
  /** Without a byte taken. */
  readonly idleMs: number;
}

export class HeldFiles {
  readonly #limits: HeldLimits;
  readonly #bytes = new Map<string, number>();

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  /**
   * Counts the file until its stream is closed.
   *
   * @throws SqlError too-many; the stream is destroyed then
   */
  hold(organizationId: string, bytes: number, file: ReadStream): void {
    const held = this.#bytes.get(organizationId) ?? 0;
    if (held > 0 && held + bytes > this.#limits.mostBytes) {
      file.destroy();
      throw new SqlError(
        "too-many",
        `Files of earlier results, ${Math.ceil(held / MIB)} MiB, are still being read: read them to their end, or break off`,
      );
    }
    this.#bytes.set(organizationId, held + bytes);
    // A stream reads ahead of whoever takes its bytes by its buffer alone.
    let read = 0;
    const watch = setInterval(() => {
      if (file.bytesRead === read) {
        file.destroy(new Problem("request-timeout", "Nobody took any more of the file."));
      }
      read = file.bytesRead;
    }, this.#limits.idleMs).unref();
    file.once("close", () => {
      clearInterval(watch);
      const left = (this.#bytes.get(organizationId) ?? 0) - bytes;
      if (left > 0) this.#bytes.set(organizationId, left);
      else this.#bytes.delete(organizationId);
    });
  }
}

/** Of everything that queries answer. */
export const heldResults = new HeldFiles({ mostBytes: 16 * 2 ** 30, idleMs: 10 * 60_000 });
