/** Runs: each searches model families and their parameters on a dataset. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Card, Empty, Page } from "../../ui/page.tsx";
import { Snippet } from "../../ui/snippet.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";

export default function Train() {
  return (
    <Page
      title="Train"
      lead="Runs: each searches model families and their parameters on a dataset."
    >
      <Listing
        queryKey={["training-jobs"]}
        caption="Train"
        page={async (page_token, signal) => {
          const { training_jobs: items, next_page_token: next } = await client.training.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          { head: "Run", cell: ({ name }) => name },
          { head: "State", cell: ({ status }) => <Status of={status} /> },
          { head: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
        ]}
        empty={
          <Empty title="No run yet">
            <p>Choose a dataset and what is to be predicted.</p>
          </Empty>
        }
      />
      <Card title="The same by the API">
        <Snippet
          label="List runs"
          call={{
            method: "GET",
            path: "/v1/training_jobs?limit=50",
            procedure: "training.list.query",
            input: { limit: 50 },
          }}
        />
      </Card>
    </Page>
  );
}
