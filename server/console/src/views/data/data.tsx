/** Tables that models are trained on, queries over them, and where they lie. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";

export default function Data() {
  return (
    <Page
      title="Data"
      lead="Tables that models are trained on, queries over them, and where they lie."
    >
      <Listing
        queryKey={["datasets"]}
        caption="Data"
        page={async (page_token, signal) => {
          const { datasets: items, next_page_token: next } = await client.datasets.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ dataset_id }) => dataset_id}
        columns={[
          { head: "Name", cell: ({ name }) => name },
          { head: "Rows", cell: ({ rows }) => rows.toLocaleString("en"), isNumber: true },
          { head: "Registered", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No dataset yet">
            <p>Upload a CSV, Parquet, Arrow or JSON-lines file, or make a dataset of a query.</p>
          </Empty>
        }
      />
    </Page>
  );
}
