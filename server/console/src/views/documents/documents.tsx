/** Documents, and the tables that are read out of them. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";

export default function Documents() {
  return (
    <Page title="Documents" lead="Documents, and the tables that are read out of them.">
      <Listing
        queryKey={["documents"]}
        caption="Documents"
        page={async (page_token, signal) => {
          const { documents: items, next_page_token: next } = await client.documents.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ document_id }) => document_id}
        columns={[
          { head: "Name", cell: ({ name }) => name },
          { head: "Pages", cell: ({ pages }) => pages, isNumber: true },
        ]}
        empty={
          <Empty title="No document yet">
            <p>Upload PDFs, scans, mails or texts.</p>
          </Empty>
        }
      />
    </Page>
  );
}
