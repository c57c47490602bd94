/** One Arrow body by several threads. */

import type { ArrowRange } from "@distillery/engine/arrow";
import { UnprocessableError } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import type { ArrowBody } from "./messages.ts";
import { askForParts, type PartsPool } from "./parts.ts";

/** @throws as `Compute.predictArrow` */
export async function predictArrow(pool: PartsPool, request: ArrowBody): Promise<AnsweredRows> {
  if (pool.threads === 1 || !(request.body.buffer instanceof SharedArrayBuffer))
    return pool.ask({ kind: "predictArrow", request });
  const planned = await pool.ask<AnsweredRows | { readonly parts: readonly ArrowRange[] }>({
    kind: "planArrow",
    request,
  });
  if (!("parts" in planned)) return planned;
  try {
    const { answerAs: _, ...whole } = request;
    const parts = await askForParts(
      pool,
      planned.parts.map((range) => ({ kind: "predictArrowPart", request: { ...whole, range } })),
    );
    const { modelId, folder } = request;
    return await pool.ask({ kind: "joinArrow", request: { modelId, folder, parts } });
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    // A part says where it is wrong by its own rows.
    return pool.ask({ kind: "predictArrow", request });
  }
}
