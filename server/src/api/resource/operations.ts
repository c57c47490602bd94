/**
 * What the operations of a resource say about `/v1`, from what it is called and where it lies: create,
 * list, get, patch and delete, and actions on one. A resource says what differs, and the problems that
 * an operation can answer with beyond those that every resource's has.
 */
import type { ProblemKind } from "../../platform/input/problem.ts";
import type { HttpMethod, Meta, ProcedureMeta } from "../http/routing/operation.ts";

export interface ResourceNames {
  /** Of the list, and of creating: `/v1/catalogs`. */
  readonly collection: `/${string}`;
  /** What leads from the collection to one of them: the path's last parameter, `catalog_id`. */
  readonly parameter: string;
  /** In summaries: `Catalog`; of several, `s` is added. */
  readonly title: string;
  readonly tags: string[];
}

/** What an operation says of its own; its errors come on top of those that are said here. */
export type Particulars = Partial<Omit<ProcedureMeta, "method" | "path" | "tags">>;

export function resourceOperations({ collection, parameter, title, tags }: ResourceNames) {
  const item = `${collection}/{${parameter}}` as const;
  const say = (
    method: HttpMethod,
    path: `/${string}`,
    summary: string,
    always: readonly ProblemKind[],
    { errors = [], ...own }: Particulars = {},
  ): Meta => ({ openapi: { method, path, summary, tags, errors: [...always, ...errors], ...own } });
  return {
    create: (own?: Particulars) =>
      say("POST", collection, `Create ${title}`, [], { creates: true, ...own }),
    list: (own?: Particulars) => say("GET", collection, `List ${title}s`, [], own),
    get: (own?: Particulars) => say("GET", item, `Get ${title}`, ["not-found"], own),
    patch: (own?: Particulars) => say("PATCH", item, `Update ${title}`, ["not-found"], own),
    delete: (own?: Particulars) =>
      say("DELETE", item, `Delete ${title}`, ["not-found", "conflict"], own),
    /** @param verb the path's last segment; `Test` for `…/{name}/test` */
    action: (verb: string, own?: Particulars) =>
      say("POST", `${item}/${verb.toLowerCase()}`, `${verb} ${title}`, ["not-found"], own),
  };
}
