/**
 * The thread pools, and the processes that read tables. Training has its own threads, so that a
 * prediction never waits behind the folds of a run. All read local files; objects are copied to a cache
 * for them.
 */

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  ComputePool,
  createPool,
  type Inspection,
  type PlanInput,
  type RunPlan,
  reviveError,
  type TableFile,
  type ThrownError,
  type UploadedFile,
} from "@distillery/engine";
import { UnprocessableError } from "../input/problem.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import type { ExplanationsAnswer, Operation, PredictionsAnswer } from "./model-rows.ts";
import type { StoredInspection } from "./reading/messages.ts";
import { TableReaders } from "./reading/table-readers.ts";
import type { RowsBody, RowsRequest } from "./request-tasks.ts";

/** Threads that answer requests; their tasks are short, and training may have all cores. */
const REQUEST_THREADS = 2;

const NEVER = new AbortController().signal;

export interface ComputeOptions {
  readonly objects: ObjectStore;
  /** A folder of this process's own; emptied now. */
  readonly cacheFolder: string;
  /** Where queries leave the files that are to be inspected. */
  readonly queryFolder: string;
  /** 0 in a process that only answers requests. */
  readonly trainingThreads: number;
  /** See `Config`. */
  readonly maxColumns: number;
  readonly readMemoryBytes: number;
}

/** Whose data a task reads, and until when somebody waits for it. */
export interface ReadingScene {
  readonly organizationId: string;
  readonly signal?: AbortSignal;
}

export class Compute {
  readonly cacheFolder: string;
  /** Null in a process that only answers requests. */
  readonly training: ComputePool | null;
  readonly #requests: ComputePool;
  readonly #objects: ObjectStore;
  readonly #readers: TableReaders;

  private constructor(options: ComputeOptions) {
    this.cacheFolder = options.cacheFolder;
    this.#objects = options.objects;
    this.#readers = new TableReaders({
      folders: [options.cacheFolder, options.queryFolder],
      writtenFolder: join(options.cacheFolder, "written"),
      maxColumns: options.maxColumns,
      memoryBytes: options.readMemoryBytes,
    });
    this.#requests = new ComputePool(
      new URL("./request-tasks.ts", import.meta.url),
      REQUEST_THREADS,
      revived,
    );
    this.training = options.trainingThreads > 0 ? createPool(options.trainingThreads) : null;
  }

  static async open(options: ComputeOptions): Promise<Compute> {
    await rm(options.cacheFolder, { recursive: true, force: true });
    await mkdir(options.cacheFolder, { recursive: true, mode: 0o700 });
    return new Compute(options);
  }

  /** What a file in the cache holds. */
  inspect(
    file: UploadedFile,
    { organizationId, signal = NEVER }: ReadingScene,
  ): Promise<Inspection> {
    const input = this.#readers.bounded(file);
    return this.#readers.run<"inspect">({ kind: "inspect", input }, organizationId, signal);
  }

  /** Lends the table's own file of a file in the cache, with what it holds. */
  withStoredTable<Result>(
    file: UploadedFile,
    { organizationId, signal = NEVER }: ReadingScene,
    use: (path: string, inspection: StoredInspection) => Promise<Result>,
  ): Promise<Result> {
    return this.withLocalPath(async (path) =>
      use(path, await this.#readers.store(file, path, organizationId, signal)),
    );
  }

  /** What a run would do, with all faults of its configuration found. */
  plan(
    { file, config }: PlanInput,
    { organizationId, signal = NEVER }: ReadingScene,
  ): Promise<RunPlan> {
    const input = { file: this.#readers.bounded(file), config };
    return this.#readers.run<"plan">({ kind: "plan", input }, organizationId, signal);
  }

  /** A file as a training run reads it: what may be registered may be trained on. */
  bounded(file: TableFile): TableFile {
    return this.#readers.bounded(file);
  }

  /** Of the processes that read tables. */
  get readingPids(): number[] {
    return this.#readers.pids;
  }

  /** @throws UnprocessableError, DataError, ModelFormatError */
  predict(input: RowsRequest): Promise<PredictionsAnswer> {
    return this.#requests.run("predict", input);
  }

  /** As `predict`. */
  explain(input: RowsRequest): Promise<ExplanationsAnswer> {
    return this.#requests.run("explain", input);
  }

  /** As `predict`, from JSON to JSON; the body is given away. */
  predictBody(input: RowsBody): Promise<Uint8Array> {
    return this.#requests.run("predictBody", input, { given: [input.body] });
  }

  /** As `explain`, from JSON to JSON. */
  explainBody(input: RowsBody): Promise<Uint8Array> {
    return this.#requests.run("explainBody", input, { given: [input.body] });
  }

  /** Looks at the JSON of rows alone, which is given away. @throws UnprocessableError */
  checkBody(body: Uint8Array, operation: Operation): Promise<void> {
    return this.#requests.run("checkBody", { body, operation }, { given: [body] });
  }

  /** Gives `use` a local copy of an object for as long as it runs. */
  withLocalFile<Result>(key: string, use: (path: string) => Promise<Result>): Promise<Result> {
    return this.withLocalPath(async (path) => {
      await this.#objects.copyTo(key, path);
      return use(path);
    });
  }

  /** Gives `use` a path in the cache, on which nothing is; what it puts there goes when it ends. */
  async withLocalPath<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
    const path = join(this.cacheFolder, randomUUID());
    try {
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.training?.close(), this.#readers.close()]);
    await rm(this.cacheFolder, { recursive: true, force: true });
  }
}

function revived(thrown: ThrownError): Error | undefined {
  const { detail } = thrown.members;
  return thrown.name === "UnprocessableError" && Array.isArray(detail)
    ? new UnprocessableError(detail)
    : reviveError(thrown);
}
