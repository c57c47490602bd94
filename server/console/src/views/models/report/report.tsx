/** The report of the model's run, live: outcome, search, uncertainty, and the page to keep. */

import { figure, shortened } from "@distillery/engine/charts";
import { BASE_PATH } from "../../../api/base.ts";
import { Card } from "../../../ui/page.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import type { RunReport, TrainedModel } from "../queries.ts";
import { Outcome } from "./outcome.tsx";
import { Search } from "./search.tsx";
import { Shapes } from "./shapes.tsx";
import { WithReport } from "./with-report.tsx";

export function Report({ model }: { readonly model: TrainedModel }) {
  return (
    <WithReport model={model}>
      {(report) => (
        <>
          <p className="note">
            What the run found out, on held-out rows.{" "}
            <a
              href={`${BASE_PATH}/v1/jobs/${model.job_id}/report?format=html`}
              target="_blank"
              rel="noreferrer"
            >
              Open it as one page to keep
            </a>
          </p>
          <Warnings of={report.warnings} most={600} />
          <Outcome report={report} />
          <Shapes report={report} />
          <Search report={report} />
          <div className="columns">
            <Facts title="Uncertainty" of={report.uncertainty} />
            <Facts title="How true it is to its teacher" of={report.distillation} />
          </div>
        </>
      )}
    </WithReport>
  );
}

function Facts({
  title,
  of,
}: {
  readonly title: string;
  readonly of: RunReport["uncertainty"] | undefined;
}) {
  if (!of) return null;
  return (
    <Card title={title}>
      {of.note !== "" && <p className="note">{of.note}</p>}
      <dl className="facts">
        {of.figures.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt>{shortened(name, 80)}</dt>
            <dd>{typeof value === "number" ? figure(value) : shortened(value, 80)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
