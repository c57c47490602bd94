/** The document as the API shows it. */

import { z } from "zod";
import { DOCUMENT_STATUSES, type DocumentRow } from "./store.ts";

export const documentSchema = z
  .object({
    document_id: z.uuid(),
    name: z.string(),
    status: z
      .enum(DOCUMENT_STATUSES)
      .describe(
        "`parsing` while it is still being read, as long scans are after the answer to their upload; `failed` where it proved unreadable, as error_message says.",
      ),
    pages: z.int().nullable().describe("1 of formats without pages; null until it is parsed."),
    bytes: z.int(),
    hash: z.string().describe("SHA-256 of the bytes, lowercase hex."),
    media_type: z.string().describe("What the bytes were found to be, whatever the upload said."),
    warnings: z.array(z.string()),
    error_message: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Document" });

export type DocumentRecord = z.infer<typeof documentSchema>;

export function toDocument(row: DocumentRow): DocumentRecord {
  return {
    document_id: row.id,
    name: row.name,
    status: row.status,
    pages: row.pages,
    bytes: row.bytes,
    hash: row.hash,
    media_type: row.media_type,
    warnings: [...row.warnings],
    error_message: row.error_message,
    created_at: row.created_at.toISOString(),
  };
}
