/** Why a job has made nothing; shows nothing where it has, or may still. Who cancelled one has made no mistake. */

import type { ReactNode } from "react";
import { type Ended, isCancelled } from "./job-state.ts";
import { Text } from "./text.tsx";

interface JobEndProps {
  readonly of: Ended;
  /** The job's kind, as in "The run". */
  readonly the: string;
  /** What to do next. */
  readonly children?: ReactNode;
}

export function JobEnd({ of, the, children }: JobEndProps) {
  const { status, error_message } = of;
  if (status !== "failed") return null;
  return isCancelled(of) ? (
    <div className="warnings" role="status">
      <p>
        <strong>{the} was cancelled.</strong>
      </p>
      {children}
    </div>
  ) : (
    <div className="problem" role="alert">
      <p>
        <strong>{the} has failed.</strong>
      </p>
      <p>
        <Text of={error_message} most={1_000} />
      </p>
      {children}
    </div>
  );
}
