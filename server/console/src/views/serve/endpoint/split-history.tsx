/** Every split that an endpoint has had, and the way back to the one before. */

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Listing } from "../../../ui/listing.tsx";
import { Card } from "../../../ui/page.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { ModelLink, useModels } from "../models.tsx";
import { useKeep } from "./change.ts";
import type { Endpoint } from "./endpoint.ts";

export function SplitHistory({ endpoint: { id, revision } }: { readonly endpoint: Endpoint }) {
  const mayWrite = useScope("serving:write");
  const { models } = useModels();
  const keep = useKeep(id);
  const { done } = useToasts();
  const [asks, setAsks] = useState(false);
  const { mutateAsync } = useMutation({
    mutationFn: () => client.serving.rollback.mutate({ endpoint_id: id, ifMatch: `"${revision}"` }),
    onSuccess: async (endpoint) => {
      await keep(endpoint);
      setAsks(false);
      done("Rolled back.");
    },
  });
  return (
    <Card
      title="Splits so far"
      actions={
        // The first split has none before it.
        mayWrite && revision !== "1" && <Button onClick={() => setAsks(true)}>Roll back</Button>
      }
    >
      <Listing
        queryKey={["endpoint", id, "splits"]}
        caption="Splits so far"
        page={async (page_token, signal) => {
          const { splits: items, next_page_token: next } = await client.serving.history.query(
            { endpoint_id: id, limit: 20, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ revision: of }) => of}
        columns={[
          { head: "Revision", cell: ({ revision: of }) => of, isNumber: true },
          {
            head: "Traffic",
            cell: (split) => (
              <ul className="plain-list">
                {split.models.map(({ model_id, traffic }) => (
                  <li key={model_id}>
                    {traffic} %{" "}
                    <ModelLink
                      reference={model_id}
                      id={models.find((model) => model.id === model_id)?.id ?? null}
                    />
                  </li>
                ))}
              </ul>
            ),
          },
          {
            head: "By",
            cell: ({ restored_revision: of }) =>
              of === null ? "a change" : `a roll-back to revision ${of}`,
          },
          { head: "When", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={<p>No split yet.</p>}
      />
      {asks && (
        <Confirm
          title="Roll back the traffic?"
          action="Roll back"
          onClose={() => setAsks(false)}
          onConfirm={async () => {
            await mutateAsync();
          }}
        >
          <p>
            The last split before the present one whose models can all still answer comes back, at
            once. The shadow model stays. Rolled back again, it goes further back.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
