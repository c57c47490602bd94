/**
 * One Arrow body by several threads. As many of its parts wait or are worked on at a time as there are
 * threads, so that what comes meanwhile waits behind a part and not behind the body.
 */

import type { ModelPredictions } from "@distillery/engine";
import type { ArrowRange } from "@distillery/engine/arrow";
import { UnprocessableError } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import type { ArrowBody } from "./messages.ts";
import type { ServingPool } from "./serving-pool.ts";

type Pool = Pick<ServingPool, "ask" | "threads">;

/** @throws as `Compute.predictArrow` */
export async function predictArrow(pool: Pool, request: ArrowBody): Promise<AnsweredRows> {
  if (pool.threads === 1 || !(request.body.buffer instanceof SharedArrayBuffer))
    return pool.ask({ kind: "predictArrow", request });
  const planned = await pool.ask<AnsweredRows | { readonly parts: readonly ArrowRange[] }>({
    kind: "planArrow",
    request,
  });
  if (!("parts" in planned)) return planned;
  try {
    const parts = await predictions(pool, request, planned.parts);
    const { modelId, folder } = request;
    return await pool.ask({ kind: "joinArrow", request: { modelId, folder, parts } });
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    // A part says where it is wrong by its own rows.
    return pool.ask({ kind: "predictArrow", request });
  }
}

/** In the order of the parts. */
async function predictions(
  pool: Pool,
  { answerAs: _, ...request }: ArrowBody,
  parts: readonly ArrowRange[],
): Promise<ModelPredictions[]> {
  const found: ModelPredictions[] = [];
  const left = parts.entries();
  let isFailed = false;
  const next = async (): Promise<void> => {
    for (const [place, range] of left) {
      if (isFailed) return;
      try {
        found[place] = await pool.ask({ kind: "predictArrowPart", request: { ...request, range } });
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
