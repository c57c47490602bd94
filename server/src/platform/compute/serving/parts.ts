/**
 * Parts of one request. As many of them wait or are worked on at a time as there are threads, so that what
 * comes meanwhile waits behind a part and not behind the request.
 */

import type { ModelPredictions } from "@distillery/engine";
import type { Asked } from "./messages.ts";
import type { ServingPool } from "./serving-pool.ts";

export type PartsPool = Pick<ServingPool, "ask" | "threads">;

/** Predictions of the parts, in their order. @throws what the first one at fault threw */
export async function askForParts(
  pool: PartsPool,
  parts: readonly Extract<Asked, { kind: "predictArrowPart" | "predictPart" }>[],
): Promise<ModelPredictions[]> {
  const found: ModelPredictions[] = [];
  const left = parts.entries();
  let isFailed = false;
  const next = async (): Promise<void> => {
    for (const [place, part] of left) {
      if (isFailed) return;
      try {
        found[place] = await pool.ask(part);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: pool.threads }, next));
  for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
  return found;
}
