/**
 * What a process that only reads tables needs of the engine, loaded as far as it is needed: a file is
 * inspected without the families, which a plan asks.
 */

import type { RunPlan } from "../trainer/log/events.ts";
import type { PlanInput } from "../trainer/plan/run-table.ts";

export { describeThrown } from "../compute/thrown.ts";
export { coerceColumn } from "../data/coerce.ts";
export { orderOf, timesInOrder } from "../data/learned-order.ts";
export { formatTimestamp } from "../data/readers/timestamp-text.ts";
export {
  type GroupedColumn,
  openStoredGroups,
  type StoredGroups,
} from "../data/stored/stored-groups.ts";
export { openStoredTable } from "../data/stored/stored-table.ts";
export { inspect } from "./inspect.ts";
export { type StoreInput, storeTable } from "./store-table.ts";
export { type RowsInput, type ShownRows, storedRows } from "./stored-rows.ts";

/** @throws DataError, ConfigError */
export async function planFile(input: PlanInput): Promise<RunPlan> {
  const prepare = await import("../trainer/plan/prepare.ts");
  return prepare.planFile(input);
}
