/** Where a document's bytes and its parsed form lie in the object store. */

export const CONTENT = "content";
/** The normal form, as JSON. */
export const PARSED = "parsed.json";
/** What offsets of evidence point into, as JSON. */
export const TEXT = "text.json";

/** `file` empty = the prefix of all that belongs to the document. */
export function documentKey(organizationId: string, documentId: string, file: string): string {
  return `organizations/${organizationId}/documents/${documentId}/${file}`;
}
