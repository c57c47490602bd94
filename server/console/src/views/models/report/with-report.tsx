/** What is shown of the report of a model's run, once it is there. */

import type { ReactNode } from "react";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { type RunReport, type TrainedModel, useReport } from "../queries.ts";

export function WithReport({
  model,
  children,
}: {
  readonly model: TrainedModel;
  readonly children: (report: RunReport) => ReactNode;
}) {
  const { data, error, refetch } = useReport(model.job_id);
  if (data !== undefined) return children(data);
  if (error === null) return <Loading label="Reading the run's report" />;
  return (
    <ProblemNote error={error} retry={() => void refetch()}>
      <p>This view is made from the report of the model's run.</p>
    </ProblemNote>
  );
}
