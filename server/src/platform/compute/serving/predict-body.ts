/** One JSON body by several threads, where its rows are worth it. */

import { UnprocessableError } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import type { PlannedRows, RowsBody } from "./messages.ts";
import { askForParts, type PartsPool } from "./parts.ts";

/** Bodies up to this have few rows: they are answered together with others. */
const FEW_BYTES = 16 * 1024;

/** @throws as `Compute.predictBody` */
export async function predictBody(pool: PartsPool, request: RowsBody): Promise<AnsweredRows> {
  const { threads } = pool;
  if (threads === 1 || request.body.byteLength <= FEW_BYTES) {
    return pool.ask({ kind: "predictBody", request });
  }
  const planned = await pool.ask<AnsweredRows | PlannedRows>({
    kind: "planBody",
    request: { ...request, threads },
  });
  if (!("tables" in planned)) return planned;
  const { body, first, tables, warnings } = planned;
  const { body: _, ...whole } = request;
  try {
    const parts = await askForParts(
      pool,
      tables.map((table) => ({ kind: "predictPart", request: { ...whole, table } })),
    );
    const all = first === null ? parts : [first, ...parts];
    return await pool.ask({ kind: "joinParts", request: { ...whole, parts: all, warnings } });
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    // What is wrong is told of the whole.
    return pool.ask({ kind: "predictBody", request: { ...request, body } });
  }
}
