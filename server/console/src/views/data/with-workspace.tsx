/** What needs the SQL environment: waits for it, or offers to make it. */

import { type ReactNode, useState } from "react";
import { useScope } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { useWorkspace } from "./workspace.ts";

export function WithWorkspace({
  children,
}: {
  readonly children: (workspace: string) => ReactNode;
}) {
  const { workspace, error, refetch, create } = useWorkspace();
  const mayMake = useScope("workspace:write");
  const { failed } = useToasts();
  const [busy, setBusy] = useState(false);
  if (workspace === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (workspace !== null) return children(workspace);
  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      await create();
    } catch (refused) {
      failed(refused);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Empty
      title="No workspace yet"
      action={
        mayMake && (
          <Button look="main" busy={busy} onClick={() => void make()}>
            Make the workspace
          </Button>
        )
      }
    >
      <p>
        SQL runs in a workspace, which reads every dataset at once. It also holds catalogs: tables
        of files in object stores and of databases. An organization has one.
      </p>
    </Empty>
  );
}
