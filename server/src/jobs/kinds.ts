/** The kinds of jobs, and who may look at which: each kind has the scope of its own area. */

import { allows, assertScope } from "../auth/scopes.ts";
import type { AuthedContext } from "../http/context.ts";
import { insufficientScope, notFound } from "../http/problem.ts";

const SCOPES = ["training:read", "documents:read"] as const;

/** Said in the description of an operation over jobs of every kind. */
export const KIND_SCOPES =
  "A training job needs the scope training:read, one of documents needs documents:read.";

/**
 * What the first kind that knows the job says of it.
 *
 * @throws 403 for a token that may not look at jobs of that kind, or of any; 404
 */
export async function ofKind<Found>(
  ctx: AuthedContext,
  find: {
    readonly training: () => Promise<Found | null>;
    readonly documents: () => Promise<Found | null>;
  },
): Promise<Found> {
  if (!SCOPES.some((scope) => allows(ctx.auth.scopes, scope))) throw insufficientScope(SCOPES[0]);
  const trained = await find.training();
  if (trained !== null) {
    assertScope(ctx, "training:read");
    return trained;
  }
  const read = await find.documents();
  if (read === null) throw notFound("job");
  assertScope(ctx, "documents:read");
  return read;
}
