/** The documents of a request that starts a job. */

import type { AuthedContext } from "../../../api/context/context.ts";
import type { Sql } from "../../../platform/db/database.ts";
import { notFound, Problem, unprocessable } from "../../../platform/input/problem.ts";
import { findDocuments, keepDocuments } from "../store.ts";
import { type InlineDocument, registerTexts } from "../upload.ts";

/** The ids of the entries, those of texts once they are stored. @throws 404, 422 */
export async function documentIdsOf(
  ctx: AuthedContext,
  entries: readonly (string | InlineDocument)[],
): Promise<readonly string[]> {
  const named = entries.filter((entry) => typeof entry === "string");
  const there = await findDocuments(ctx.services.db, ctx.auth.organizationId, named);
  const known = new Map(there.map((row) => [row.id, row]));
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") continue;
    const document = known.get(entry.toLowerCase());
    if (!document) {
      throw new Problem("not-found", `There is no such document: documents[${index}], ${entry}.`);
    }
    if (document.status === "failed") {
      const why = `this document could not be read: ${document.error_message}`;
      throw unprocessable(["body", "documents", index], why);
    }
  }
  const texts = entries.flatMap((entry, index) =>
    typeof entry === "string" ? [] : [{ entry, index }],
  );
  const stored = await registerTexts(
    ctx,
    texts.map(({ entry: { name, text } }) => ({ name, text })),
    (at) => ["body", "documents", texts[at]!.index, "text"],
  );
  const ids = new Map(texts.map(({ index }, at) => [index, stored[at]!.id]));
  return entries.map((entry, index) =>
    typeof entry === "string" ? entry.toLowerCase() : ids.get(index)!,
  );
}

/** Keeps the documents until the transaction ends. @throws 404 where one is gone */
export async function keepAll(
  { auth }: AuthedContext,
  sql: Sql,
  ids: readonly string[],
): Promise<void> {
  const kept = await keepDocuments(sql, auth.organizationId, ids);
  if (kept.length < ids.length) throw notFound("document");
}
