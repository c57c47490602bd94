/** The test of a connector, step by step: what works, and the first thing that does not. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import type { FailedCheck } from "./failed-check.ts";

export type Kind = "objstore" | "warehouse";

interface ConnectorTestProps {
  readonly kind: Kind;
  readonly name: string;
  readonly onClose: () => void;
}

export function ConnectorTest({ kind, name, onClose }: ConnectorTestProps) {
  return (
    <Dialog title="Test of the connector" onClose={onClose}>
      <TestSteps kind={kind} name={name} />
    </Dialog>
  );
}

const STEPS: Readonly<Record<string, string>> = {
  address: "Its address can be reached",
  credentials: "It accepts the credentials",
  login: "It accepts the credentials",
  list: "Objects can be listed",
  read: "An object can be read",
  version: "It tells its version",
  schemas: "Schemas can be listed",
};

interface TestStepsProps extends Omit<ConnectorTestProps, "onClose"> {
  /** Goes back to what was entered, with the step that failed. */
  readonly onMend?: (failed: FailedCheck) => void;
  /** Where to go on once it works. */
  readonly next?: ReactNode;
}

export function TestSteps({ kind, name, onMend, next }: TestStepsProps) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["connectors", kind, "test", name],
    queryFn: ({ signal }) => {
      const router =
        kind === "objstore" ? client.objectStoreConnectors : client.warehouseConnectors;
      return router.test.mutate({ connector_name: name }, { signal });
    },
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (isFetching) return <Loading label="Testing, for up to 10 seconds" />;
  if (data === undefined) return <ProblemNote error={error} retry={() => void refetch()} />;
  const failed = data.checks.find(({ ok }) => !ok);
  return (
    <>
      <p role="status">
        <strong>{data.ok ? "It works." : "It does not work yet."}</strong>
      </p>
      <ol className="test-steps">
        {data.checks.map(({ check, ok, detail, milliseconds }) => (
          <li key={check}>
            <StepState ok={ok} isTried={ok || check === failed?.check} /> {STEPS[check] ?? check}
            <p className="note">
              <Text of={detail} most={600} /> {ok && `(${milliseconds} ms)`}
            </p>
          </li>
        ))}
      </ol>
      <div className="actions">
        {data.ok && next}
        {failed !== undefined && onMend && (
          <Button look="main" onClick={() => onMend(failed)}>
            Change what was entered
          </Button>
        )}
        <Button onClick={() => void refetch()}>Test again</Button>
      </div>
    </>
  );
}

/** Behind the first step that fails, nothing is tried. */
function StepState({ ok, isTried }: { readonly ok: boolean; readonly isTried: boolean }) {
  if (!isTried) return <span className="status plain">waits</span>;
  return <span className={ok ? "status good" : "status bad"}>{ok ? "works" : "fails"}</span>;
}
