/** The start: the next step, what runs, and what there is. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { stateOf } from "../../ui/job-state.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { shortened, Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useModelIsThere } from "../../ui/use-model-is-there.ts";
import { useRunningRun } from "../../ui/use-running-run.ts";
import { NextStep } from "./next-step.tsx";

/** Of each list. */
const SHOWN = 6;
const REFRESH_MS = 4_000;
/** While something runs. */
const BUSY_REFRESH_MS = 1_500;

export default function Home() {
  const mayUpload = useScope("datasets:write");
  const mayTrain = useScope("training:write");
  const runs = useQuery({
    queryKey: ["training-jobs", "latest"],
    queryFn: ({ signal }) => client.training.list.query({ limit: SHOWN }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.training_jobs.some(({ status }) => status === "running") ? BUSY_REFRESH_MS : REFRESH_MS,
  });
  const running = useRunningRun();
  const datasets = useQuery({
    queryKey: ["datasets", "latest"],
    queryFn: ({ signal }) => client.datasets.list.query({ limit: SHOWN }, { signal }),
  });
  const error = runs.error ?? datasets.error;
  const retry = (): void => {
    void runs.refetch();
    void datasets.refetch();
  };
  const jobs = runs.data?.training_jobs;
  const tables = datasets.data?.datasets;
  return (
    <Page
      title="Start"
      lead="Bring data, train models on it, understand them, and put them to work."
      actions={
        (tables?.length ?? 0) > 0 && (
          <>
            {mayUpload && <ButtonLink to="/data/upload">Upload data</ButtonLink>}
            {mayTrain && <ButtonLink to="/train/new">Train a model</ButtonLink>}
          </>
        )
      }
    >
      {error && <ProblemNote error={error} retry={retry} />}
      {jobs === undefined || tables === undefined ? (
        !error && <Loading />
      ) : (
        <>
          <NextStep datasets={tables} runs={running ? [...jobs, running] : jobs} />
          {jobs.length > 0 && (
            <Card title="Latest runs" actions={<Link to="/train">All runs</Link>}>
              <DataTable
                caption="Latest runs"
                items={jobs}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: "Run",
                    cell: ({ id, name }) => (
                      <Link to={`/train/runs/${id}`}>
                        <Text of={name} most={60} />
                      </Link>
                    ),
                  },
                  { head: "State", cell: (run) => <State of={run} /> },
                  {
                    head: "Predicts",
                    cell: ({ config: { task } }) => <Text of={task.label_column} most={60} />,
                  },
                  { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    head: "Model",
                    cell: ({ status, model_id }) =>
                      status === "completed" ? <ModelLink id={model_id} /> : "–",
                  },
                ]}
              />
            </Card>
          )}
          {tables.length > 0 && (
            <Card title="Latest datasets" actions={<Link to="/data">All data</Link>}>
              <DataTable
                caption="Latest datasets"
                items={tables}
                keyOf={({ dataset_id }) => dataset_id}
                columns={[
                  {
                    head: "Dataset",
                    cell: ({ dataset_id, name }) => (
                      <Link to={`/data/datasets/${dataset_id}`}>
                        <Text of={name} most={60} />
                      </Link>
                    ),
                  },
                  { head: "Rows", cell: ({ rows }) => rows.toLocaleString("en"), isNumber: true },
                  {
                    head: "Columns",
                    cell: ({ columns }) => columns.length.toLocaleString("en"),
                    isNumber: true,
                  },
                  { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    head: "Next",
                    cell: ({ dataset_id }) =>
                      mayTrain ? (
                        <Link to={`/train/new?dataset=${dataset_id}`}>Train on it</Link>
                      ) : (
                        "–"
                      ),
                  },
                ]}
              />
            </Card>
          )}
        </>
      )}
    </Page>
  );
}

function ModelLink({ id }: { readonly id: string }) {
  return useModelIsThere(id) ? <Link to={`/models/${id}`}>Open</Link> : "Deleted";
}

interface Progressing {
  readonly status: string;
  readonly error_message: string;
  readonly name: string;
  readonly progress: { readonly seconds: number; readonly estimate: number | null };
}

/** Of one that runs, with how far it is. */
function State({ of: run }: { readonly of: Progressing }) {
  const { status, name, progress } = run;
  if (status !== "running") return <Status of={stateOf(run)} />;
  const { seconds, estimate } = progress;
  return (
    <span className="row">
      <Status of={status} />
      <progress
        aria-label={`How far ${shortened(name, 80)} is`}
        max={1}
        {...(estimate === null
          ? {}
          : { value: Math.min(0.99, seconds / (seconds + estimate || 1)) })}
      />
    </span>
  );
}
