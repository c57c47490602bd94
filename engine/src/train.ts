/** Training in one call, for programs that import the engine. */

import { existsSync, statSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { DEVICES, type DeviceSettings } from "./compute/gpu/device-settings.ts";
import type { ComputePool } from "./compute/pool.ts";
import { checkOptions } from "./data/known-options.ts";
import { TABLE_FORMATS } from "./data/readers/reading.ts";
import { shown } from "./data/shown.ts";
import { DataError } from "./data/table.ts";
import type { Teacher } from "./distill/teacher.ts";
import { loadModel } from "./model/load-read.ts";
import type { Model } from "./model/model.ts";
import { writeReport } from "./report/write-report.ts";
import { SYSTEM_CLOCK } from "./trainer/clock/budget.ts";
import { type RunConfigInput, studentConfig } from "./trainer/config/config.ts";
import { parseRunConfig } from "./trainer/config/config-faults.ts";
import type { RunEvent } from "./trainer/log/events.ts";
import { makeFolder } from "./trainer/log/make-folder.ts";
import type { RunState } from "./trainer/log/state.ts";
import { FolderRunStore, MemoryRunStore, readModelFile } from "./trainer/log/store.ts";
import { continuedConfig, prepareRun } from "./trainer/plan/prepare.ts";
import type { TableFile } from "./trainer/plan/run-table.ts";
import { progressOf, type RunProgress } from "./trainer/progress.ts";
import { RunDriver } from "./trainer/run.ts";
import { createPool } from "./worker/pool.ts";

/** How and where a run is done; nothing of it changes the models, but for the teacher and a device that trains networks. */
export interface TrainOptions {
  /**
   * Keeps the log, the predictions and the model, so that a killed run can go on, and the run's
   * report: `report/report.html` and `report/report.json`. Default none.
   */
  readonly folder?: string;
  /** Worker threads; default one for each core. The result does not depend on it. */
  readonly threads?: number;
  /** Which device takes part beside them. Of the models, networks that it trained depend on it, and say so. */
  readonly devices?: DeviceSettings;
  /**
   * Threads that are kept for further runs (`createPool`), in place of the run's own, which `threads` and `devices` are
   * of. The caller closes it.
   */
  readonly pool?: ComputePool;
  readonly signal?: AbortSignal;
  /** Makes the models students of it; what the config leaves open then follows `studentConfig`. */
  readonly teacher?: Teacher;
  /** The title of the report; default the label's column. */
  readonly name?: string;
  /** Called after each event of the run, with the state that it led to. */
  readonly onEvent?: (event: RunEvent, state: RunState) => void;
}

/** More threads than any machine has cores are a mistake, and would each take memory. */
const MOST_THREADS = 1024;

interface OptionRule {
  readonly isMet: (value: unknown) => boolean;
  /** What the option is to be, as a sentence goes on. */
  readonly wants: string;
}

const RULES: Readonly<Record<keyof TrainOptions, OptionRule>> = {
  folder: {
    isMet: (value) => typeof value === "string" && value !== "",
    wants: "give a folder's path, or leave it out to keep nothing of the run but its models",
  },
  threads: {
    isMet: (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_THREADS,
    wants: `give a whole number from 1 to ${MOST_THREADS}, or leave it out for one for each core`,
  },
  devices: {
    isMet: (value) =>
      hasMembers(value) &&
      (value["device"] === undefined || DEVICES.some((name) => name === value["device"])),
    wants: `give an object whose \`device\` is ${DEVICES.join(", ")}`,
  },
  pool: {
    isMet: (value) => hasMembers(value) && typeof value["run"] === "function",
    wants: "give what `createPool` makes",
  },
  signal: {
    isMet: (value) =>
      hasMembers(value) &&
      typeof value["aborted"] === "boolean" &&
      typeof value["addEventListener"] === "function",
    wants: "give an AbortSignal, as an AbortController's `signal` is",
  },
  teacher: {
    isMet: (value) =>
      hasMembers(value) &&
      typeof value["name"] === "string" &&
      typeof value["predict"] === "function",
    wants: "give a teacher, with a `name` and `predict`, as `modelTeacher` makes one of a model",
  },
  name: { isMet: (value) => typeof value === "string", wants: "give the report's title" },
  onEvent: { isMet: (value) => typeof value === "function", wants: "give a function" },
};

const OPTIONS = Object.keys(RULES);

const FORMATS: readonly string[] = [...TABLE_FORMATS, "stored"];

/** A run that has ended, with its models loaded. */
export interface TrainedRun {
  /** The best on the first metric. */
  readonly model: Model;
  /** All models of the run, that one first; several where a sweep asked for them. */
  readonly models: readonly Model[];
  readonly state: RunState;
}

/** What a run has come to with one of its events. */
export interface TrainingProgress extends RunProgress {
  readonly event: RunEvent;
  readonly state: RunState;
}

/**
 * A run that has begun. Awaited, it gives its models; iterated, what happens on the way, from when it is
 * first asked. Leaving the loop early leaves the run alone: abort its signal to end it.
 */
export type TrainingRun = Promise<TrainedRun> & AsyncIterable<TrainingProgress>;

/**
 * Reads the file, runs the search and gives the model or models.
 *
 * ```ts
 * const run = train(file, config, { signal });
 * for await (const { phase, trialsDone, trialsPlanned, estimate } of run) show(phase, estimate);
 * const { model } = await run;
 * ```
 *
 * @returns rejects with DataError, ConfigError, TeacherError, AllTrialsFailedError or RunCancelledError; so does
 * the iteration
 */
export function train(
  file: TableFile,
  config: RunConfigInput,
  options: TrainOptions = {},
): TrainingRun {
  const listeners = new Set<(event: RunEvent, state: RunState) => void>();
  const run = trained(file, config, options, (event, state) => {
    for (const listener of listeners) listener(event, state);
  });
  async function* progress(): AsyncGenerator<TrainingProgress> {
    const queue: TrainingProgress[] = [];
    let wake = (): void => undefined;
    let isOver = false;
    const over = (): void => {
      isOver = true;
      wake();
    };
    run.then(over, over);
    const listener = (event: RunEvent, state: RunState): void => {
      queue.push({ event, state, ...progressOf(state, SYSTEM_CLOCK.now()) });
      wake();
    };
    listeners.add(listener);
    try {
      for (;;) {
        yield* queue.splice(0);
        if (queue.length > 0) continue;
        if (isOver) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      listeners.delete(listener);
    }
    await run;
  }
  return Object.assign(run, { [Symbol.asyncIterator]: progress });
}

async function trained(
  file: TableFile,
  config: RunConfigInput,
  given: TrainOptions | null,
  tell: (event: RunEvent, state: RunState) => void,
): Promise<TrainedRun> {
  const startedAt = SYSTEM_CLOCK.now();
  checkFile(file);
  const options = given ?? {};
  checkTrainOptions(options);
  const leave = options.folder === undefined ? null : enterFolder(options.folder);
  try {
    return await driven(file, config, options, startedAt, tell);
  } finally {
    leave?.();
  }
}

async function driven(
  file: TableFile,
  config: RunConfigInput,
  options: TrainOptions,
  startedAt: number,
  tell: (event: RunEvent, state: RunState) => void,
): Promise<TrainedRun> {
  const { teacher, signal } = options;
  const store = options.folder ? new FolderRunStore(options.folder) : new MemoryRunStore();
  const asked = parseRunConfig(teacher ? studentConfig(config) : config);
  if (options.folder) await openFolder(options.folder);
  const parsed = await continuedConfig(asked, store);
  const pool =
    options.pool ??
    createPool(options.threads, options.devices ? { devices: options.devices } : {});
  try {
    const teaching = teacher ? { teacher, store } : undefined;
    const spent = { seconds: (SYSTEM_CLOCK.now() - startedAt) / 1000, threads: pool.threads };
    const run = await prepareRun({ file, config: parsed, spent }, pool, signal, teaching);
    const driver = new RunDriver({
      run,
      config: parsed,
      store,
      pool,
      teacher,
      signal,
      startedAt,
      reports: options.folder !== undefined,
      onEvent(event, state) {
        options.onEvent?.(event, state);
        tell(event, state);
      },
    });
    const state = await driver.drive();
    const load = (_: unknown, model: number): Promise<Model> =>
      loadModel((path) => readModelFile(store, path, model));
    // Beside the thread that draws the report, which takes longer.
    const [models] = await Promise.all([
      Promise.all(state.selections.map(load)),
      options.folder ? writeReport(driver, options.name ? { name: options.name } : {}) : null,
    ]);
    return { model: models[0], models, state };
  } finally {
    if (options.pool === undefined) await pool.close();
  }
}

/** Programs without types may give a path or a table, or leave the format to be guessed. */
function checkFile(file: unknown): void {
  if (!hasMembers(file) || typeof file["path"] !== "string") {
    throw new TypeError(
      'train reads a file: give `{ path: "houses.csv", format: "csv" }`, or another path and format.',
    );
  }
  const { path, format } = file;
  if (!FORMATS.some((known) => known === format)) {
    throw new TypeError(
      `The file's \`format\` is ${said(format)}: give one of ${TABLE_FORMATS.join(", ")}.`,
    );
  }
  if (!existsSync(path)) throw new DataError(`There is no file ${shown(path)}.`);
}

/** Folders that runs of this process are at work in. */
const entered = new Set<string>();

/** @returns what is called when the run has ended */
function enterFolder(folder: string): () => void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new TypeError(
      `The option \`folder\` is ${shown(folder)}, which is a file: give a folder.`,
    );
  }
  const path = resolve(folder);
  if (entered.has(path)) {
    throw new Error(
      `Another run is at work in the folder ${shown(folder)}: await it first, or give each run a folder of its own.`,
    );
  }
  entered.add(path);
  return () => entered.delete(path);
}

/** Before the table is read, which may take long. */
async function openFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The option \`folder\` is ${shown(folder)}, which cannot be used (${why}): give a folder that can be written to.`,
      { cause },
    );
  }
}

/** Programs without types may misspell an option or give another thing, and would wait for what it was to do. */
function checkTrainOptions(options: unknown): void {
  if (!hasMembers(options)) {
    throw new TypeError(`The options of train are ${said(options)}: give an object, or none.`);
  }
  checkOptions("train", options, OPTIONS);
  for (const [option, { isMet, wants }] of Object.entries(RULES)) {
    const value = options[option];
    if (value === undefined || isMet(value)) continue;
    throw new TypeError(`The option \`${option}\` is ${said(value)}: ${wants}.`);
  }
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function said(value: unknown): string {
  if (value === "") return "empty";
  if (typeof value === "string") return shown(value);
  if (typeof value === "function") return "a function";
  return hasMembers(value) ? "an object" : String(value);
}
