/** The cache of fetched files of this process's queries: one, opened when the first query asks. */

import { join } from "node:path";
import type { Platform } from "../../api/services.ts";
import { FileCache } from "../../query/sql/listing/file-cache.ts";

const opened = new WeakMap<Platform, Promise<FileCache>>();

export function sourceFiles(platform: Platform): Promise<FileCache> {
  let cache = opened.get(platform);
  if (cache === undefined) {
    cache = FileCache.open({ folder: join(platform.compute.cacheFolder, "sources") });
    // A folder that could not be made may be made the next time.
    cache.catch(() => opened.delete(platform));
    opened.set(platform, cache);
  }
  return cache;
}
