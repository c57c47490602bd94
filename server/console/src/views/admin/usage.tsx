/** What the organization has, by kind, beside what it may have. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { count, percent, size } from "../../ui/numbers.ts";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";

const KINDS = {
  datasets: "Datasets",
  models: "Models and document schemas",
  documents: "Documents",
  jobs: "What ended jobs keep",
  prediction_logs: "Prediction logs",
  uploads: "Uploads under way",
} as const;

const QUOTAS = {
  total_bytes: "Bytes of all",
  dataset_bytes: "Bytes of datasets",
  model_bytes: "Bytes of models",
  datasets: "Datasets",
  models: "Models",
  open_jobs: "Jobs that wait or run",
} as const;

const shown = (quota: string, value: number): string =>
  quota.endsWith("_bytes") ? size(value) : count(value);

export function Usage() {
  const { data, error, refetch } = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => client.retention.usage.query({}, { signal }),
    refetchInterval: 30_000,
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  return (
    <>
      <Card title={`${size(data.total_bytes)} in use`}>
        <DataTable
          caption="Storage by kind"
          items={Object.entries(KINDS) as [keyof typeof KINDS, string][]}
          keyOf={([kind]) => kind}
          columns={[
            { head: "Kind", cell: ([, label]) => label },
            { head: "How many", cell: ([kind]) => count(data[kind].count), isNumber: true },
            { head: "Room", cell: ([kind]) => size(data[kind].bytes), isNumber: true },
            {
              head: "Of all",
              cell: ([kind]) => percent(data[kind].bytes, data.total_bytes),
              isNumber: true,
            },
          ]}
        />
      </Card>
      <Card title="Quotas">
        <DataTable
          caption="Quotas"
          items={Object.entries(QUOTAS) as [keyof typeof QUOTAS, string][]}
          keyOf={([quota]) => quota}
          columns={[
            { head: "Quota", cell: ([, label]) => label },
            {
              head: "In use",
              cell: ([quota]) => shown(quota, data.quotas[quota].used),
              isNumber: true,
            },
            {
              head: "May have",
              cell: ([quota]) => {
                const { limit } = data.quotas[quota];
                return limit === null ? "unbounded" : shown(quota, limit);
              },
              isNumber: true,
            },
          ]}
        />
        <p className="hint">
          One uploaded file may have {size(data.max_upload_bytes)}. Quotas are set by{" "}
          <code>PATCH /v1/retention</code>.
        </p>
      </Card>
    </>
  );
}
