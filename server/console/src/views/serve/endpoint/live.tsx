/** What an endpoint does now: requests, errors and latencies by model, asked for every few seconds. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { client } from "../../../api/client.ts";
import { DataTable } from "../../../ui/listing.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { count, figure } from "../../../ui/numbers.ts";
import { Card, Empty } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Time } from "../../../ui/time.tsx";
import { ModelLink } from "../models.tsx";
import type { Endpoint } from "./endpoint.ts";
import { RateChart } from "./rate-chart.tsx";
import { type Sample, withSample } from "./rates.ts";

type Metrics = Outputs["serving"]["metrics"];
type Latency = Metrics["models"][number]["latency_ms"];

const REFRESH_MS = 2_000;

const ms = (latency: Latency, which: "p50" | "p95" | "p99"): string =>
  latency === null ? "–" : figure(Number(latency[which].toPrecision(3)));

export function LiveTab({ endpoint: { id } }: { readonly endpoint: Endpoint }) {
  const samples = useRef<readonly Sample[]>([]);
  const { data, error, refetch } = useQuery({
    queryKey: ["endpoint", id, "metrics"],
    queryFn: async ({ signal }) => {
      const metrics = await client.serving.metrics.query({ endpoint_id: id }, { signal });
      const requests = metrics.models.reduce((sum, model) => sum + model.requests, 0);
      const errors = metrics.models.reduce((sum, model) => sum + model.refused + model.failed, 0);
      samples.current = withSample(samples.current, { at: Date.now(), requests, errors });
      return { metrics, samples: samples.current };
    },
    refetchInterval: REFRESH_MS,
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const { models, shadows, since } = data.metrics;
  return (
    <>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      <RateChart samples={data.samples} />
      <Card title="By model">
        {models.length === 0 ? (
          <Empty title="No request yet">
            <p>Send one from “Try it”, or from your own program; it shows here within seconds.</p>
          </Empty>
        ) : (
          <DataTable
            caption="Requests and latencies by model"
            items={models}
            keyOf={({ model_id }) => model_id ?? "none"}
            columns={[
              {
                head: "Model",
                cell: ({ model_id }) =>
                  model_id === null ? "None" : <ModelLink reference={model_id} id={model_id} />,
              },
              { head: "Requests", cell: ({ requests }) => count(requests), isNumber: true },
              { head: "Refused (4xx)", cell: ({ refused }) => count(refused), isNumber: true },
              { head: "Failed (5xx)", cell: ({ failed }) => count(failed), isNumber: true },
              { head: "Rows", cell: ({ rows }) => count(rows), isNumber: true },
              { head: "p50, ms", cell: ({ latency_ms }) => ms(latency_ms, "p50"), isNumber: true },
              { head: "p95, ms", cell: ({ latency_ms }) => ms(latency_ms, "p95"), isNumber: true },
              { head: "p99, ms", cell: ({ latency_ms }) => ms(latency_ms, "p99"), isNumber: true },
            ]}
          />
        )}
        <p className="note">
          Counted since the process that answers started, <Time at={since} />; latencies of requests
          that succeeded.
        </p>
      </Card>
      {shadows.length > 0 && <Shadows shadows={shadows} />}
    </>
  );
}

function Shadows({ shadows }: { readonly shadows: Metrics["shadows"] }) {
  return (
    <Card title="Shadow">
      <DataTable
        caption="How the shadow's answers compare"
        items={shadows}
        keyOf={({ model_id }) => model_id}
        columns={[
          { head: "Model", cell: ({ model_id }) => <ModelLink reference={model_id} id={null} /> },
          { head: "Compared", cell: ({ compared }) => count(compared), isNumber: true },
          { head: "Rows", cell: ({ rows }) => count(rows), isNumber: true },
          { head: "Not the same", cell: ({ differing }) => count(differing), isNumber: true },
          {
            head: "Mean difference",
            cell: ({ mean_difference }) =>
              mean_difference === null ? "–" : figure(mean_difference),
            isNumber: true,
          },
          {
            head: "Largest",
            cell: ({ rows, largest_difference }) => (rows === 0 ? "–" : figure(largest_difference)),
            isNumber: true,
          },
          { head: "Failed", cell: ({ failed }) => count(failed), isNumber: true },
          { head: "Dropped", cell: ({ dropped }) => count(dropped), isNumber: true },
          { head: "p95, ms", cell: ({ latency_ms }) => ms(latency_ms, "p95"), isNumber: true },
        ]}
      />
    </Card>
  );
}
