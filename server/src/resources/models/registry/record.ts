/** Names and aliases as the API shows them. */

import { z } from "zod";
import { aliasReference } from "../model-id.ts";
import { type AliasRow, type MoveRow, type NameRow, pointsSomewhere } from "./store.ts";
import type { AliasTarget } from "./walk.ts";

const time = z.iso.datetime();

export const nameSchema = z
  .object({
    name: z.string().describe("The name that its versions have."),
    versions: z.int().describe("How many there are."),
    latest_version: z
      .int()
      .nullable()
      .describe("The highest number of those that there are; null where there is none."),
    latest_model_id: z
      .uuid()
      .nullable()
      .describe("The latest completed version: the model that the bare name means."),
    aliases: z
      .array(
        z.object({
          alias: z.string().describe("What follows the `@`."),
          model_id: z.uuid().nullable().describe("The model that it leads to."),
        }),
      )
      .describe("The aliases of this name."),
    created_at: time.describe("When the name was first given, ISO 8601."),
  })
  .meta({ id: "RegisteredName" });

const target = z
  .string()
  .describe("The id of a model, or another alias as `name@alias`, which it follows.");

export const aliasRecordSchema = z
  .object({
    name: z.string().describe("The name that it is an alias of."),
    alias: z.string().describe("What follows the `@`."),
    target,
    model_id: z.uuid().nullable().describe("The model that it leads to."),
    created_at: time,
    updated_at: time.describe("When it was last moved, ISO 8601."),
    history: z
      .array(
        z.object({
          target: target.nullable().describe("Where it was moved; null = it was deleted."),
          moved_at: time.describe("When, ISO 8601."),
          moved_by: z
            .object({
              kind: z.enum(["api_key", "oidc"]).describe("What the caller came with."),
              id: z.string().describe("The key's id, or the token's `sub`."),
            })
            .describe("Who did it."),
        }),
      )
      .describe("Its moves, newest first; the latest 20."),
  })
  .meta({ id: "ModelAlias" });

export const toName = (row: NameRow): z.input<typeof nameSchema> => ({
  name: row.name,
  versions: row.versions,
  latest_version: row.latest_version,
  latest_model_id: row.latest_model_id,
  aliases: [...row.aliases],
  created_at: row.created_at.toISOString(),
});

/** @param modelId that it leads to */
export function toAlias(
  row: AliasRow,
  modelId: string | null,
  moves: readonly MoveRow[],
): z.input<typeof aliasRecordSchema> {
  return {
    name: row.name,
    alias: row.alias,
    target: writtenTarget(row),
    model_id: modelId,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    history: moves.map((move) => ({
      target: pointsSomewhere(move) ? writtenTarget(move) : null,
      moved_at: move.moved_at.toISOString(),
      moved_by: { kind: move.moved_by_kind, id: move.moved_by },
    })),
  };
}

const writtenTarget = (target: AliasTarget): string =>
  target.model_id ?? aliasReference(target.target_name, target.target_alias);
