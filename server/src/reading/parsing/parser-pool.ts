/**
 * Parses what strangers send, in processes of their own: as many at once as there are cores, each for
 * many documents of one organization. What a process dies of is that document's fault and nobody
 * else's; the next document finds another process.
 */

import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { ProcessGoneError } from "../../platform/processes/framed-process.ts";
import { OwnedPool, type OwnedPoolLimits } from "../../platform/processes/owned-pool.ts";
import type { ProcessWalls } from "../../platform/processes/watched-process.ts";
import { DocumentFault } from "./document-fault.ts";
import { largerThan, PARSING_LIMITS, type ParsingLimits } from "./limits.ts";
import type { ParsedDocument } from "./normal-form.ts";
import { PIECE_BYTES } from "./parser-messages.ts";
import { ParserProcess } from "./parser-process.ts";
import type { DocumentName } from "./text-format.ts";

export interface ParserPoolLimits extends ProcessWalls, OwnedPoolLimits {
  readonly parsing: ParsingLimits;
}

const MIB = 1 << 20;

const PARSER_POOL_LIMITS: ParserPoolLimits = {
  processes: availableParallelism(),
  heapMegabytes: 768,
  residentBytes: 1280 * MIB,
  wallMs: 300_000,
  tasksOfProcess: 200,
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

export class ParserPool {
  readonly #limits: ParserPoolLimits;
  readonly #processes: OwnedPool<ParserProcess>;

  constructor(limits: Partial<ParserPoolLimits> = {}) {
    const all = { ...PARSER_POOL_LIMITS, ...limits };
    this.#limits = all;
    this.#processes = new OwnedPool(all, () => new ParserProcess(all));
  }

  /**
   * Waits for its turn among those of all organizations.
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

  #inTurn<Parsed>(source: ParserSource, signal: AbortSignal, ask: Ask<Parsed>): Promise<Parsed> {
    const owner = source.organizationId ?? null;
    return this.#processes.inTurn(owner, signal, () => this.#parse(source, signal, ask));
  }

  /** Of the processes that live, whether they work or wait. */
  get pids(): number[] {
    return this.#processes.pids;
  }

  /** Ends all processes; what they work on fails with a ProcessGoneError. */
  close(): Promise<void> {
    return this.#processes.close();
  }

  async #parse<Parsed>(
    source: ParserSource,
    signal: AbortSignal,
    ask: Ask<Parsed>,
  ): Promise<Parsed> {
    const { parsing } = this.#limits;
    const { name, mediaType } = source;
    for (;;) {
      let isFresh = true;
      try {
        return await this.#processes.withProcess(source.organizationId ?? null, async (process) => {
          isFresh = process.tasks === 0;
          try {
            const pieces = piecesOf(source, parsing);
            return await ask(process, pieces, { name, mediaType }, parsing, signal);
          } catch (error) {
            if (process.isGone || !(error instanceof DocumentFault))
              this.#processes.retire(process);
            else isFresh = true;
            throw error;
          }
        });
      } catch (error) {
        // It may have died of what it read before: then a fresh one reads this.
        if (this.#processes.isClosed) throw closed(error);
        if (isFresh || !diedOf(error)) {
          throw error instanceof ProcessGoneError ? unreadable(error) : error;
        }
      }
    }
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
  new DocumentFault(
    "damaged",
    "The document cannot be read: it is damaged, or not of the format it claims.",
    {
      cause,
    },
  );
