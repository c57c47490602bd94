/** One batch prediction: what was asked for, how far it is, and its output. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { JobEnd } from "../../../ui/job-end.tsx";
import { JobRetry } from "../../../ui/job-retry.tsx";
import { stateOf } from "../../../ui/job-state.ts";
import { DataTable } from "../../../ui/listing.tsx";
import { count, size } from "../../../ui/numbers.ts";
import { Card, Page } from "../../../ui/page.tsx";
import { PendingPage } from "../../../ui/pending-page.tsx";
import { Status } from "../../../ui/status.tsx";
import { shortened, Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { type Batch, BatchProgress, isOpen } from "./batch-progress.tsx";

const REFRESH_MS = 1_000;
const PATH = [
  { to: "/serve", label: "Serve" },
  { to: "/serve/batch", label: "Batch predictions" },
];

export function BatchJob() {
  const { jobId = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["batch-prediction", jobId],
    queryFn: ({ signal }) => client.batchPredictions.get.query({ job_id: jobId }, { signal }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? REFRESH_MS : false),
  });
  if (data) return <Shown job={data} />;
  return (
    <PendingPage
      title="Batch prediction"
      path={PATH}
      error={error}
      retry={() => void refetch()}
      all={{ to: "/serve/batch", label: "All batch predictions" }}
    />
  );
}

function Shown({ job }: { readonly job: Batch }) {
  const { name, created_at, model_id, model_name, output } = job;
  return (
    <Page
      title={shortened(name)}
      path={PATH}
      lead={
        <>
          <Status of={stateOf(job)} /> made <Time at={created_at} />
        </>
      }
      actions={<Actions job={job} />}
    >
      <JobEnd of={job} the="The batch prediction" />
      <JobRetry of={job} />
      {isOpen(job) && (
        <Card title="Progress">
          <BatchProgress job={job} />
        </Card>
      )}
      {job.result && <Result result={job.result} register={output.register_dataset} />}
      <Card title="What was asked for">
        <dl className="facts">
          <dt>Model</dt>
          <dd>
            <Link to={`/models/${model_id}`}>
              <Text of={model_name} />
            </Link>
          </dd>
          <dt>Rows</dt>
          <dd>
            <Source source={job.source} />
          </dd>
          <dt>Output</dt>
          <dd>
            {output.format},{" "}
            {output.columns === null ? "all columns" : `${output.columns.length} columns`} of the
            rows before the predictions
          </dd>
          <dt>Intervals</dt>
          <dd>
            {job.intervals ? (job.coverage === null ? "yes" : `that hold ${job.coverage}`) : "no"}
          </dd>
          <dt>Contributions</dt>
          <dd>{job.contributions ? "yes" : "no"}</dd>
          <dt>Rows that cannot be read</dt>
          <dd>{job.on_error === "fail" ? "end the job" : "get no prediction"}</dd>
        </dl>
      </Card>
    </Page>
  );
}

function Source({ source }: { readonly source: Readonly<Record<string, unknown>> }) {
  const { kind, dataset_id, sql, table, file_name } = source;
  if (kind === "dataset" && typeof dataset_id === "string") {
    return <Link to={`/data/datasets/${dataset_id}`}>Dataset {dataset_id.slice(0, 8)}</Link>;
  }
  if (typeof table === "string") {
    return (
      <>
        Table <Text of={table} />
      </>
    );
  }
  if (typeof sql === "string") return <code className="sql">{shortened(sql, 2_000)}</code>;
  if (kind === "upload")
    return <>File {typeof file_name === "string" && <Text of={file_name} />}</>;
  return <>Every series of the training data</>;
}

function Result({
  result,
  register,
}: {
  readonly result: NonNullable<Batch["result"]>;
  readonly register: string | null;
}) {
  const { rows, rows_read, rows_failed, bytes, columns, url, dataset_id, warnings, format } =
    result;
  return (
    <Card
      title="Output"
      actions={
        <>
          {dataset_id && (
            <ButtonLink to={`/data/datasets/${dataset_id}`}>
              Open {register ?? "the dataset"}
            </ButtonLink>
          )}
          {url !== null && (
            <a className="button main" href={url} download>
              Download {format}
            </a>
          )}
        </>
      }
    >
      {url === null && <p>Retention has removed the file.</p>}
      <dl className="tiles">
        <Tile head="Rows" value={count(rows)} />
        <Tile head="Rows read" value={count(rows_read)} />
        <Tile head="Without a prediction" value={count(rows_failed)} />
        <Tile head="Size" value={size(bytes)} />
      </dl>
      <Warnings of={warnings} />
      <DataTable
        caption="Columns of the output"
        items={columns}
        keyOf={({ name }) => name}
        columns={[
          { head: "Column", cell: ({ name }) => <Text of={name} /> },
          { head: "Type", cell: ({ type }) => type },
          { head: "May be missing", cell: ({ nullable }) => (nullable ? "yes" : "no") },
        ]}
      />
    </Card>
  );
}

function Tile({ head, value }: { readonly head: string; readonly value: string }) {
  return (
    <div className="tile">
      <dt>{head}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Actions({ job }: { readonly job: Batch }) {
  const mayWrite = useScope("serving:write");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { failed } = useToasts();
  const [asks, setAsks] = useState(false);
  const cancel = useMutation({
    mutationFn: () => client.batchPredictions.cancel.mutate({ job_id: job.id }),
    onSuccess: (cancelled) => queries.setQueryData(["batch-prediction", job.id], cancelled),
    onError: failed,
  });
  if (!mayWrite) return null;
  if (isOpen(job)) {
    return (
      <Button look="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    );
  }
  return (
    <>
      <Button look="danger" onClick={() => setAsks(true)}>
        Delete
      </Button>
      {asks && (
        <Confirm
          title="Delete this batch prediction?"
          action="Delete"
          onClose={() => setAsks(false)}
          onConfirm={async () => {
            await client.batchPredictions.delete.mutate({ job_id: job.id });
            navigate("/serve/batch");
            queries.removeQueries({ queryKey: ["batch-prediction", job.id] });
            await queries.invalidateQueries({ queryKey: ["batch-predictions"] });
          }}
        >
          <p>Its output goes with it. A dataset that it registered stays.</p>
        </Confirm>
      )}
    </>
  );
}
