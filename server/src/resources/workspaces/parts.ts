/** The members of input that the operations of the catalog share, and where they travel. */

import { z } from "zod";
import { IF_MATCH, ifMatch } from "../../api/masks/etag.ts";
import { updateMask } from "../../api/masks/patch.ts";
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

/** Where `patchMembers` travel. */
export const patchPlaces = { query: ["updateMask", "allowMissing"], headers: IF_MATCH } as const;

/** What the delete of a resource that holds others takes beside its path. */
export const deleteMembers = {
  force: z.boolean().default(false).meta({
    description: "Delete it with all that it holds; without it, 409 where it is not empty.",
  }),
  ifMatch,
};

/** Where the precondition of a delete travels. */
export const deletePlaces = { headers: IF_MATCH } as const;

/** What a delete answers. */
export const nothing = z.object({});

export const etagHeader = z.object({
  ETag: z.string().describe("Changes with the resource; for If-Match."),
});
