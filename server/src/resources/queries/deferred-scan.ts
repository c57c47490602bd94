/**
 * A table whose source is opened when its columns are asked for: a statement that looks at the names
 * of all tables must not fail for one whose connector is gone.
 */

import type {
  DateOrders,
  ScanDescription,
  ScanNeed,
  ScanSource,
  SchemaReader,
  StageBudget,
  StagedScan,
} from "../../query/sql/scan.ts";

export class DeferredScan implements ScanSource {
  readonly #open: () => Promise<ScanSource>;
  #scan: ScanSource | null = null;

  constructor(open: () => Promise<ScanSource>) {
    this.#open = open;
  }

  get label(): string {
    return this.#scan?.label ?? "a table that was not looked at";
  }

  async describe(
    reader: SchemaReader,
    signal: AbortSignal,
    dates?: DateOrders,
  ): Promise<ScanDescription> {
    this.#scan = await this.#open();
    return this.#scan.describe(reader, signal, dates);
  }

  async stage(
    need: ScanNeed,
    folder: string,
    budget: StageBudget,
    signal: AbortSignal,
  ): Promise<StagedScan> {
    if (this.#scan === null) throw new Error("a table is staged before it was described");
    return this.#scan.stage(need, folder, budget, signal);
  }
}
