/** Work on many things, several at a time. */

/** Begins no more once one has failed. @throws what a failed one threw, once all have ended */
export async function severalAtATime<Item>(
  items: Iterable<Item>,
  atATime: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  for (const end of await Promise.allSettled(Array.from({ length: atATime }, lane))) {
    if (end.status === "rejected") throw end.reason;
  }
}
