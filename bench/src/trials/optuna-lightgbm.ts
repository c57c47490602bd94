/** Trials of LightGBM under Optuna, in Python; `trials_peer.py` says what is spoken. */

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { BenchData } from "../bench-data.ts";
import { writeColumns } from "../peer-process.ts";
import type { SearchedTrials, TrialsRequest } from "./our-trials.ts";

const SCRIPT = fileURLToPath(new URL("trials_peer.py", import.meta.url));

export interface PeerForm {
  readonly form: "processes" | "threads";
  /** Bins of a fold, for all trials of a process, or made in each fit. */
  readonly datasets: "kept" | "anew";
  /** Of LightGBM. */
  readonly parameters: Readonly<Record<string, boolean>>;
}

const answerSchema = z.object({
  seconds: z.number(),
  cpu: z.number(),
  loss: z.number(),
  trials: z.number(),
  pruned: z.number(),
  folds: z.number(),
  rounds: z.number(),
  optuna: z.string(),
  lightgbm: z.string(),
});

/** Data and folds as files in a folder, for as many searches as are wanted. */
export class PeerTrials {
  readonly #python: string;
  readonly #folder: string;
  readonly #rows: number;

  constructor(python: string, folder: string, data: BenchData, foldOf: Uint8Array) {
    this.#python = python;
    this.#folder = folder;
    this.#rows = data.train.length;
    const columns = data.table.columns.map((column) =>
      column.kind === "numeric" ? column.values.subarray(0, this.#rows) : new Float64Array(0),
    );
    writeColumns(join(folder, "data.f64"), columns, data.target, data.train);
    writeFileSync(join(folder, "folds.u8"), foldOf);
  }

  /** @returns with the names and versions of what searched. @throws Error where Python has not what it takes */
  async search(
    { space, fixed, trials, threads, pruning, seed }: TrialsRequest,
    form: PeerForm,
  ): Promise<SearchedTrials & { readonly name: string }> {
    const request = {
      ...{ path: join(this.#folder, "data.f64"), folds: join(this.#folder, "folds.u8") },
      ...{ rows: this.#rows, space, trials, workers: threads, pruning, seed, ...form },
      ...{ rounds: fixed["n_estimators"], patience: fixed["early_stopping_rounds"] },
    };
    const text = await new Promise<string>((resolve, reject) => {
      const child = execFile(this.#python, [SCRIPT], (error, out) =>
        error ? reject(error) : resolve(out),
      );
      // A process that could not be started says so by itself.
      child.stdin?.on("error", () => child.kill());
      child.stdin?.end(JSON.stringify(request));
    });
    const { optuna, lightgbm, ...searched } = answerSchema.parse(JSON.parse(text));
    return { ...searched, device: null, name: `LightGBM ${lightgbm} under Optuna ${optuna}` };
  }
}
