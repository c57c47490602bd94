/** The parts of input that the operations of the catalog share. */

import { z } from "zod";
import { ifMatchHeader } from "../../api/masks/etag.ts";
import { updateMask } from "../../api/masks/patch.ts";
import { camelPageQuery } from "../../api/paging/page-token.ts";
import { segmentId, workspaceId } from "./names.ts";

export const workspacePath = z.object({ workspace_id: workspaceId });
export const catalogPath = workspacePath.extend({ catalog_id: segmentId });
export const schemaPath = catalogPath.extend({ schema_id: segmentId });
export const tablePath = schemaPath.extend({ table_id: segmentId });

export const pageQuery = z.strictObject(camelPageQuery);

export const patchQuery = z.strictObject({
  updateMask,
  allowMissing: z.boolean().default(false).meta({
    description: "Create it where it is missing; the body must then be a whole one.",
  }),
});

export const deleteQuery = z.strictObject({
  force: z.boolean().default(false).meta({
    description: "Delete it with all that it holds; without it, 409 where it is not empty.",
  }),
});

export const matchHeader = z.object(ifMatchHeader);

/** What a delete answers. */
export const nothing = z.object({});

export const etagHeader = { ETag: "Changes with the resource; for If-Match." };
