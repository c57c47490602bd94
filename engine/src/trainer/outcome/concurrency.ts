/** Asynchronous work with bounded concurrency. */

/**
 * Runs `work` on each item, in their order, at most `limit` at a time. What has begun is waited for before
 * the first failure is thrown; nothing begins after a failure.
 */
export async function forEachConcurrently<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed && next < items.length) {
      const index = next++;
      try {
        await work(items[index], index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
