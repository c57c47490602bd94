/** What lists of models are narrowed by: a name, and tags. */

import { z } from "zod";
import type { Sql } from "../../platform/db/database.ts";
import { modelNameSchema } from "./model-id.ts";

/** All that is given must hold. */
export interface ModelFilter {
  readonly name: string | null;
  /** `key`, or `key:value`. */
  readonly tags: readonly string[];
}

/** The query's members; of a name, the list says what it means there. */
export const modelFilterQuery = {
  name: modelNameSchema.optional(),
  tag: z
    .array(z.string().min(1).max(1200))
    .max(20)
    .optional()
    .describe("Models with this tag: `key`, or `key:value`. Repeated: with all of them."),
};

export const toModelFilter = (asked: {
  readonly name?: string | undefined;
  readonly tag?: readonly string[] | undefined;
}): ModelFilter => ({ name: asked.name ?? null, tags: asked.tag ?? [] });

/** Of rows of `models`, behind other conditions. */
export function hasTags(sql: Sql, tags: readonly string[]) {
  return tags.length === 0 ? sql`` : tags.map((tag) => hasTag(sql, tag));
}

function hasTag(sql: Sql, tag: string) {
  const colon = tag.indexOf(":");
  if (colon < 0) return sql`and searchable_tags(tags) ? ${tag}`;
  const wanted = JSON.stringify({ [tag.slice(0, colon)]: tag.slice(colon + 1) });
  return sql`and searchable_tags(tags) @> ${wanted}::text::jsonb`;
}
