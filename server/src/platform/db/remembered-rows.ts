/** Rows that a process remembers for as long as it hears of every change to them. */

import type { ChangeFeed } from "./change-feed.ts";

/** So many are remembered of all organizations together; those that were found first go first. */
const MOST = 4_096;

export class RememberedRows<Row extends object> {
  readonly #feed: ChangeFeed;
  /** By organization and key. */
  readonly #rows = new Map<string, Row>();

  /** @param feed that tells of every change to what is found */
  constructor(feed: ChangeFeed) {
    this.#feed = feed;
    feed.watch((organizationId) => this.#forget(organizationId));
  }

  /**
   * The row as it is now. What is not there is looked for each time.
   *
   * @param key what says all that `find` depends on, beside the organization
   */
  async get<Found extends Row | null>(
    organizationId: string,
    key: string,
    find: () => Promise<Found>,
  ): Promise<Row | Found> {
    const at = `${organizationId} ${key}`;
    const known = this.#feed.isCurrent ? this.#rows.get(at) : undefined;
    if (known !== undefined) return known;
    const { generation } = this.#feed;
    const found = await find();
    if (found !== null && generation !== null && generation === this.#feed.generation) {
      const [oldest] = this.#rows.keys();
      if (this.#rows.size >= MOST && oldest !== undefined) this.#rows.delete(oldest);
      this.#rows.set(at, found);
    }
    return found;
  }

  #forget(organizationId: string | null): void {
    if (organizationId === null) this.#rows.clear();
    for (const at of this.#rows.keys()) {
      if (at.startsWith(`${organizationId} `)) this.#rows.delete(at);
    }
  }
}
