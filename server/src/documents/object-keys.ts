/** Where a document's bytes, its parsed form and a job's rows lie in the object store. */

export const CONTENT = "content";
/** The normal form, as JSON. */
export const PARSED = "parsed.json";
/** What offsets of evidence point into, as JSON. */
export const TEXT = "text.json";

/** `file` empty = the prefix of all that belongs to the document. */
export function documentKey(organizationId: string, documentId: string, file: string): string {
  return `organizations/${organizationId}/documents/${documentId}/${file}`;
}

export const ROWS_JSON = "rows.json";
export const ROWS_PARQUET = "rows.parquet";

/** `file` empty = the prefix of all that belongs to the job. */
export function documentJobKey(organizationId: string, jobId: string, file: string): string {
  return `organizations/${organizationId}/document_jobs/${jobId}/${file}`;
}
