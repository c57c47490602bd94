/** The service's own bucket, as the cache of source files reads objects. */

import type { ObjectStore } from "../../../platform/objects/object-store.ts";
import type { WholeSource } from "../../../query/sql/listing/object-parts.ts";

/** @throws ObjectNotFoundError where an object is read that is gone */
export function bucketSource(objects: ObjectStore): WholeSource {
  return {
    // Keys have the ids of organizations and datasets; an object of a dataset never changes.
    cacheScope: "datasets of this service",
    async *read({ key }, signal) {
      for await (const piece of objects.get(key)) {
        signal.throwIfAborted();
        yield piece;
      }
    },
  };
}
