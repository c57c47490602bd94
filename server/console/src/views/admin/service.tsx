/** How the service does, who is signed in to it, and where its other doors are. */

import { useQuery } from "@tanstack/react-query";
import { BASE_PATH } from "../../api/base.ts";
import { ask, client } from "../../api/client.ts";
import { useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toasts.tsx";

interface Ready {
  readonly checks: Readonly<Record<"database" | "object_store" | "worker" | "disk", "ok">>;
}

const CHECKS: Readonly<Record<keyof Ready["checks"], string>> = {
  database: "Database",
  object_store: "Object store",
  worker: "A process that takes jobs",
  disk: "Room on the disk",
};

export function Service() {
  const alive = useQuery({
    queryKey: ["healthz"],
    queryFn: ({ signal }) => ask<{ readonly version: string }>("/healthz", { signal }),
  });
  const ready = useQuery({
    queryKey: ["readyz"],
    queryFn: ({ signal }) => ask<Ready>("/readyz", { signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <Card title={`Distillery ${alive.data?.version ?? ""}`}>
        {ready.data === undefined ? (
          ready.error ? (
            <ProblemNote error={ready.error} retry={() => void ready.refetch()} />
          ) : (
            <Loading />
          )
        ) : (
          <DataTable
            caption="What the service stands on"
            items={Object.entries(CHECKS) as [keyof Ready["checks"], string][]}
            keyOf={([check]) => check}
            columns={[
              { head: "Part", cell: ([, label]) => label },
              {
                head: "State",
                cell: ([check]) => (
                  <Status of={ready.data.checks[check] === "ok" ? "ready" : "failed"} />
                ),
              },
            ]}
          />
        )}
        {ready.data !== undefined && ready.error && <ProblemNote error={ready.error} />}
        <p className="note">
          <a href={`${BASE_PATH}/docs`}>API documentation</a> ·{" "}
          <a href={`${BASE_PATH}/openapi.json`}>OpenAPI document</a> ·{" "}
          <a href={`${BASE_PATH}/metrics`}>Prometheus metrics</a>
        </p>
      </Card>
      <SignedIn />
    </>
  );
}

function SignedIn() {
  const { session, signedOut } = useSession();
  const { failed, done } = useToasts();
  const { data } = useQuery({
    queryKey: ["organization"],
    queryFn: ({ signal }) => client.organization.get.query(undefined, { signal }),
  });
  const everywhere = async (): Promise<void> => {
    const { ended } = await ask<{ readonly ended: number }>("/v1/session?everywhere=true", {
      method: "DELETE",
    });
    done(ended === 1 ? "The session has ended." : `${ended} sessions have ended.`);
    signedOut();
  };
  return (
    <Card title="Who is signed in">
      <dl className="tiles">
        <div className="tile">
          <dt>Organization</dt>
          <dd>{data ? <Text of={data.name} most={40} /> : "…"}</dd>
        </div>
        <div className="tile">
          <dt>May</dt>
          <dd>
            {session?.scopes.includes("*") ? "everything" : `${session?.scopes.length ?? 0} things`}
            {!session?.scopes.includes("*") && <small>{session?.scopes.join(", ")}</small>}
          </dd>
        </div>
        <div className="tile">
          <dt>Signed in until</dt>
          <dd>
            <Time at={session?.expires_at} />
          </dd>
        </div>
      </dl>
      <Button look="danger" onClick={() => everywhere().catch(failed)}>
        Sign out everywhere
      </Button>
      <p className="hint">Ends every browser’s session that came from the same API key.</p>
    </Card>
  );
}
