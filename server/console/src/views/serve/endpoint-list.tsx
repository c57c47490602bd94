/** Stable addresses in front of models. */

import { Link, useSearchParams } from "react-router";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { ModelLink } from "./models.tsx";
import { NewEndpoint } from "./new-endpoint.tsx";
import { ServeParts } from "./parts.tsx";

const REFRESH_MS = 10_000;

export function EndpointList() {
  const mayWrite = useScope("serving:write");
  const [query, setQuery] = useSearchParams();
  const add = mayWrite && (
    <Button look="main" onClick={() => setQuery({ new: "1" })}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Serve"
      lead="An endpoint is a stable address in front of models: it splits traffic among them and stays when they change."
      actions={add}
    >
      <ServeParts />
      <Listing
        queryKey={["endpoints"]}
        caption="Endpoints"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { endpoints: items, next_page_token: next } = await client.serving.list.query(
            { limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={[
          {
            head: "Endpoint",
            cell: ({ id, name }) => (
              <Link to={`/serve/endpoints/${id}`}>
                <Text of={name} />
              </Link>
            ),
          },
          {
            head: "Models",
            cell: ({ models }) => (
              <ul className="plain-list">
                {models.map(({ model_id, resolved_model_id, traffic }) => (
                  <li key={model_id}>
                    {traffic} % <ModelLink reference={model_id} id={resolved_model_id} />
                  </li>
                ))}
              </ul>
            ),
          },
          { head: "State", cell: ({ status }) => <Status of={status} /> },
          { head: "Changed", cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        empty={
          <Empty title="No endpoint yet" action={add}>
            <p>
              Choose a trained model and give it an address. Later models take over its traffic bit
              by bit, or at once, and callers notice nothing.
            </p>
          </Empty>
        }
      />
      {mayWrite && query.get("new") !== null && (
        <NewEndpoint model={query.get("model") ?? ""} onClose={() => setQuery({})} />
      )}
    </Page>
  );
}
