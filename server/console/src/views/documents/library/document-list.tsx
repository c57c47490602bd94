/** All documents, newest first, and the place to drop more. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Listing } from "../../../ui/listing.tsx";
import { count, size } from "../../../ui/numbers.ts";
import { Empty, Page } from "../../../ui/page.tsx";
import { Status } from "../../../ui/status.tsx";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { DocumentParts } from "../parts.tsx";
import { Upload } from "./upload.tsx";

/** Scans are read for a while after their upload. */
const REFRESH_MS = 5_000;

export function DocumentList() {
  const mayWrite = useScope("documents:write");
  return (
    <Page
      title="Documents"
      lead="Upload documents of one kind, find the questions that matter, and read the answers out of all of them as a table."
      actions={mayWrite && <ButtonLink to="/documents/induce">Find questions</ButtonLink>}
    >
      <DocumentParts chosen="" />
      {mayWrite && <Upload />}
      <Listing
        queryKey={["documents"]}
        caption="Documents"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { documents: items, next_page_token: next } = await client.documents.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ document_id }) => document_id}
        columns={[
          {
            head: "Name",
            cell: ({ document_id, name }) => (
              <Link to={`/documents/${document_id}`}>
                <Text of={name} most={80} />
              </Link>
            ),
          },
          {
            head: "State",
            cell: ({ status, error_message }) => (
              <>
                <Status of={status} />
                {error_message !== "" && <span className="note"> {error_message}</span>}
              </>
            ),
          },
          {
            head: "Pages",
            cell: ({ pages }) => (pages === null ? "–" : count(pages)),
            isNumber: true,
          },
          { head: "Size", cell: ({ bytes }) => size(bytes), isNumber: true },
          { head: "Uploaded", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No document yet">
            <p>
              Drop PDFs, scans, mails, web pages or texts above: ten or more of one kind show what
              they have in common.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
