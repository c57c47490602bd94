import { describe, expect, it } from "vitest";
import { type Graph, reachedFrom } from "./lineage-graph.ts";

const node = (id: string) => ({
  ...{ kind: "job", id, name: id, state: null, created_at: null, deleted: false, facts: {} },
});
const edge = (from: string, to: string) => ({
  from: { kind: "job", id: from },
  to: { kind: "job", id: to },
});

describe("reachedFrom", () => {
  it("gives each side of the root, the nearest first, and ends in a circle", () => {
    const graph: Graph = {
      root: { kind: "job", id: "root" },
      nodes: ["far", "near", "root", "made", "after"].map(node),
      edges: [
        edge("made", "after"),
        edge("far", "near"),
        edge("near", "root"),
        edge("root", "made"),
        edge("after", "made"),
        edge("root", "unknown"),
      ],
      truncated: false,
    };
    const ids = (side: "sources" | "results") => reachedFrom(graph, side).map(({ id }) => id);
    expect(ids("sources")).toEqual(["near", "far"]);
    expect(ids("results")).toEqual(["made", "after"]);
  });
});
