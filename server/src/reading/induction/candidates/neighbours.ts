/** Fills in which labels stand before and after each mention of one document, in their order. */

import type { Mention } from "./mention.ts";

export function withNeighbours(mentions: readonly Mention[]): Mention[] {
  return mentions.map((mention, index) => ({
    ...mention,
    neighbours: [mentions[index - 1]?.key ?? null, mentions[index + 1]?.key ?? null],
  }));
}
