/**
 * The service's end of a process that reads tables. It may read the service's code and the folders of tables, is
 * watched for its memory and its time, and killed when it takes too much of either; what it dies of is
 * the fault of the table that it read.
 */

import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { DataError, DataLimitError, reviveThrown } from "@distillery/engine";
import { FramedProcess, ProcessGoneError } from "../../processes/framed-process.ts";
import type { OwnedProcess } from "../../processes/owned-pool.ts";
import { permissionFlags } from "../../processes/permission-flags.ts";
import { residentBytes } from "../../processes/process-memory.ts";
import {
  MAX_READING_FRAME_BYTES,
  MAX_RESULT_BYTES,
  type ReadingAnswer,
  type ReadingResults,
  type ReadingTask,
  readingAnswerSchema,
} from "./messages.ts";

/** What a process may take of the machine. */
export interface ReadingWalls {
  /** Its resident memory, and V8's heap in it. */
  readonly memoryBytes: number;
  /** For one table, milliseconds. */
  readonly wallMs: number;
}

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const ENGINE = dirname(dirname(fileURLToPath(import.meta.resolve("@distillery/engine"))));
const WATCH_MS = 50;
const MIB = 1 << 20;

export class TableProcess implements OwnedProcess {
  readonly #process: FramedProcess<ReadingAnswer>;
  readonly #walls: ReadingWalls;
  #tasks = 0;
  /** Why it was killed, where a table is to be told. */
  #fault: DataError | null = null;
  #isKilled = false;

  /** @param folders of the tables; absolute */
  constructor(folders: readonly string[], walls: ReadingWalls) {
    this.#walls = walls;
    this.#process = new FramedProcess({
      main: MAIN,
      folder: tmpdir(),
      heapMegabytes: Math.floor(walls.memoryBytes / MIB),
      flags: permissionFlags([ENGINE, ...folders]),
      maxFrameBytes: MAX_READING_FRAME_BYTES,
      read: (message) => readingAnswerSchema.parse(message),
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#isKilled || this.#process.isGone;
  }

  get tasks(): number {
    return this.#tasks;
  }

  /** @throws what the engine throws; DataError; what the signal is aborted with */
  async run<Kind extends ReadingTask["kind"]>(
    task: Extract<ReadingTask, { kind: Kind }>,
    signal: AbortSignal,
  ): Promise<ReadingResults[Kind]> {
    signal.throwIfAborted();
    this.#tasks += 1;
    const kill = (): void => this.#kill();
    signal.addEventListener("abort", kill);
    const watch = setInterval(() => void this.#look(), WATCH_MS);
    const timer = setTimeout(() => this.#end(tookTooLong(this.#walls)), this.#walls.wallMs);
    try {
      return await this.#ask(task);
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

  async #ask<Kind extends ReadingTask["kind"]>(
    task: Extract<ReadingTask, { kind: Kind }>,
  ): Promise<ReadingResults[Kind]> {
    const json: Buffer[] = [];
    let bytes = 0;
    const answer = await this.#process.ask(task, (piece) => {
      bytes += piece.length;
      if (bytes > MAX_RESULT_BYTES) throw new Error("more than was agreed");
      json.push(piece);
    });
    if (answer.kind === "thrown") {
      const { name, message, stack, members } = answer.thrown;
      throw reviveThrown({ name, message, stack, members });
    }
    return JSON.parse(Buffer.concat(json).toString("utf8"));
  }

  async #look(): Promise<void> {
    const { pid } = this;
    const resident = pid === undefined ? null : await residentBytes(pid);
    if (resident !== null && resident > this.#walls.memoryBytes) {
      this.#end(tookTooMuch(this.#walls));
    }
  }

  #end(fault: DataError): void {
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
    return endedBy === "SIGABRT" || endedBy === "SIGKILL"
      ? tookTooMuch(this.#walls)
      : new DataError("The file cannot be read: it is damaged, or not what it says.", { cause });
  }

  async close(): Promise<void> {
    this.#kill();
    await this.#process.ended;
  }
}

const tookTooMuch = ({ memoryBytes }: ReadingWalls): DataError =>
  new DataLimitError(
    "memoryBytes",
    memoryBytes,
    `Reading the table takes more than ${Math.floor(memoryBytes / MIB)} MiB of memory, which is the limit. Send fewer rows or columns.`,
  );

const tookTooLong = ({ wallMs }: ReadingWalls): DataError =>
  new DataLimitError(
    "readSeconds",
    wallMs / 1000,
    `Reading the table took longer than ${Math.round(wallMs / 1000)} seconds, which is the limit. Send fewer rows or columns.`,
  );
