/** The start: what there is, what runs, and the next step. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card, Empty, Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";

export default function Home() {
  const mayUpload = useScope("datasets:write");
  const mayTrain = useScope("training:write");
  const { data, error, refetch } = useQuery({
    queryKey: ["training-jobs", "latest"],
    queryFn: ({ signal }) => client.training.list.query({ limit: 8 }, { signal }),
    refetchInterval: 5_000,
  });
  return (
    <Page
      title="Start"
      lead="Bring data, train models on it, understand them, and put them to work."
      actions={
        <>
          {mayUpload && <ButtonLink to="/data/upload">Upload data</ButtonLink>}
          {mayTrain && (
            <ButtonLink look="main" to="/train/new">
              Train a model
            </ButtonLink>
          )}
        </>
      }
    >
      <Card title="Latest runs" actions={<Link to="/train">All runs</Link>}>
        {data === undefined ? (
          error ? (
            <ProblemNote error={error} retry={() => void refetch()} />
          ) : (
            <Loading />
          )
        ) : data.training_jobs.length === 0 ? (
          <Empty
            title="No run yet"
            action={<ButtonLink to="/data/upload">Upload a table</ButtonLink>}
          >
            <p>A run searches model families on a table and blends the best of them.</p>
          </Empty>
        ) : (
          <DataTable
            caption="Latest runs"
            items={data.training_jobs}
            keyOf={({ id }) => id}
            columns={[
              {
                head: "Run",
                cell: ({ id, name }) => <Link to={`/train/runs/${id}`}>{name}</Link>,
              },
              { head: "State", cell: ({ status }) => <Status of={status} /> },
              { head: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
            ]}
          />
        )}
      </Card>
    </Page>
  );
}
