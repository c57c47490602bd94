/** Where a dataset came from, and what came of it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Status } from "../../../ui/status.tsx";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { type Graph, type GraphNode, reachedFrom } from "./lineage-graph.ts";

export function LineageLists({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", id, "lineage"],
    queryFn: ({ signal }): Promise<Graph> =>
      client.datasets.lineage.query({ dataset_id: id }, { signal }),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const results = reachedFrom(data, "results");
  return (
    <>
      <Card title="Where it came from">
        <Nodes caption="Where it came from" nodes={reachedFrom(data, "sources")} />
      </Card>
      <Card title="What came of it">
        {results.length === 0 ? (
          <>
            <p>Nothing yet: no run has used it.</p>
            <ButtonLink to={`/train/new?dataset=${id}`}>Train a model</ButtonLink>
          </>
        ) : (
          <Nodes caption="What came of it" nodes={results} />
        )}
      </Card>
      {data.truncated && <p className="note">There is more than is shown here.</p>}
    </>
  );
}

function Nodes({ caption, nodes }: { caption: string; nodes: readonly GraphNode[] }) {
  if (nodes.length === 0) return <p>Nothing is recorded.</p>;
  return (
    <DataTable
      caption={caption}
      items={nodes}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      columns={[
        { head: "What", cell: ({ kind }) => kind.replaceAll("_", " ") },
        { head: "Name", cell: (node) => <NodeName of={node} /> },
        { head: "State", cell: ({ state }) => (state === null ? "–" : <Status of={state} />) },
        { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

const ADDRESSES: Readonly<Record<string, string>> = {
  dataset: "/data/datasets/",
  model: "/models/",
  endpoint: "/serve/endpoints/",
  document: "/documents/",
};

function NodeName({ of: { kind, id, name, deleted, facts } }: { readonly of: GraphNode }) {
  const address = kind === "job" && facts["kind"] === "training" ? "/train/runs/" : ADDRESSES[kind];
  if (deleted || address === undefined) {
    return (
      <>
        <Text of={name} />
        {deleted && " (deleted)"}
      </>
    );
  }
  return (
    <Link to={`${address}${encodeURIComponent(id)}`}>
      <Text of={name} />
    </Link>
  );
}
