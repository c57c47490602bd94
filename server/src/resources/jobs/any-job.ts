/** Jobs of any kind, and who may look at which: each kind has the scope of its own area. */

import type { AuthedContext } from "../../api/context/context.ts";
import { allows, assertScope } from "../../api/context/scopes.ts";
import { insufficientScope, notFound } from "../../platform/input/problem.ts";
import type { JobRow } from "./job.ts";
import type { JobKind } from "./kind.ts";
import { findJob } from "./store.ts";

/** Every kind that there is; at least one. */
export type JobKinds = readonly [JobKind, ...JobKind[]];

/** Said in the description of an operation over jobs of every kind. */
export function scopesOf(kinds: JobKinds): string {
  const areas = [...new Set(kinds.map(({ area }) => area))];
  const needs = areas.map(
    ({ aJob, read }, at) => `${aJob} needs ${at === 0 ? "the scope " : ""}${read}`,
  );
  return sentence(needs.join(", "));
}

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export interface FoundJob {
  readonly kind: JobKind;
  readonly job: JobRow;
}

/** @throws 403 for a token that may not look at jobs of that kind, or of any; 404 */
export async function requireAnyJob(
  ctx: AuthedContext,
  kinds: JobKinds,
  id: string,
): Promise<FoundJob> {
  if (!kinds.some(({ area }) => allows(ctx.auth.scopes, area.read))) {
    throw insufficientScope(kinds[0].area.read);
  }
  const job = await findJob(ctx.services.db, ctx.auth.organizationId, null, id);
  const kind = kinds.find(({ name }) => name === job?.kind);
  if (!job || !kind) throw notFound("job");
  assertScope(ctx, kind.area.read);
  return { kind, job };
}
