/** What a queue carries, and what a worker is given of it. */
import type { z } from "zod";
import type { Sql } from "../db/database.ts";

export interface QueueDefinition<Payload> {
  /** Letters, digits, `-`, `_` and `.`; lasting: renaming one loses what it holds. */
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  /** Attempts before a task counts as exhausted, those of killed processes included. */
  readonly maxAttempts: number;
}

/** @throws TypeError for a name that the queue cannot take */
export function defineQueue<Payload>(
  name: string,
  payload: z.ZodType<Payload>,
  options: { readonly maxAttempts?: number } = {},
): QueueDefinition<Payload> {
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(name)) throw new TypeError(`not a queue name: ${name}`);
  return { name, payload, maxAttempts: options.maxAttempts ?? 20 };
}

/** One attempt at a task, held by this process until it is settled or lost. */
export interface Task<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** 1 for the first. Together with `id` the fencing token: only the newest attempt's writes count. */
  readonly attempt: number;
  /**
   * Aborts when the work is to end early. Its reason says why: `TaskLostError` (another attempt
   * took over, or the task was cancelled: write nothing more) or `ShutdownError` (write down what
   * is done and reject; the task is taken up again by another process or the next start).
   */
  readonly signal: AbortSignal;
  /**
   * Locks this attempt's claim until the end of the transaction, so that what it writes there is
   * written by the newest attempt alone.
   *
   * @throws TaskLostError the task is no longer this attempt's
   */
  fence(sql: Sql): Promise<void>;
}

/** The task is no longer this attempt's: it was cancelled, or taken back as from a dead process. */
export class TaskLostError extends Error {
  override readonly name = "TaskLostError";
  constructor(id: string) {
    super(`task ${id} is no longer held by this attempt`);
  }
}

/** The process is stopping. */
export class ShutdownError extends Error {
  override readonly name = "ShutdownError";
  constructor() {
    super("the process is stopping");
  }
}

/** Thrown by a handler: further attempts would end alike, so the task is exhausted now. */
export class PermanentTaskError extends Error {
  override readonly name = "PermanentTaskError";
}

export interface WorkOptions<Payload> {
  /** Tasks held at once by this process. */
  readonly concurrency: number;
  /**
   * Resolves when the task is done; a rejection is tried again, after a growing delay, unless the same came
   * too often (`lasting-failures.ts`).
   */
  readonly handle: (task: Task<Payload>) => Promise<void>;
  /** What tasks of this queue may need; see `SendOptions.need`. */
  readonly needs?: readonly string[];
  /** Called, until it resolves once, for a task that will not be attempted again. */
  readonly exhausted?: (payload: Payload, message: string) => Promise<void>;
}

export interface SendOptions {
  /** Higher first; 0 unless told. */
  readonly priority?: number;
  readonly startAfterSeconds?: number;
  /**
   * What a process should have for it, such as a device. While one that works the queue offers it, others leave
   * the task to that one, however busy it is; where none does, any takes it.
   */
  readonly need?: string | null;
}
