/** What a query may take of the machine. */

import { availableParallelism, totalmem } from "node:os";
import process from "node:process";

export interface SessionLimits {
  /** Queries that run at once. */
  readonly sessions: number;
  /** Of them, one organization's. */
  readonly sessionsOfOne: number;
  /** Queries that wait. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** DuckDB's own limit. */
  readonly memoryBytes: number;
  /** The process is ended above this, whatever DuckDB counts. */
  readonly residentBytes: number;
  /** What DuckDB may spill to disk. */
  readonly temporaryBytes: number;
  /** Bytes of files that one query may have staged. */
  readonly stagedBytes: number;
  /** Of the file that a query is written into. */
  readonly fileBytes: number;
  readonly threads: number;
  /** Processes that are warm and belong to nobody yet. */
  readonly spares: number;
  /** Queries that one process answers at most. */
  readonly sessionsOfProcess: number;
  /** A process that nobody asks is ended after this, milliseconds. */
  readonly idleMs: number;
  /** Between the interruption of a query and its process's end, milliseconds. */
  readonly graceMs: number;
}

const MIB = 1 << 20;
const GIB = 1 << 30;

/** Node itself, its code and buffers, and what DuckDB takes outside its account. */
const OUTSIDE_BYTES = 512 * MIB;

/** Of this machine, or of the container that this process is in. */
export function limitsOfMachine(): SessionLimits {
  const constrained = process.constrainedMemory();
  const machine = totalmem();
  const memory = constrained > 0 && constrained < machine ? constrained : machine;
  // Two of one organization may run beside one of another on the smallest machine.
  const sessions = Math.max(3, availableParallelism());
  const share = (memory * 0.6) / sessions;
  const memoryBytes = Math.round(Math.min(4 * GIB, Math.max(256 * MIB, share)));
  return {
    sessions,
    sessionsOfOne: sessions - 1,
    waiting: 16 * sessions,
    waitingOfOne: 8 * sessions,
    memoryBytes,
    residentBytes: Math.round(1.25 * memoryBytes) + OUTSIDE_BYTES,
    temporaryBytes: 16 * GIB,
    stagedBytes: 64 * GIB,
    fileBytes: 64 * GIB,
    threads: availableParallelism(),
    spares: 1,
    sessionsOfProcess: 500,
    idleMs: 120_000,
    graceMs: 500,
  };
}
