/** One endpoint: its traffic, what it does now, and a try of it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Page } from "../../../ui/page.tsx";
import { PendingPage } from "../../../ui/pending-page.tsx";
import { Status } from "../../../ui/status.tsx";
import { Tabs, useTab } from "../../../ui/tabs.tsx";
import { TryIt } from "../try-it/try-it.tsx";
import { Aliases } from "./aliases.tsx";
import { DriftTab } from "./drift.tsx";
import type { Endpoint } from "./endpoint.ts";
import { LiveTab } from "./live.tsx";
import { LogTab } from "./prediction-log.tsx";
import { Rename } from "./rename.tsx";
import { ScoresTab } from "./scores.tsx";
import { SplitHistory } from "./split-history.tsx";
import { Traffic } from "./traffic.tsx";

const PATH = [{ to: "/serve", label: "Serve" }];
const TABS = {
  traffic: "Traffic",
  live: "Live",
  try: "Try it",
  drift: "Drift",
  scores: "Scores",
  log: "Prediction log",
} as const;

export function EndpointPage() {
  const { endpointId = "" } = useParams();
  const { search } = useLocation();
  const { data, error, refetch } = useQuery({
    queryKey: ["endpoint", endpointId],
    queryFn: ({ signal }) => client.serving.get.query({ endpoint_id: endpointId }, { signal }),
  });
  // Asked for by its name, it goes by its id, which stays where the name changes.
  if (data && data.id !== endpointId) {
    return <Navigate to={`/serve/endpoints/${data.id}${search}`} replace />;
  }
  if (data) return <Shown endpoint={data} />;
  return (
    <PendingPage
      title="Endpoint"
      path={PATH}
      error={error}
      retry={() => void refetch()}
      all={{ to: "/serve", label: "All endpoints" }}
    />
  );
}

function Shown({ endpoint }: { readonly endpoint: Endpoint }) {
  const { id, name, status, problems, warnings } = endpoint;
  const mayWrite = useScope("serving:write");
  const tab = useTab(TABS);
  const [asks, setAsks] = useState<"rename" | "delete" | null>(null);
  const close = (): void => setAsks(null);
  return (
    <Page
      title={name}
      path={PATH}
      lead={
        <>
          <Status of={status} /> <code>/v1/serving/endpoints/{name}/predict</code>
        </>
      }
      actions={
        mayWrite && (
          <>
            <Button onClick={() => setAsks("rename")}>Rename</Button>
            <Button look="danger" onClick={() => setAsks("delete")}>
              Delete
            </Button>
          </>
        )
      }
    >
      {(problems.length > 0 || warnings.length > 0) && (
        <div className="warnings">
          <ul>
            {problems.map(({ model_id, detail }) => (
              <li key={`${model_id} ${detail}`}>
                <bdi>{model_id}</bdi>: {detail}
              </li>
            ))}
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      <Tabs label="Parts of the endpoint" tabs={TABS} chosen={tab} />
      {tab === "traffic" && (
        <>
          <Traffic endpoint={endpoint} />
          <Aliases endpoint={endpoint} />
          <SplitHistory endpoint={endpoint} />
        </>
      )}
      {tab === "live" && <LiveTab endpoint={endpoint} />}
      {tab === "try" && <TryIt endpoint={endpoint} />}
      {tab === "drift" && <DriftTab endpoint={endpoint} />}
      {tab === "scores" && <ScoresTab endpoint={endpoint} />}
      {tab === "log" && <LogTab endpoint={endpoint} />}
      {asks === "rename" && <Rename endpoint={endpoint} onClose={close} />}
      {asks === "delete" && <Delete id={id} name={name} onClose={close} />}
    </Page>
  );
}

function Delete({
  id,
  name,
  onClose,
}: {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => client.serving.delete.mutate({ endpoint_id: id }),
    onSuccess: async () => {
      navigate("/serve");
      queries.removeQueries({ queryKey: ["endpoint", id] });
      await queries.invalidateQueries({ queryKey: ["endpoints"] });
    },
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await mutateAsync();
      }}
    >
      <p>Its address stops answering. Its prediction log goes with it; its models stay.</p>
    </Confirm>
  );
}
