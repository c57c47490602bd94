/** That a job's latest attempt failed, and that it is tried again by itself; shows nothing of others. */

import type { Outputs } from "@distillery/client";
import { Text } from "./text.tsx";
import { Time } from "./time.tsx";

interface JobRetryProps {
  readonly of: Pick<Outputs["training"]["get"], "retry">;
}

export function JobRetry({ of: { retry } }: JobRetryProps) {
  if (!retry) return null;
  const { attempt, message, failed_at } = retry;
  return (
    <div className="warnings" role="status">
      <p>
        <strong>{attempt === 1 ? "It failed" : `Attempt ${attempt} failed`}</strong>{" "}
        <Time at={failed_at} />, and is tried again by itself.
      </p>
      <p>
        <Text of={message} most={1_000} />
      </p>
    </div>
  );
}
