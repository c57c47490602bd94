/** Keys, usage and the service itself. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";

export default function Admin() {
  return (
    <Page title="Admin" lead="Keys, usage and the service itself.">
      <Listing
        queryKey={["api-keys"]}
        caption="Admin"
        page={async (page_token, signal) => {
          const { api_keys: items, next_page_token: next } = await client.apiKeys.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          { head: "Name", cell: ({ name }) => name },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No key">
            <p>Keys are made for programs and people.</p>
          </Empty>
        }
      />
    </Page>
  );
}
