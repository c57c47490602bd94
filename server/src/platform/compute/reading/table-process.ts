/**
 * The service's end of a process that reads tables. It may read the service's code and the folders of
 * tables, and write into a folder of its own; what it dies of is the fault of the table that it read.
 */

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DataError, DataLimitError, reviveThrown } from "@distillery/engine";
import type { OwnedProcess } from "../../processes/owned-pool.ts";
import { permissionFlags } from "../../processes/permission-flags.ts";
import { WatchedProcess } from "../../processes/watched-process.ts";
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
const MIB = 1 << 20;
/** Of processor time: of a file, whatever its size, and of each of its bytes. */
const FILE_MS = 120_000;
const BYTE_MS = 60_000 / MIB;

export class TableProcess implements OwnedProcess {
  readonly #process: WatchedProcess<ReadingAnswer>;
  readonly #folder: string;

  /**
   * @param folders of the tables; absolute
   * @param written where it has a folder of its own, which ends with it; absolute
   */
  constructor(folders: readonly string[], written: string, walls: ReadingWalls) {
    const { memoryBytes, wallMs } = walls;
    this.#folder = join(written, randomUUID());
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#process = new WatchedProcess({
      main: MAIN,
      flags: permissionFlags([this.#folder, ...folders], [this.#folder]),
      maxFrameBytes: MAX_READING_FRAME_BYTES,
      read: (message) => readingAnswerSchema.parse(message),
      walls: {
        heapMegabytes: Math.floor(memoryBytes / MIB),
        residentBytes: memoryBytes,
        wallMs,
      },
      faults: {
        tookTooMuch: () => tookTooMuch(walls),
        tookTooLong,
        died: (cause) =>
          new DataError("The file cannot be read: it is damaged, or not of the format it claims.", {
            cause,
          }),
      },
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#process.isGone;
  }

  get tasks(): number {
    return this.#process.tasks;
  }

  /** @throws what the engine throws; DataError; what the signal is aborted with */
  run<Kind extends ReadingTask["kind"]>(
    task: Extract<ReadingTask, { kind: Kind }>,
    signal: AbortSignal,
  ): Promise<ReadingResults[Kind]> {
    return this.#process.task(signal, async () => {
      const path = uploadedPath(task);
      if (path !== null) {
        const { size } = await stat(path);
        await this.#process.boundProcessorTime(FILE_MS + size * BYTE_MS);
      }
      const { answer, bytes } = await this.#process.ask(task, MAX_RESULT_BYTES);
      if (answer.kind === "thrown") {
        const { name, message, stack, members } = answer.thrown;
        throw reviveThrown({ name, message, stack, members });
      }
      return JSON.parse(bytes.toString("utf8"));
    });
  }

  /** A path that it may write to, on which nothing is. */
  newPath(): string {
    return join(this.#folder, randomUUID());
  }

  async close(): Promise<void> {
    await this.#process.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Of what a stranger sent; null = a table's own file, which was made under its limits. */
function uploadedPath(task: ReadingTask): string | null {
  if (task.kind === "store") return task.input.file.path;
  return task.kind === "inspect" ? task.input.path : null;
}

const tookTooMuch = ({ memoryBytes }: ReadingWalls): DataError =>
  new DataLimitError(
    "memoryBytes",
    memoryBytes,
    `Reading the table takes more than ${Math.floor(memoryBytes / MIB)} MiB of memory, which is the limit. Send fewer rows or columns.`,
  );

function tookTooLong(ms: number, of: "clock" | "processor"): DataError {
  const seconds = Math.round(ms / 1000);
  const what =
    of === "clock"
      ? `took longer than ${seconds} seconds, which is the limit`
      : `took more than ${seconds} seconds of processor time, which is the limit for a file of its size`;
  return new DataLimitError(
    "readSeconds",
    ms / 1000,
    `Reading the table ${what}. Send fewer rows or columns.`,
  );
}
