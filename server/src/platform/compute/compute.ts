/**
 * The thread pools, and the processes that read tables. Training has its own threads, so that a
 * prediction never waits behind the folds of a run. All read local files; objects are copied to a cache
 * for them.
 */

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type AnnouncedDevices,
  ComputePool,
  createPool,
  type DeviceSettings,
  type Inspection,
  type OutOfFoldComparison,
  type PlanInput,
  type RunPlan,
  reviveError,
  type ScarceDevice,
  type TableFile,
  type ThrownError,
  type UploadedFile,
} from "@distillery/engine";
import type { RowsInput, ShownRows } from "@distillery/engine/reading";
import { UnprocessableError } from "../input/problem.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import type { AnsweredRows, InferredRows } from "./answered-rows.ts";
import type { Comparison } from "./compare-answers.ts";
import type { HeldOutRequest } from "./exports/compare-held-out.ts";
import type {
  ArchiveParts,
  ArchiveRequest,
  CardRequest,
  Exported,
  ExportRequest,
} from "./exports/export-model.ts";
import type { ExplanationsAnswer, Operation, PredictionsAnswer } from "./model-rows.ts";
import { PredictionLogThread } from "./prediction-log/prediction-log-thread.ts";
import type { StoredInspection } from "./reading/messages.ts";
import { TableReaders } from "./reading/table-readers.ts";
import { Scoring } from "./scoring/scoring.ts";
import type {
  ArrowBody,
  ComparedBody,
  ComparedInfer,
  CountedRows,
  InferBody,
  RowsBody,
  RowsRequest,
} from "./serving/messages.ts";
import { predictArrow } from "./serving/predict-arrow.ts";
import { predictBody } from "./serving/predict-body.ts";
import { ServingPool } from "./serving/serving-pool.ts";

/** Requests for predictions and explanations that wait for a thread, and the bytes of their bodies. */
const MOST_WAITING = 1024;
const MOST_WAITING_BYTES = 256 * 2 ** 20;

/**
 * Training has what those who wait for an answer leave over: about a tenth of a core that both want, on
 * Linux and Windows. Elsewhere the threads share alike.
 */
const TRAINING_NICENESS = 10;

const NEVER = new AbortController().signal;

export interface ComputeOptions {
  readonly objects: ObjectStore;
  /** A folder of this process's own; emptied now. */
  readonly cacheFolder: string;
  /** Where queries leave the files that are to be inspected. */
  readonly queryFolder: string;
  /** 0 in a process that only answers requests. */
  readonly trainingThreads: number;
  /** What takes part in training beside the threads. */
  readonly devices: DeviceSettings;
  /** That answer requests for predictions, ≥ 1. */
  readonly servingThreads: number;
  /** Of the files of the models that each of them holds. */
  readonly modelBytes: number;
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
  /** Of whole tables, in threads of its own. */
  readonly scoring: Scoring;
  readonly predictionLog = new PredictionLogThread(TRAINING_NICENESS);
  readonly #serving: ServingPool;
  /** A thread apart, begun when somebody exports: no prediction waits behind a large model. */
  readonly #exports = new ComputePool(
    new URL("./exports/export-tasks.ts", import.meta.url),
    1,
    reviveError,
  );
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
    this.#serving = new ServingPool({
      threads: options.servingThreads,
      modelBytes: options.modelBytes,
      mostWaiting: MOST_WAITING,
      mostWaitingBytes: MOST_WAITING_BYTES,
      revive: revivedFault,
    });
    this.scoring = new Scoring(options.trainingThreads || options.servingThreads, {
      niceness: TRAINING_NICENESS,
      devices: options.devices,
    });
    this.training =
      options.trainingThreads > 0
        ? createPool(options.trainingThreads, {
            niceness: TRAINING_NICENESS,
            devices: options.devices,
          })
        : null;
  }

  static async open(options: ComputeOptions): Promise<Compute> {
    await rm(options.cacheFolder, { recursive: true, force: true });
    await mkdir(options.cacheFolder, { recursive: true, mode: 0o700 });
    // A process that may read a folder may read what is in it only if the folder is there when it starts.
    await mkdir(options.queryFolder, { recursive: true, mode: 0o700 });
    return new Compute(options);
  }

  /** The devices that runs of this process may have, and which of them they may ask for now. */
  get offer(): { readonly needs: readonly ScarceDevice[]; readonly devices: AnnouncedDevices } {
    const devices = this.training?.devices.announced ?? { devices: [], missing: [] };
    const there = devices.devices.filter(({ state }) => state === "free" || state === "busy");
    return { needs: [...new Set(there.map(({ device }) => device))], devices };
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

  /** Some rows of a stored table, as they are shown. */
  rows(input: RowsInput, { organizationId, signal = NEVER }: ReadingScene): Promise<ShownRows> {
    return this.#readers.run<"rows">({ kind: "rows", input }, organizationId, signal);
  }

  /** A file as a training run reads it: what may be registered may be trained on. */
  bounded(file: TableFile): TableFile {
    return this.#readers.bounded(file);
  }

  /** Of the processes that read tables. */
  get readingPids(): number[] {
    return this.#readers.pids;
  }

  /** @throws UnprocessableError, ModelFormatError; Problem (503) where too many requests wait */
  predict(request: RowsRequest): Promise<PredictionsAnswer> {
    return this.#serving.ask({ kind: "predict", request });
  }

  /** As `predict`. */
  explain(request: RowsRequest): Promise<ExplanationsAnswer> {
    return this.#serving.ask({ kind: "explain", request });
  }

  /** As `predict`, from JSON to JSON; the body is given away. */
  predictBody(request: RowsBody): Promise<AnsweredRows> {
    return predictBody(this.#serving, request);
  }

  /** As `explain`, from JSON to JSON. */
  explainBody(request: RowsBody): Promise<AnsweredRows> {
    return this.#serving.ask({ kind: "explainBody", request });
  }

  /** As `predict`, from an Arrow stream or file to an Arrow stream or JSON; the body is given away. */
  predictArrow(request: ArrowBody): Promise<AnsweredRows> {
    return predictArrow(this.#serving, request);
  }

  /** Predicts what another model has predicted, and compares; the body is given away. */
  compareBody(request: ComparedBody): Promise<Comparison> {
    return this.#serving.ask({ kind: "compareBody", request });
  }

  /** As `predictBody`, in the tensors of the Open Inference Protocol. */
  inferBody(request: InferBody): Promise<InferredRows> {
    return this.#serving.ask({ kind: "inferBody", request });
  }

  /** Predicts by two models, and compares; the body is given away. */
  compareInfer(request: ComparedInfer): Promise<Comparison> {
    return this.#serving.ask({ kind: "compareInfer", request });
  }

  /** Looks at the JSON of rows alone, which is given away. @throws UnprocessableError */
  checkBody(body: Uint8Array, operation: Operation): Promise<void> {
    return this.#serving.ask({ kind: "check", body, operation });
  }

  /** Requests for predictions and explanations that wait for a thread. */
  get waitingRequests(): number {
    return this.#serving.waiting;
  }

  /** Rows that were answered for serving endpoints since the last call. */
  countedRows(): Promise<readonly CountedRows[]> {
    return this.#serving.counted();
  }

  /** Loads a model in every serving thread before anybody asks it. @param folder a local copy of its directory */
  warmModel(folder: string): void {
    this.#serving.warm(folder);
  }

  /** Drops a model that is gone from every thread. */
  forgetModel(folder: string): void {
    this.#serving.forget(folder);
  }

  /** A model in a form of other programs, or why it has none; ends when nobody waits for it, as the three below. */
  exportModel(input: ExportRequest, signal: AbortSignal): Promise<Exported> {
    return this.#exports.run("exportModel", input, { signal });
  }

  /** A model's card, as a page or as JSON. */
  modelCard(input: CardRequest, signal: AbortSignal): Promise<Uint8Array> {
    return this.#exports.run("modelCard", input, { signal });
  }

  /** What a model's archive holds beside its directory. */
  archiveParts(input: ArchiveRequest, signal: AbortSignal): Promise<ArchiveParts> {
    return this.#exports.run("archiveParts", input, { signal });
  }

  /** Two models on rows that the runs of both held out. */
  compareHeldOut(input: HeldOutRequest, signal: AbortSignal): Promise<OutOfFoldComparison> {
    return this.#exports.run("compareHeldOut", input, { signal });
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
    await Promise.all([
      this.#serving.close(),
      this.#exports.close(),
      this.scoring.close(),
      this.predictionLog.close(),
      this.training?.close(),
      this.#readers.close(),
    ]);
    await rm(this.cacheFolder, { recursive: true, force: true });
  }
}

function revivedFault(thrown: ThrownError): Error | undefined {
  const { detail } = thrown.members;
  return thrown.name === "UnprocessableError" && Array.isArray(detail)
    ? new UnprocessableError(detail)
    : reviveError(thrown);
}
