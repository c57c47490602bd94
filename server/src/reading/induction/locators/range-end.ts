/** The day that a period goes to, behind the one that it begins with. */

import { type DocumentText, lineAt } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { dayRange } from "../values/day-range.ts";
import type { Conventions } from "../values/value.ts";
import { findingOf } from "./finding.ts";
import { valuesOf } from "./layout.ts";

/** Null where the day that was found begins no range. */
export function rangeEnd(
  content: DocumentText,
  first: Finding,
  conventions: Conventions,
): Finding | null {
  const line = lineAt(content, first.start);
  const from = first.start - line.start;
  for (const value of valuesOf(line, "date", conventions)) {
    if (value.start <= from) continue;
    const range = dayRange(line.text.slice(from, value.end), conventions);
    return range === null ? null : findingOf(line, value, first.confidence);
  }
  return null;
}
