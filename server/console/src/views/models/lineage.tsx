/** What the model came from, and what came of it. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import { LineageNodes } from "../../ui/lineage-nodes.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import type { TrainedModel } from "./queries.ts";

type Graph = Outputs["models"]["lineage"];
type Node = Graph["nodes"][number];

export function Lineage({ model }: { readonly model: TrainedModel }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["models", "one", model.id, "lineage"],
    queryFn: ({ signal }) => client.models.lineage.query({ model_id: model.id }, { signal }),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const before = reachable(data, "to", "from");
  const after = reachable(data, "from", "to");
  return (
    <>
      <Nodes title="What it came from" nodes={before} none="Nothing of it is known." />
      <Nodes title="What came of it" nodes={after} none="Nothing uses it yet." />
      {data.truncated && <p className="note">The graph is larger; the rest is left out.</p>}
    </>
  );
}

/** Nodes that the edges lead to from the model, nearest first. */
function reachable({ root, nodes, edges }: Graph, here: "from" | "to", there: "from" | "to") {
  const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }) => `${kind} ${id}`;
  const found: string[] = [keyOf(root)];
  for (const key of found) {
    for (const edge of edges) {
      const next = keyOf(edge[there]);
      if (keyOf(edge[here]) === key && !found.includes(next)) found.push(next);
    }
  }
  const byKey = new Map(nodes.map((node) => [keyOf(node), node]));
  return found.slice(1).flatMap((key) => byKey.get(key) ?? []);
}

function Nodes({
  title,
  nodes,
  none,
}: {
  readonly title: string;
  readonly nodes: readonly Node[];
  readonly none: string;
}) {
  return (
    <Card title={title}>
      {nodes.length === 0 ? (
        <p className="note">{none}</p>
      ) : (
        <LineageNodes caption={title} nodes={nodes} />
      )}
    </Card>
  );
}
