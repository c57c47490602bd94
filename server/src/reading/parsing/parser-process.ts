/**
 * The service's end of a parser's process. The process reads no file but the code that it runs, writes
 * none and starts no other (Node's permission model); bytes come over its pipe.
 */

import { fileURLToPath } from "node:url";
import type { OwnedProcess } from "../../platform/processes/owned-pool.ts";
import { permissionFlags } from "../../platform/processes/permission-flags.ts";
import { type ProcessWalls, WatchedProcess } from "../../platform/processes/watched-process.ts";
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
import type { DocumentName } from "./text-format.ts";

/** A parser failed of itself: what it said goes to the log, not to the person. */
export class ParserFailure extends Error {
  override readonly name = "ParserFailure";
}

const MAIN = fileURLToPath(new URL("./child/main.ts", import.meta.url));

export class ParserProcess implements OwnedProcess {
  readonly #process: WatchedProcess<ParserAnswer>;

  /** @param walls for one document */
  constructor(walls: ProcessWalls) {
    this.#process = new WatchedProcess({
      main: MAIN,
      flags: permissionFlags(),
      maxFrameBytes: MAX_PARSER_FRAME_BYTES,
      read: (message) => parserAnswerSchema.parse(message),
      walls,
      faults: { tookTooMuch, tookTooLong },
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** It reads nothing any more. */
  get isGone(): boolean {
    return this.#process.isGone;
  }

  /** Documents that it was given. */
  get tasks(): number {
    return this.#process.tasks;
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
  parseJson(
    pieces: AsyncIterable<Uint8Array>,
    sent: DocumentName,
    limits: ParsingLimits,
    signal: AbortSignal,
  ): Promise<Buffer> {
    return this.#process.task(signal, async () => {
      const bytes = await this.#give(pieces, limits);
      const { fileMs, byteMs } = limits.processorTime;
      await this.#process.boundProcessorTime(fileMs + bytes * byteMs);
      return await this.#ask({ ...sent, limits });
    });
  }

  /** @returns how many bytes there are */
  async #give(pieces: AsyncIterable<Uint8Array>, limits: ParsingLimits): Promise<number> {
    let given = 0;
    for await (const piece of pieces) {
      given += piece.byteLength;
      if (given > limits.fileBytes) {
        // What it was given already belongs to no request.
        this.#process.kill();
        throw largerThan(limits.fileBytes);
      }
      for (let start = 0; start < piece.byteLength; start += PIECE_BYTES) {
        await this.#process.give(piece.subarray(start, start + PIECE_BYTES));
      }
    }
    return given;
  }

  async #ask(request: ParseRequest): Promise<Buffer> {
    const { answer, bytes } = await this.#process.ask(request, request.limits.outputBytes);
    switch (answer.kind) {
      case "fault":
        throw new DocumentFault(answer.code, answer.message);
      case "failed":
        throw new ParserFailure(answer.message);
      default:
        return bytes;
    }
  }

  #checked(json: Buffer): ParsedDocument {
    try {
      return parsedDocumentSchema.parse(JSON.parse(json.toString("utf8")));
    } catch (cause) {
      throw this.#process.distrust("what the parser sends is no document", cause);
    }
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

const tookTooMuch = (): DocumentFault =>
  new DocumentFault(
    "too_large",
    "Reading the document takes more memory than one document may have. Split it into smaller files.",
  );

function tookTooLong(ms: number, of: "clock" | "processor"): DocumentFault {
  const seconds = `${Math.round(ms / 1000)} seconds`;
  const sentence =
    of === "clock"
      ? `Reading the document took longer than ${seconds}. Split it into smaller files.`
      : `Reading the document took more than ${seconds} of processor time, the most for one of its size. Save it again in a simpler form.`;
  return new DocumentFault("took_too_long", sentence);
}
