/** The bytes of a document, as they were sent. */

import { client } from "../../../api/client.ts";

/** @throws {ServiceError} where it is gone */
export async function contentOf(documentId: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await client.request(`/v1/documents/${documentId}/content`, { signal });
  return response.arrayBuffer();
}
