/**
 * What a token may do. A scope is `<area>:<action>`; `write` includes `read` of its area, and `*`
 * is everything. Predicting with and explaining a model is `models:read`, by a serving endpoint
 * `serving:read`; managing API keys is `organization:write`. What is made of datasets, models or tables, and
 * tables that read by a connector, also need to read them.
 */

import { insufficientScope, unauthenticated } from "../../platform/input/problem.ts";
import type { Context, Principal } from "./context.ts";

export const AREAS = [
  "organization",
  "workspace",
  "connectors",
  "datasets",
  "training",
  "models",
  "serving",
  "documents",
] as const;
export type Area = (typeof AREAS)[number];
export type Scope = `${Area}:read` | `${Area}:write`;

/** What an operation can ask for: a scope, or any valid token. */
export type Need = Scope | "any";

/** What a key can be granted. */
export type Grant = Scope | "*";
export const GRANTS: readonly Grant[] = [
  "*",
  ...AREAS.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`]),
];

export const isGrant = (text: string): text is Grant =>
  (GRANTS as readonly string[]).includes(text);

export function allows(granted: ReadonlySet<string>, needed: string): boolean {
  if (needed === "any" || granted.has("*") || granted.has(needed)) return true;
  return needed.endsWith(":read") && granted.has(`${needed.slice(0, -":read".length)}:write`);
}

/** The principal, if it may; throws 401 or 403 otherwise. */
export function assertScope(
  context: Pick<Context, "auth" | "authFailure">,
  scope: string,
): Principal {
  if (context.auth === null) throw context.authFailure ?? unauthenticated();
  if (!allows(context.auth.scopes, scope)) throw insufficientScope(scope);
  return context.auth;
}
