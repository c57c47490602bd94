/** Datasets, newest first. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Listing } from "../../../ui/listing.tsx";
import { count, counted, size } from "../../../ui/numbers.ts";
import { Empty, Page } from "../../../ui/page.tsx";
import { shortened, Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { DataTabs } from "../data-tabs.tsx";
import { FindDataset, useFind } from "./find-dataset.tsx";

export function DatasetList() {
  const mayUpload = useScope("datasets:write");
  const contains = useFind();
  const upload = (
    <ButtonLink look="main" to="/data/upload">
      Upload a table
    </ButtonLink>
  );
  return (
    <Page
      title="Data"
      lead="Tables that models are trained on, queries over them, and where they lie."
      actions={mayUpload && upload}
    >
      <DataTabs />
      <div className="find">
        <FindDataset />
      </div>
      <Listing
        queryKey={["datasets", "list", contains]}
        caption="Datasets"
        page={async (page_token, signal) => {
          const { datasets: items, next_page_token: next } = await client.datasets.list.query(
            { limit: 50, page_token, max_columns: 0, contains },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ dataset_id }) => dataset_id}
        columns={[
          {
            head: "Name",
            cell: ({ dataset_id, name }) => (
              <Link to={`/data/datasets/${dataset_id}`}>
                <Text of={name} />
              </Link>
            ),
          },
          { head: "Rows", cell: ({ rows }) => count(rows), isNumber: true },
          { head: "Columns", cell: ({ column_count }) => count(column_count), isNumber: true },
          { head: "Size", cell: ({ bytes }) => size(bytes), isNumber: true },
          {
            head: "Warnings",
            cell: ({ warnings }) =>
              warnings.length === 0 ? "None" : counted(warnings.length, "warning"),
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          contains === undefined ? (
            <Empty title="No dataset yet" action={mayUpload && upload}>
              <p>Upload a CSV, Parquet, Arrow or JSON-lines file, or make a dataset of a query.</p>
            </Empty>
          ) : (
            <p>
              No dataset has <q>{shortened(contains, 60)}</q> in its name.
            </p>
          )
        }
      />
    </Page>
  );
}
