/** What runs have made: compare, understand and choose. */

import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/time.tsx";

export default function Models() {
  return (
    <Page title="Models" lead="What runs have made: compare, understand and choose.">
      <Listing
        queryKey={["models"]}
        caption="Models"
        page={async (page_token, signal) => {
          const { models: items, next_page_token: next } = await client.models.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          { head: "Model", cell: ({ name }) => name },
          { head: "State", cell: ({ status }) => <Status of={status} /> },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No model yet">
            <p>A completed run makes one.</p>
          </Empty>
        }
      />
    </Page>
  );
}
