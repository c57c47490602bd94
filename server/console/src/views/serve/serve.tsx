/** Stable addresses in front of models. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";

export default function Serve() {
  return (
    <Page title="Serve" lead="Stable addresses in front of models.">
      <Listing
        queryKey={["endpoints"]}
        caption="Serve"
        page={async (page_token, signal) => {
          const { endpoints: items, next_page_token: next } = await client.serving.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          { head: "Endpoint", cell: ({ name }) => name },
          { head: "State", cell: ({ status }) => <Status of={status} /> },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No endpoint yet">
            <p>An endpoint splits traffic among models and keeps its address when they change.</p>
          </Empty>
        }
      />
    </Page>
  );
}
