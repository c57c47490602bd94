/** Where a model's directory lies in the object store. */

/** `path` is relative to the model's directory; empty = the directory's prefix. */
export function modelKey(organizationId: string, modelId: string, path: string): string {
  return `organizations/${organizationId}/models/${modelId}/${path}`;
}
