/**
 * The service's end of a parser's process. The process reads no file but the code that it runs, writes
 * none and starts no other (Node's permission model); bytes come over its pipe. It is watched for its
 * memory and its time, and killed when it takes too much of either.
 */

import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { FramedProcess, ProcessGoneError } from "../processes/framed-process.ts";
import type { OwnedProcess } from "../processes/owned-pool.ts";
import { permissionFlags } from "../processes/permission-flags.ts";
import { residentBytes } from "../processes/process-memory.ts";
import { DocumentFault } from "./document-fault.ts";
import { largerThan, type ParsingLimits } from "./limits.ts";
import { type ParsedDocument, parsedDocumentSchema } from "./normal-form.ts";
import {
  MAX_PARSER_FRAME_BYTES,
  type ParseRequest,
  type ParserAnswer,
  PIECE_BYTES,
  parserAnswerSchema,
} from "./parser-messages.ts";
import type { DocumentName } from "./sniff.ts";

/** What a process may take of the machine. */
export interface ParserWalls {
  /** V8's heap. */
  readonly heapMegabytes: number;
  /** All of its memory. */
  readonly residentBytes: number;
  /** For one document, milliseconds. */
  readonly wallMs: number;
}

/** A parser failed of itself: what it said goes to the log, not to the person. */
export class ParserFailure extends Error {
  override readonly name = "ParserFailure";
}

const MAIN = fileURLToPath(new URL("./child/main.ts", import.meta.url));
const WATCH_MS = 50;

export class ParserProcess implements OwnedProcess {
  readonly #process: FramedProcess<ParserAnswer>;
  readonly #walls: ParserWalls;
  #tasks = 0;
  /** Why it was killed, where a document is to be told. */
  #fault: DocumentFault | null = null;
  #isKilled = false;

  constructor(walls: ParserWalls) {
    this.#walls = walls;
    this.#process = new FramedProcess({
      main: MAIN,
      folder: tmpdir(),
      heapMegabytes: walls.heapMegabytes,
      flags: permissionFlags(),
      maxFrameBytes: MAX_PARSER_FRAME_BYTES,
      read: (message) => parserAnswerSchema.parse(message),
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** It reads nothing any more. */
  get isGone(): boolean {
    return this.#isKilled || this.#process.isGone;
  }

  /** Documents that it was given. */
  get tasks(): number {
    return this.#tasks;
  }

  /** @throws DocumentFault; ParserFailure; ProcessGoneError; what the signal is aborted with */
  async parse(
    pieces: AsyncIterable<Uint8Array>,
    sent: DocumentName,
    limits: ParsingLimits,
    signal: AbortSignal,
  ): Promise<ParsedDocument> {
    return this.#checked(await this.parseJson(pieces, sent, limits, signal));
  }

  /** As `parse`, but what the process wrote, unread: it is to be held against the normal form. */
  async parseJson(
    pieces: AsyncIterable<Uint8Array>,
    sent: DocumentName,
    limits: ParsingLimits,
    signal: AbortSignal,
  ): Promise<Buffer> {
    signal.throwIfAborted();
    this.#tasks += 1;
    const kill = (): void => this.#kill();
    signal.addEventListener("abort", kill);
    const watch = setInterval(() => void this.#look(), WATCH_MS);
    const timer = setTimeout(() => this.#end(tookTooLong(this.#walls.wallMs)), this.#walls.wallMs);
    try {
      await this.#give(pieces, limits);
      return await this.#ask({ ...sent, limits });
    } catch (error) {
      signal.throwIfAborted();
      // What comes of a kill says less than its reason.
      throw this.#fault ?? (error instanceof ProcessGoneError ? this.#deathOf(error) : error);
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener("abort", kill);
    }
  }

  async #give(pieces: AsyncIterable<Uint8Array>, limits: ParsingLimits): Promise<void> {
    let given = 0;
    for await (const piece of pieces) {
      given += piece.byteLength;
      if (given > limits.fileBytes) {
        // What it was given already belongs to no request.
        this.#kill();
        throw largerThan(limits.fileBytes);
      }
      for (let start = 0; start < piece.byteLength; start += PIECE_BYTES) {
        await this.#process.give(piece.subarray(start, start + PIECE_BYTES));
      }
    }
  }

  async #ask(request: ParseRequest): Promise<Buffer> {
    const json: Buffer[] = [];
    let bytes = 0;
    const answer = await this.#process.ask(request, (piece) => {
      bytes += piece.length;
      if (bytes > request.limits.outputBytes) throw new Error("more than was agreed");
      json.push(piece);
    });
    switch (answer.kind) {
      case "fault":
        throw new DocumentFault(answer.code, answer.message);
      case "failed":
        throw new ParserFailure(answer.message);
      default:
        return Buffer.concat(json);
    }
  }

  #checked(json: Buffer): ParsedDocument {
    try {
      return parsedDocumentSchema.parse(JSON.parse(json.toString("utf8")));
    } catch (cause) {
      throw this.#process.distrust("what the parser sends is no document", cause);
    }
  }

  async #look(): Promise<void> {
    const { pid } = this;
    const resident = pid === undefined ? null : await residentBytes(pid);
    if (resident !== null && resident > this.#walls.residentBytes) this.#end(tookTooMuch());
  }

  #end(fault: DocumentFault): void {
    this.#fault ??= fault;
    this.#kill();
  }

  #kill(): void {
    this.#isKilled = true;
    this.#process.kill();
  }

  /** A full heap ends in SIGABRT, a full machine in SIGKILL. */
  #deathOf(cause: ProcessGoneError): Error {
    const { endedBy } = this.#process;
    if (this.#isKilled) return cause;
    return endedBy === "SIGABRT" || endedBy === "SIGKILL" ? tookTooMuch() : cause;
  }

  async close(): Promise<void> {
    this.#kill();
    await this.#process.ended;
  }
}

const tookTooMuch = (): DocumentFault =>
  new DocumentFault(
    "too_large",
    "Reading the document takes more memory than one document may have. Split it into smaller files.",
  );

const tookTooLong = (wallMs: number): DocumentFault =>
  new DocumentFault(
    "took_too_long",
    `Reading the document took longer than ${Math.round(wallMs / 1000)} seconds. Split it into smaller files.`,
  );
