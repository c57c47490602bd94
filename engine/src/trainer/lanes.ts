/** Work of which a few pieces run at once. */

/**
 * Runs `work` on each item, in their order, `width` at a time. What has begun is waited for before
 * the first failure is thrown; nothing begins after a failure.
 */
export async function inLanes<Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
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
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
}
