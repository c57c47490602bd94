/** Rows that a thread has answered for serving endpoints, counted until somebody asks for them. */

import { DriftCounter, type Model, type PredictedTable } from "@distillery/engine";
import type { CountedRows } from "./messages.ts";

const HOUR_MS = 3_600_000;

export class DriftCounts {
  /** Null: of a model that has nothing to be compared with. */
  readonly #counters = new WeakMap<Model, DriftCounter | null>();
  readonly #held = new Map<string, CountedRows>();

  /** @param endpointId undefined: nobody counts them */
  add(
    model: Model,
    { endpointId, modelId }: { readonly endpointId?: string | undefined; readonly modelId: string },
    output: Pick<PredictedTable, "table" | "values" | "outputs" | "labels">,
  ): void {
    if (endpointId === undefined) return;
    const counter = this.#counterOf(model);
    if (counter === null) return;
    const hour = Math.floor(Date.now() / HOUR_MS);
    const key = `${endpointId} ${modelId} ${hour}`;
    const known = this.#held.get(key);
    const counts = known?.counts ?? new Float64Array(counter.length);
    if (!known) this.#held.set(key, { endpointId, modelId, hour, counts });
    counter.add(counts, output.table, output);
  }

  /** All since the last time. */
  take(): CountedRows[] {
    const all = [...this.#held.values()];
    this.#held.clear();
    return all;
  }

  #counterOf(model: Model): DriftCounter | null {
    const known = this.#counters.get(model);
    if (known !== undefined) return known;
    const { reference, document } = model;
    const made = reference && new DriftCounter(reference, document.schema, document.task);
    this.#counters.set(model, made);
    return made;
  }
}
