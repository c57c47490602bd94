/** Extractions: answers that were read out of documents. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { stateOf } from "../../../ui/job-state.ts";
import { Listing } from "../../../ui/listing.tsx";
import { count } from "../../../ui/numbers.ts";
import { Empty, Page } from "../../../ui/page.tsx";
import { Status } from "../../../ui/status.tsx";
import { Time } from "../../../ui/time.tsx";
import { DocumentParts } from "../parts.tsx";
import { useSchemaName } from "../schemas/use-schema-name.ts";

const REFRESH_MS = 5_000;

export function ExtractionList() {
  return (
    <Page
      title="Extractions"
      lead="Answers to a schema's questions, a row for each document, with where they stand."
      path={[{ to: "/documents", label: "Documents" }]}
    >
      <DocumentParts chosen="/extractions" />
      <Listing
        queryKey={["document-jobs", "extraction"]}
        caption="Extractions"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { jobs: items, next_page_token: next } = await client.agentic.listJobs.query(
            { kind: "extraction", limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ job_id }) => job_id}
        columns={[
          {
            head: "Extraction",
            cell: ({ job_id, model_id }) => (
              <Link to={`/documents/extractions/${job_id}`}>
                <SchemaName of={model_id} /> <small>{job_id.slice(0, 8)}</small>
              </Link>
            ),
          },
          { head: "Documents", cell: ({ documents }) => count(documents), isNumber: true },
          { head: "State", cell: (job) => <Status of={stateOf(job)} /> },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No extraction yet">
            <p>
              Open a <Link to="/documents/schemas">schema</Link> and choose the documents to answer
              its questions for.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

function SchemaName({ of }: { readonly of: string }) {
  return <bdi title={of}>{useSchemaName(of, 60)}</bdi>;
}
