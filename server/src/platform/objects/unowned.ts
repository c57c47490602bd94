/** Objects whose owner's row is gone, and which are to follow it. */
import type { Logger } from "../log.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Removes them. What the store does not remove now the sweeper does later (`sweep.ts`): the owner is gone
 * either way, so that who asked for it is told so, and what comes behind it is done.
 *
 * @param prefix as of `ObjectStore.deletePrefix`, below the folder of one owner
 */
export async function removeUnowned(
  { objects, log }: { readonly objects: ObjectStore; readonly log: Logger },
  prefix: string,
): Promise<void> {
  try {
    await objects.deletePrefix(prefix);
  } catch (error) {
    log.warn({ err: error, prefix }, "objects that nobody owns are left to be swept");
  }
}
