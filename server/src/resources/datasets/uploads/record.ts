/** Uploads in parts as the API takes and shows them. */

import { COLUMN_KINDS } from "@distillery/engine";
import { z } from "zod";
import { displayName } from "../../../platform/input/display-name.ts";
import { encodingField } from "../encoding.ts";
import { KEPT_DAYS, type UploadRow } from "./store.ts";

/** Of each part but the last, so that their number is bounded. */
export const LEAST_PART_BYTES = 2 ** 20;
export const MOST_PART_BYTES = 64 * 2 ** 20;
/** What is lost at most by a lost connection. */
const PART_BYTES = 8 * 2 ** 20;

export const uploadRequest = z
  .strictObject({
    name: displayName().optional().describe("Default: the file's name."),
    bytes: z.int().min(1).describe("Size of the whole file."),
    media_type: z.string().max(200).optional().meta({
      description: "Such as text/csv: the format of the rows. Absent = as file_name ends.",
    }),
    file_name: z.string().max(1000).optional().meta({
      description: "Its ending tells the format where media_type does not.",
    }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe("SHA-256 of the whole file, lowercase hex; what came is held against it."),
    encoding: encodingField,
    kinds: z.record(z.string(), z.enum(COLUMN_KINDS)).default({}).meta({
      description: "Kinds to read columns as, instead of the inferred ones.",
    }),
  })
  .meta({ id: "UploadRequest" });

export const uploadSchema = z
  .object({
    upload_id: z.uuid(),
    name: z.string().describe("The dataset's name."),
    bytes: z.int().describe("Size of the whole file."),
    received_bytes: z.int().describe("Bytes that have come: the offset of the next part."),
    part_bytes: z.int().describe("A good size of a part."),
    file_name: z.string().nullable().describe("As it was sent; null where it was not."),
    dataset_id: z.uuid().nullable().describe("The dataset that it became; null before."),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().describe(`${KEPT_DAYS} days after the latest part.`),
  })
  .meta({ id: "Upload" });

export const toUpload = (row: UploadRow): z.output<typeof uploadSchema> => ({
  upload_id: row.id,
  name: row.name,
  bytes: row.bytes,
  received_bytes: row.received_bytes,
  part_bytes: PART_BYTES,
  file_name: typeof row.source["file_name"] === "string" ? row.source["file_name"] : null,
  dataset_id: row.dataset_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
});

export const uploadOptionsSchema = z
  .object({
    max_bytes: z
      .int()
      .describe("The most bytes that one file may have now, by what is set and by quotas."),
    formats: z
      .array(
        z.object({
          format: z.string(),
          media_types: z.array(z.string()).describe("The first is that of its files."),
          endings: z.array(z.string()).describe("Of file names, each also with .gz or .zst."),
        }),
      )
      .describe("What files of rows may be."),
  })
  .meta({ id: "UploadOptions" });
