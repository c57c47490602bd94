/** What a query needs of a table, over all the scans of it in the plan. */

import type { ScanFilter } from "../../../sources/scan-filter.ts";
import type { ScanNeed } from "../../scan.ts";
import { anyOf } from "./plan-filter.ts";
import type { PlanScan } from "./plan-scans.ts";

/** A larger filter costs a source more than it spares. */
const MAX_FILTER_NODES = 2000;
const MAX_FILTER_DEPTH = 16;

/** @param scans of one table, at least one */
export function needOf(
  scans: readonly PlanScan[],
  columns: readonly string[],
  partitions: readonly number[],
): ScanNeed {
  const read = new Set(scans.flatMap((scan) => scan.columns));
  const { filter } = anyOf(scans.map((scan) => scan.filter));
  return {
    columns: columns.filter((name) => read.has(name)),
    filter: filter !== null && isSmall(filter) ? filter : null,
    limit: scans.length === 1 && (filter === null || isSmall(filter)) ? scans[0]!.limit : null,
    partitions,
    distinct: scans.every((scan) => scan.distinct),
  };
}

function isSmall(filter: ScanFilter): boolean {
  let nodes = 0;
  const walk = (node: ScanFilter, depth: number): boolean => {
    nodes += node.kind === "in" ? node.values.length : 1;
    if (nodes > MAX_FILTER_NODES || depth > MAX_FILTER_DEPTH) return false;
    return node.kind === "and" || node.kind === "or"
      ? node.filters.every((child) => walk(child, depth + 1))
      : true;
  };
  return walk(filter, 0);
}
