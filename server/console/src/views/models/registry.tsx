/** Names with their versions and the aliases that lead to them. */

import { Link } from "react-router";
import { client } from "../../api/client.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";

export function Registry() {
  return (
    <Listing
      queryKey={["models", "registry"]}
      caption="Registered names"
      page={async (page_token, signal) => {
        const { names: items, next_page_token: next } = await client.registry.list.query(
          { limit: 50, page_token },
          { signal },
        );
        return { items, next };
      }}
      keyOf={({ name }) => name}
      columns={[
        {
          head: "Name",
          cell: ({ name, latest_model_id }) =>
            latest_model_id === null ? name : <Link to={`/models/${latest_model_id}`}>{name}</Link>,
        },
        { head: "Versions", cell: ({ versions }) => String(versions), isNumber: true },
        {
          head: "Aliases",
          cell: ({ aliases }) =>
            aliases.length === 0 ? (
              "–"
            ) : (
              <span className="row">
                {aliases.map(({ alias, model_id }) =>
                  model_id === null ? (
                    <span key={alias} className="tag">
                      {alias}
                    </span>
                  ) : (
                    <Link key={alias} className="tag" to={`/models/${model_id}`}>
                      {alias}
                    </Link>
                  ),
                )}
              </span>
            ),
        },
        { head: "First given", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <Empty title="No name yet">
          <p>
            Open a model and give it a name: predictions can then be asked of the name, whichever
            version is behind it.
          </p>
        </Empty>
      }
    />
  );
}
