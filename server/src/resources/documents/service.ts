/** What is done with a document once it is there. */

import type { AuthedContext } from "../../api/context/context.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { readText } from "../../platform/objects/object-store.ts";
import { removeUnowned } from "../../platform/objects/unowned.ts";
import { countOpenJobs } from "../jobs/service.ts";
import { documentKey, TEXT } from "./object-keys.ts";
import type { ReadableText } from "./parsed-form.ts";
import { type DocumentRow, deleteDocument, findDocument } from "./store.ts";

/** @throws 404 */
export async function requireDocument(ctx: AuthedContext, id: string): Promise<DocumentRow> {
  const document = await findDocument(ctx.services.db, ctx.auth.organizationId, id);
  if (!document) throw notFound("document");
  return document;
}

/** @throws 404, or 409 where it is not parsed */
export async function documentTextOf(ctx: AuthedContext, id: string): Promise<ReadableText> {
  const document = await requireDocument(ctx, id);
  if (document.status === "failed") {
    throw conflict(`This document could not be read: ${document.error_message}`);
  }
  if (document.status === "parsing")
    throw conflict("This document is still being read; try again soon.");
  const key = documentKey(ctx.auth.organizationId, id, TEXT);
  return JSON.parse(await readText(ctx.services.objects.get(key)));
}

/** @throws 404, or 409 while an open job reads it */
export async function removeDocument(ctx: AuthedContext, id: string): Promise<void> {
  const { services, auth } = ctx;
  await services.db.forOrganization(auth.organizationId, async (sql) => {
    if (!(await deleteDocument(sql, auth.organizationId, id))) throw notFound("document");
    // Counted behind the delete, which waits for a job that is being registered with it.
    const counts = await countOpenJobs(sql, auth.organizationId, "documents", id);
    const open = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (open === 0) return;
    const jobs = open === 1 ? "job reads" : "jobs read";
    throw conflict(
      `${open} open ${jobs} this document; cancel or await ${open === 1 ? "it" : "them"} first.`,
    );
  });
  await removeUnowned(services, documentKey(auth.organizationId, id, ""));
}
