/** How far a batch prediction is. */

import type { Outputs } from "@distillery/client";
import { count, span } from "../../../ui/numbers.ts";

export type Batch = Outputs["batchPredictions"]["get"];

export const isOpen = ({ status }: Batch): boolean => status === "pending" || status === "running";

const PHASES: Readonly<Record<Batch["progress"]["phase"], string>> = {
  new: "Waiting for a worker",
  reading: "Reading the rows",
  predicting: "Predicting",
  writing: "Writing the output",
  registering: "Registering the dataset",
  done: "Done",
};

export function BatchProgress({
  job,
  brief = false,
}: {
  readonly job: Batch;
  readonly brief?: boolean;
}) {
  const { phase, rows_done, rows_total, rows_per_second, estimate } = job.progress;
  if (!isOpen(job)) return <>–</>;
  const bar = (
    <progress
      aria-label={PHASES[phase]}
      {...(rows_total > 0 ? { value: rows_done, max: rows_total } : {})}
    />
  );
  if (brief) return bar;
  return (
    <div className="batch-progress">
      {bar}
      <p role="status">
        {PHASES[phase]}
        {rows_total > 0 && `: ${count(rows_done)} of ${count(rows_total)} rows`}
        {rows_per_second !== null && `, ${count(rows_per_second)} a second`}
        {estimate !== null && `, about ${span(estimate)} left`}
      </p>
    </div>
  );
}
