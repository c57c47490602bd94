import fc from "fast-check";
import { expect, it } from "vitest";
import type { Database } from "../../platform/db/database.ts";
import { type LineageContributor, type LineageScope, walkLineage } from "./lineage.ts";

// Contributors below read nothing.
const scope: LineageScope = { db: null as unknown as Database, organizationId: "" };
const key = (id: number) => ({ kind: "node", id: String(id) });
type Link = readonly [number, number];

const over = (links: readonly Link[]): LineageContributor => {
  const edges = links.map(([from, to]) => ({ from: key(from), to: key(to), relation: "made" }));
  return {
    describe: async () => [],
    sources: async (_, keys) => edges.filter(({ to }) => keys.some(({ id }) => id === to.id)),
    results: async (_, keys) => edges.filter(({ from }) => keys.some(({ id }) => id === from.id)),
  };
};

/** All that links lead to, one after another. */
function closure(links: readonly Link[], root: number): Set<number> {
  const met = new Set([root]);
  for (let grown = -1; grown !== met.size; ) {
    grown = met.size;
    for (const [from, to] of links) if (met.has(from)) met.add(to);
  }
  return met;
}

const graphs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 });

it("finds what the root came from and what came of it, circles or not, and nothing beside", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.nat(9), async (links, root) => {
      const back = links.map(([from, to]): Link => [to, from]);
      const down = closure(links, root);
      const up = closure(back, root);
      const half = Math.floor(links.length / 2);
      // Two contributors, each of which knows some of the edges.
      const both = [over(links.slice(0, half)), over(links.slice(half))];
      const { keys, edges, truncated } = await walkLineage(scope, both, key(root));
      expect(truncated).toBe(false);
      expect(new Set(keys.map(({ id }) => Number(id)))).toEqual(new Set([...down, ...up]));
      const expected = links.filter(([from, to]) => down.has(from) || up.has(to));
      const names = ([from, to]: Link) => `${from}-${to}`;
      expect(new Set(edges.map(({ from, to }) => `${from.id}-${to.id}`))).toEqual(
        new Set(expected.map(names)),
      );
    }),
  );
});

it("says where it was cut, and has no edge to what is left out", async () => {
  const star = over(Array.from({ length: 9 }, (_, index): Link => [0, index + 1]));
  const { keys, edges, truncated } = await walkLineage(scope, [star], key(0), 4);
  expect({ nodes: keys.length, edges: edges.length, truncated }).toEqual({
    nodes: 4,
    edges: 3,
    truncated: true,
  });
});
