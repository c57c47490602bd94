/**
 * Parses what strangers send, in processes of their own: as many at once as there are cores, each for
 * many documents of one organization. What a process dies of is that document's fault and nobody
 * else's; the next document finds another process.
 */

import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { ProcessGoneError } from "../processes/framed-process.ts";
import { residentBytes } from "../processes/process-memory.ts";
import { DocumentFault } from "./document-fault.ts";
import { largerThan, PARSING_LIMITS, type ParsingLimits } from "./limits.ts";
import type { ParsedDocument } from "./normal-form.ts";
import { PIECE_BYTES } from "./parser-messages.ts";
import { ParserProcess, type ParserWalls } from "./parser-process.ts";
import type { DocumentName } from "./sniff.ts";

export interface ParserPoolLimits extends ParserWalls {
  /** Processes that work at once. */
  readonly processes: number;
  /** Documents that one process reads at most. */
  readonly documentsOfProcess: number;
  /** A process that keeps more than this is ended. */
  readonly keptBytes: number;
  /** A process that nobody asks is ended after this, milliseconds. */
  readonly idleMs: number;
  readonly parsing: ParsingLimits;
}

const MIB = 1 << 20;

export const PARSER_POOL_LIMITS: ParserPoolLimits = {
  processes: availableParallelism(),
  heapMegabytes: 768,
  residentBytes: 1280 * MIB,
  wallMs: 300_000,
  documentsOfProcess: 200,
  keptBytes: 512 * MIB,
  idleMs: 60_000,
  parsing: PARSING_LIMITS,
};

export interface ParserSource extends DocumentName {
  /** A local file, or the bytes. */
  readonly path?: string;
  readonly bytes?: Uint8Array;
  /** Whose it is: a process that has read for one reads for no other. */
  readonly organizationId?: string | null;
}

type Ask<Parsed> = (
  process: ParserProcess,
  ...given: Parameters<ParserProcess["parse"]>
) => Promise<Parsed>;

interface Idle {
  readonly process: ParserProcess;
  readonly owner: string | null;
  readonly timer: NodeJS.Timeout;
}

export class ParserPool {
  readonly #limits: ParserPoolLimits;
  /** Latest used last. */
  #idle: Idle[] = [];
  readonly #all = new Set<ParserProcess>();
  readonly #closing = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #working = 0;
  #closed = false;

  constructor(limits: Partial<ParserPoolLimits> = {}) {
    this.#limits = { ...PARSER_POOL_LIMITS, ...limits };
  }

  /**
   * Waits for its turn, in the order of the calls.
   *
   * @throws DocumentFault; ParserFailure where the parser itself is at fault; ProcessGoneError where
   * the pool is closed; what the signal is aborted with
   */
  parse(source: ParserSource, signal: AbortSignal): Promise<ParsedDocument> {
    return this.#inTurn(source, signal, (process, ...given) => process.parse(...given));
  }

  /** As `parse`, but the normal form as its JSON, unread: it is to be held against its schema. */
  parseJson(source: ParserSource, signal: AbortSignal): Promise<Buffer> {
    return this.#inTurn(source, signal, (process, ...given) => process.parseJson(...given));
  }

  async #inTurn<Parsed>(
    source: ParserSource,
    signal: AbortSignal,
    ask: Ask<Parsed>,
  ): Promise<Parsed> {
    await this.#turn(signal);
    try {
      return await this.#parse(source, signal, ask);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  /** Of the processes that live, whether they work or wait. */
  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? []);
  }

  /** Ends all processes; what they work on fails with a ProcessGoneError. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const process of this.#all) this.#retire(process);
    await Promise.all(this.#closing);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#working < this.#limits.processes) {
      this.#working += 1;
      return;
    }
    // Whoever is done hands over the place.
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(begin);
    });
  }

  async #parse<Parsed>(
    source: ParserSource,
    signal: AbortSignal,
    ask: Ask<Parsed>,
  ): Promise<Parsed> {
    const owner = source.organizationId ?? null;
    for (;;) {
      const process = this.#take(owner);
      const isFresh = process.documents === 0;
      try {
        const { parsing } = this.#limits;
        const { name, mediaType } = source;
        const pieces = piecesOf(source, parsing);
        return await ask(process, pieces, { name, mediaType }, parsing, signal);
      } catch (error) {
        if (!process.isGone && error instanceof DocumentFault) throw error;
        this.#retire(process);
        // It may have died of what it read before: then a fresh one reads this.
        if (this.#closed) throw closed(error);
        if (isFresh || !diedOf(error)) {
          throw error instanceof ProcessGoneError ? unreadable(error) : error;
        }
      } finally {
        void this.#release(process, owner);
      }
    }
  }

  #take(owner: string | null): ParserProcess {
    if (this.#closed) throw closed();
    const idle = this.#idle.findLast((one) => one.owner === owner);
    if (idle !== undefined) {
      this.#forget(idle);
      if (!idle.process.isGone) return idle.process;
      this.#retire(idle.process);
    }
    // Those that wait for others make room.
    if (this.#all.size >= this.#limits.processes) {
      const oldest = this.#idle[0];
      if (oldest !== undefined) {
        this.#forget(oldest);
        this.#retire(oldest.process);
      }
    }
    const process = new ParserProcess(this.#limits);
    this.#all.add(process);
    return process;
  }

  async #release(process: ParserProcess, owner: string | null): Promise<void> {
    if (!this.#all.has(process)) return;
    if (this.#closed || process.isGone || process.documents >= this.#limits.documentsOfProcess) {
      this.#retire(process);
      return;
    }
    const timer = setTimeout(() => {
      this.#forget(idle);
      this.#retire(process);
    }, this.#limits.idleMs).unref();
    const idle: Idle = { process, owner, timer };
    this.#idle.push(idle);
    const resident = process.pid === undefined ? null : await residentBytes(process.pid);
    if (resident !== null && resident > this.#limits.keptBytes && this.#idle.includes(idle)) {
      this.#forget(idle);
      this.#retire(process);
    }
  }

  #forget(idle: Idle): void {
    clearTimeout(idle.timer);
    this.#idle = this.#idle.filter((one) => one !== idle);
  }

  #retire(process: ParserProcess): void {
    if (!this.#all.delete(process)) return;
    for (const idle of this.#idle.filter((one) => one.process === process)) this.#forget(idle);
    const closing = process.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    closing.catch(() => undefined);
  }
}

async function* piecesOf({ path, bytes }: ParserSource, limits: ParsingLimits) {
  if (bytes !== undefined) {
    yield bytes;
    return;
  }
  if (path === undefined) throw new Error("a document needs a path or bytes");
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > limits.fileBytes) throw largerThan(limits.fileBytes);
    yield* file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false });
  } finally {
    await file.close();
  }
}

const diedOf = (error: unknown): boolean =>
  error instanceof ProcessGoneError ||
  (error instanceof DocumentFault && error.code === "too_large");

const closed = (cause?: unknown): ProcessGoneError =>
  new ProcessGoneError("the parsers are closed", { cause });

/** It ended the process that read it, in whatever way. */
const unreadable = (cause: ProcessGoneError): DocumentFault =>
  new DocumentFault("damaged", "The document cannot be read: it is damaged, or not what it says.", {
    cause,
  });
