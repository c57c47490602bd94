/** The cache of fetched files of this process's queries: one, opened when the first query asks. */

import { join } from "node:path";
import type { Services } from "../../api/services.ts";
import { FileCache } from "../../query/sql/listing/file-cache.ts";

const opened = new WeakMap<Services, Promise<FileCache>>();

export function sourceFiles(services: Services): Promise<FileCache> {
  let cache = opened.get(services);
  if (cache === undefined) {
    cache = FileCache.open({ folder: join(services.compute.cacheFolder, "sources") });
    // A folder that could not be made may be made the next time.
    cache.catch(() => opened.delete(services));
    opened.set(services, cache);
  }
  return cache;
}
