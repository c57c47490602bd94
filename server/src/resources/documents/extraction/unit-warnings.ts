/** What the numbers of a dataset do not say: that amounts of one column are in several currencies. */

import type { ExtractionPlan } from "../../../reading/induction/schema.ts";
import { sqlTypeOf } from "./columns.ts";
import type { ExtractedRow } from "./rows.ts";

export function unitWarnings(plan: ExtractionPlan, rows: readonly ExtractedRow[]): string[] {
  return plan.answerers.flatMap((answerer) => {
    if (sqlTypeOf(answerer) !== "DOUBLE") return [];
    const counts = new Map<string, number>();
    for (const { answers } of rows) {
      const { value = null, unit = null } = answers[answerer.id] ?? {};
      if (value !== null && unit !== null) counts.set(unit, (counts.get(unit) ?? 0) + 1);
    }
    if (counts.size < 2) return [];
    const shares = [...counts]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([unit, count]) => `${unit} (${count} ${count === 1 ? "row" : "rows"})`);
    return `The values of ${answerer.id} are in ${shares.join(", ")}; the dataset has the numbers alone.`;
  });
}
