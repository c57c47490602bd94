/** Where a dataset came from, and what came of it. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { LineageNodes } from "../../../ui/lineage-nodes.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { type Graph, reachedFrom } from "./lineage-graph.ts";

export function LineageLists({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", id, "lineage"],
    queryFn: ({ signal }): Promise<Graph> =>
      client.datasets.lineage.query({ dataset_id: id }, { signal }),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const sources = reachedFrom(data, "sources");
  const results = reachedFrom(data, "results");
  return (
    <>
      <Card title="Where it came from">
        {sources.length === 0 ? (
          <p>Nothing is recorded.</p>
        ) : (
          <LineageNodes caption="Where it came from" nodes={sources} />
        )}
      </Card>
      <Card title="What came of it">
        {results.length === 0 ? (
          <>
            <p>Nothing yet: no run has used it.</p>
            <ButtonLink to={`/train/new?dataset=${id}`}>Train a model</ButtonLink>
          </>
        ) : (
          <LineageNodes caption="What came of it" nodes={results} />
        )}
      </Card>
      {data.truncated && <p className="note">There is more than is shown here.</p>}
    </>
  );
}
