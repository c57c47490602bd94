/**
 * What the audit log is told of a request: who asked for which change of what, and how it ended. It is made
 * here for every operation alike, from its route and its outcome; of bodies it has the new thing's id alone.
 */

import type { AuditedCaller, AuditedChange } from "../../context/audited-change.ts";
import type { Principal } from "../../context/context.ts";
import type { PathTemplate } from "./operation.ts";
import type { Route } from "./routes.ts";

export const isAudited = ({ method, meta, scope }: Route): boolean =>
  meta.audited ?? (method !== "GET" && scope !== null && scope.endsWith(":write"));

export const callerOf = (principal: Principal): AuditedCaller => ({
  organizationId: principal.organizationId,
  kind: principal.kind,
  subject: principal.subject,
  keyId: principal.keyId,
  isSession: principal.session !== undefined,
});

/** How one request for a change went. */
export interface Outcome {
  /** The names of the path with their values. */
  readonly names: Readonly<Record<string, unknown>>;
  /** The id of the thing that a name of the path turned out to mean; null where nobody said. */
  readonly about: string | null;
  readonly status: number;
  /** The JSON that is answered, where it is JSON. */
  readonly answer: unknown;
  /** Whether it is the answer of a request before, by its `Idempotency-Key`. */
  readonly isReplay: boolean;
  readonly requestId: string;
  readonly address: string;
  readonly by: AuditedCaller | null;
}

/** One a thing: an upload may make several. */
export function changesOf(route: Route, outcome: Outcome): AuditedChange[] {
  const { template, meta } = route;
  const { names, about, answer, ...told } = outcome;
  const { resourceType, parameter } = resourceOf(template, meta.creates === true);
  const known = parameter === null ? null : (about ?? nameOf(names[parameter]));
  const path = template.document.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((nameOf(names[name]) ?? "").toWellFormed()),
  );
  return (known === null ? idsOf(answer) : [known]).map((resourceId) => ({
    ...told,
    ...{ at: new Date(), operation: route.id, path, resourceId },
    resourceType: meta.resource ?? resourceType,
  }));
}

const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i;

/** The one spelling of an id by which its events are found, however a request spelt it. */
export const auditedName = (name: string): string => (UUID.test(name) ? name.toLowerCase() : name);

/** Null of what names nothing: callers of `/trpc` may send any JSON in its place. */
function nameOf(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? auditedName(value) : null;
}

/**
 * By the path alone: what is made belongs to its last segment (`…/catalogs`), what is done to a thing to
 * the segment before the thing's name (`…/endpoints/{endpoint_id}/rollback`).
 */
function resourceOf(
  { document }: PathTemplate,
  creates: boolean,
): { readonly resourceType: string; readonly parameter: string | null } {
  const segments = document.split("/").slice(2);
  const last = segments.findLastIndex((segment) => segment.startsWith("{"));
  if (creates || last < 1) return { resourceType: segments.at(-1) ?? "", parameter: null };
  const type = segments.slice(0, last).findLast((segment) => !segment.startsWith("{"));
  return { resourceType: type ?? "", parameter: segments[last]!.slice(1, -1) };
}

/** In the order in which an answer's own id comes before those that it refers to. */
const IDS = ["id", "upload_id", "job_id", "dataset_id", "document_id", "name"];

/** Of what was made: the answer's own id, or those of the things that it lists. */
function idsOf(answer: unknown): readonly (string | null)[] {
  if (typeof answer !== "object" || answer === null) return [null];
  const own = ownId(answer);
  if (own !== null) return [own];
  const listed = Object.values(answer).find(Array.isArray) ?? [];
  const ids = listed.map(ownId).filter((id) => id !== null);
  return ids.length === 0 ? [null] : ids;
}

function ownId(thing: unknown): string | null {
  if (typeof thing !== "object" || thing === null) return null;
  const members = new Map<string, unknown>(Object.entries(thing));
  const id = IDS.map((name) => members.get(name)).find((value) => typeof value === "string");
  return nameOf(id);
}
