/** How far a job on documents is, with the way to end it. */

import type { Outputs } from "@distillery/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { JobBar } from "../../ui/job-bar.tsx";
import { JobRetry } from "../../ui/job-retry.tsx";
import { count } from "../../ui/numbers.ts";
import { Card } from "../../ui/page.tsx";
import { useToasts } from "../../ui/toasts.tsx";

export type DocumentJob = Outputs["agentic"]["getJob"];

export const JOB_REFRESH_MS = 1_000;

export const isOpen = ({ status }: Pick<DocumentJob, "status">): boolean =>
  status === "pending" || status === "running";

/** `reading_samples` → `Reading samples`. */
const sentence = (phase: string): string =>
  `${phase.slice(0, 1).toUpperCase()}${phase.slice(1).replaceAll("_", " ")}`;

export function JobProgress({ job }: { readonly job: DocumentJob }) {
  const mayWrite = useScope("documents:write");
  const queries = useQueryClient();
  const { failed } = useToasts();
  const { phase, done, total, estimate } = job.progress;
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.agentic.cancelJob.mutate({ job_id: job.job_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["document-job", job.job_id] }),
    onError: failed,
  });
  return (
    <Card
      title="Progress"
      actions={
        mayWrite && (
          <Button look="danger" busy={isPending} onClick={() => mutate()}>
            Cancel
          </Button>
        )
      }
    >
      <JobRetry of={job} />
      <JobBar status={job.status} done={done} total={total} estimate={estimate}>
        {sentence(phase)}
        {job.status === "running" && total > 1 && `: ${count(done)} of ${count(total)}`}
      </JobBar>
    </Card>
  );
}
