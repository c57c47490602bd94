/**
 * A row filter of a request, with the integers that doubles do not hold by their digits, which a column of
 * texts is compared with exactly, and a column of numbers refuses.
 */

import { writtenNumber } from "../../platform/input/json.ts";

/** Deeper ones are refused (`filterSchema`). */
const MAX_DEPTH = 64;

/** @param filter of a body as it was parsed, of any shape */
export function writtenFilter(filter: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH || typeof filter !== "object" || filter === null) return filter;
  if (Array.isArray(filter)) return filter.map((each) => writtenFilter(each, depth + 1));
  const copy: Record<string, unknown> = { ...filter };
  if (Object.hasOwn(copy, "value")) copy["value"] = writtenValue(filter, "value", copy["value"]);
  for (const member of ["expr", "exprs"]) {
    if (Object.hasOwn(copy, member)) copy[member] = writtenFilter(copy[member], depth + 1);
  }
  return copy;
}

function writtenValue(holder: object, key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, at) => writtenItem(value, at, item));
  return writtenItem(holder, key, value);
}

function writtenItem(holder: object, key: PropertyKey, value: unknown): unknown {
  const text = typeof value === "number" ? writtenNumber(holder, key) : undefined;
  return text !== undefined && /^-?\d+$/.test(text) ? { integer: text } : value;
}
