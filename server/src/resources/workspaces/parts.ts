/** The members of input that the operations of the catalog share, and where they travel. */

import { z } from "zod";
import { IF_MATCH, ifMatch } from "../../api/masks/etag.ts";
import { updateMask } from "../../api/masks/patch.ts";
import {
  type Particulars,
  type ResourceNames,
  resourceOperations,
} from "../../api/resource/operations.ts";
import { segmentId, workspaceId } from "./names.ts";

export const workspacePath = { workspace_id: workspaceId };
export const catalogPath = { ...workspacePath, catalog_id: segmentId };
export const schemaPath = { ...catalogPath, schema_id: segmentId };
export const tablePath = { ...schemaPath, table_id: segmentId };

/** What a PATCH takes beside its path and the resource. */
export const patchMembers = {
  updateMask,
  allowMissing: z.boolean().default(false).meta({
    description: "Create it where it is missing; the body must then be a whole one.",
  }),
  ifMatch,
};

/** What the delete of a resource takes beside its path. */
export const deleteMembers = { ifMatch };

/** As `deleteMembers`, of a resource that holds others. */
export const deleteParentMembers = {
  force: z.boolean().default(false).meta({
    description: "Delete it with all that it holds; without it, 409 where it is not empty.",
  }),
  ifMatch,
};

/** What reading the source of a relational parent can answer with. */
export const SOURCE_FAILURES = ["bad-gateway", "gateway-timeout"] as const;

/** What a delete answers. */
export const nothing = z.object({});

const responseHeaders = z.object({
  ETag: z.string().describe("Changes with the resource; for If-Match and If-None-Match."),
});

/**
 * What the operations of a resource of the workspace say: it has an ETag, and a PATCH takes a mask.
 *
 * @param body the input's member that is the resource, such as `catalog`
 */
export function revisedOperations(names: ResourceNames, body: string) {
  const plain = resourceOperations(names);
  const errors = ["conflict", "precondition-failed"] as const;
  return {
    ...plain,
    create: (own: Particulars) => plain.create({ body, responseHeaders, ...own }),
    get: (own?: Particulars) => plain.get({ responseHeaders, revalidates: true, ...own }),
    patch: (own?: Particulars) =>
      plain.patch({
        query: ["updateMask", "allowMissing"],
        headers: IF_MATCH,
        body,
        description: "A PATCH that changes nothing leaves revision and times as they are.",
        errors,
        responseHeaders,
        ...own,
      }),
    delete: (own?: Particulars) =>
      plain.delete({ headers: IF_MATCH, errors: ["precondition-failed"], ...own }),
  };
}
