/**
 * Reads tables in processes of their own, a few at a time, each for one organization only: a file can
 * stand for much more than it weighs, and none is to take the memory or the loop of the service.
 */

import { rename, rm } from "node:fs/promises";
import {
  READ_LIMITS,
  type ReadLimits,
  type TableFile,
  type UploadedFile,
} from "@distillery/engine";
import { OwnedPool } from "../../processes/owned-pool.ts";
import type { ReadingResults, ReadingTask, StoredInspection } from "./messages.ts";
import { TableProcess } from "./table-process.ts";

export interface TableReadersOptions {
  /** Of the tables; absolute. */
  readonly folders: readonly string[];
  /** Where they write tables' files; absolute. */
  readonly writtenFolder: string;
  readonly maxColumns: number;
  /** Of a process that reads a table. */
  readonly memoryBytes: number;
}

const MIB = 1 << 20;
const WALL_MS = 30 * 60_000;
const POOL_LIMITS = {
  processes: 2,
  tasksOfProcess: 500,
  // One that has read a large table keeps memory which a run may have.
  keptBytes: 192 * MIB,
  idleMs: 60_000,
};
/** Node itself with the service's code, and one column twice, for its profile. */
const SHARE_OF_TABLE = 2 / 3;

export class TableReaders {
  /** Of every reading of a dataset, wherever it is done. */
  readonly limits: ReadLimits;
  readonly #pool: OwnedPool<TableProcess>;

  constructor({ folders, writtenFolder, maxColumns, memoryBytes }: TableReadersOptions) {
    this.limits = {
      ...READ_LIMITS,
      columns: maxColumns,
      tableBytes: Math.floor(memoryBytes * SHARE_OF_TABLE),
    };
    this.#pool = new OwnedPool(
      POOL_LIMITS,
      () => new TableProcess(folders, writtenFolder, { memoryBytes, wallMs: WALL_MS }),
    );
  }

  /**
   * Waits for its turn. What writes a file has `store`.
   *
   * @param owner whose file it is
   * @throws what the engine throws; DataError; what the signal is aborted with
   */
  run<Kind extends Exclude<ReadingTask["kind"], "store">>(
    task: Extract<ReadingTask, { kind: Kind }>,
    owner: string,
    signal: AbortSignal,
  ): Promise<ReadingResults[Kind]> {
    return this.#pool.inTurn(owner, signal, () =>
      this.#pool.withProcess(owner, (process) => process.run<Kind>(task, signal)),
    );
  }

  /**
   * Reads a file and writes its table into the table's own file, on `target`. Waits for its turn.
   *
   * @throws as `run`
   */
  store(
    file: UploadedFile,
    target: string,
    owner: string,
    signal: AbortSignal,
  ): Promise<StoredInspection> {
    return this.#pool.inTurn(owner, signal, () =>
      this.#pool.withProcess(owner, async (process) => {
        const path = process.newPath();
        try {
          const input = { file: { ...file, limits: this.limits }, target: path };
          const inspection = await process.run<"store">({ kind: "store", input }, signal);
          await rename(path, target);
          return inspection;
        } catch (error) {
          await rm(path, { force: true });
          throw error;
        }
      }),
    );
  }

  /** A file that is read under the limits. */
  bounded<File extends TableFile>(file: File): File {
    return file.format === "stored" ? file : { ...file, limits: this.limits };
  }

  get pids(): number[] {
    return this.#pool.pids;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
