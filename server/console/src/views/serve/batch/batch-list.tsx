/** Predictions of whole tables: jobs whose output is a file, and a dataset where that is asked for. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { stateOf } from "../../../ui/job-state.ts";
import { Listing } from "../../../ui/listing.tsx";
import { count } from "../../../ui/numbers.ts";
import { Empty, Page } from "../../../ui/page.tsx";
import { Status } from "../../../ui/status.tsx";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { ServeParts } from "../parts.tsx";
import { BatchProgress } from "./batch-progress.tsx";

const REFRESH_MS = 3_000;

export function BatchList() {
  const mayWrite = useScope("serving:write");
  const add = mayWrite && (
    <ButtonLink look="main" to="/serve/batch/new">
      New batch prediction
    </ButtonLink>
  );
  return (
    <Page title="Serve" lead="Predictions for every row of a table, as a file." actions={add}>
      <ServeParts />
      <Listing
        queryKey={["batch-predictions"]}
        caption="Batch predictions"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { batch_predictions: items, next_page_token: next } =
            await client.batchPredictions.list.query({ limit: 50, page_token }, { signal });
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          {
            head: "Job",
            cell: ({ id, name }) => (
              <Link to={`/serve/batch/${id}`}>
                <Text of={name} />
              </Link>
            ),
          },
          {
            head: "Model",
            cell: ({ model_id, model_name }) => (
              <Link to={`/models/${model_id}`}>
                <Text of={model_name} />
              </Link>
            ),
          },
          { head: "State", cell: (job) => <Status of={stateOf(job)} /> },
          {
            head: "Rows",
            cell: (job) =>
              job.result ? count(job.result.rows) : <BatchProgress job={job} brief />,
            isNumber: true,
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No batch prediction yet" action={add}>
            <p>Choose a model and rows: a dataset, a table, a query or a file.</p>
          </Empty>
        }
      />
    </Page>
  );
}
