/** One model: what it is, what it says and why, where it came from, and what can be done with it. */

import { Link, useParams } from "react-router";
import { useScope } from "../../api/session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { JobEnd } from "../../ui/job-end.tsx";
import { stateOf } from "../../ui/job-state.ts";
import { Loading } from "../../ui/loading.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { shortened } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { ModelActions } from "./actions/model-actions.tsx";
import { ModelEvaluations } from "./evaluations.tsx";
import { Explain } from "./explain.tsx";
import { Files } from "./files.tsx";
import { Forecasts } from "./forecasts.tsx";
import { Front } from "./front.tsx";
import { Lineage } from "./lineage.tsx";
import { Overview } from "./overview.tsx";
import { type TrainedModel, useModel } from "./queries.ts";
import { Report } from "./report/report.tsx";
import { Sequences } from "./sequences.tsx";
import { Teacher } from "./teacher/teacher.tsx";
import { WhatIf } from "./what-if/what-if.tsx";

const PATH = [{ to: "/models", label: "Models" }];

export function ModelView() {
  const { modelId = "" } = useParams();
  const { data, error, refetch } = useModel(modelId);
  if (data === undefined) {
    return (
      <Page title="Model" path={PATH}>
        {error ? (
          <ProblemNote error={error} retry={() => void refetch()}>
            <p>
              <Link to="/models?tab=all">All models</Link>
            </p>
          </ProblemNote>
        ) : (
          <Loading />
        )}
      </Page>
    );
  }
  if (data.type !== "trained") {
    return (
      <Page title="Document schema" path={PATH}>
        <p>
          This model reads documents.{" "}
          <Link to={`/documents/schemas/${encodeURIComponent(modelId)}`}>Open it there</Link>
        </p>
      </Page>
    );
  }
  // What was there and is gone is shown with its last state, under the service's words.
  return <Trained key={data.id} model={data} error={error} />;
}

function Trained({ model, error }: { readonly model: TrainedModel; readonly error: Error | null }) {
  const mayServe = useScope("serving:write");
  const isDone = model.status === "completed";
  return (
    <Page
      title={shortened(model.name, 80)}
      path={PATH}
      lead={<Lead model={model} />}
      actions={
        <>
          <ModelActions model={model} />
          {isDone && mayServe && (
            <ButtonLink look="main" to={`/serve?new=1&model=${model.id}`}>
              Serve
            </ButtonLink>
          )}
        </>
      }
    >
      {error && <ProblemNote error={error} />}
      {isDone ? <Parts model={model} /> : <NotYet model={model} />}
    </Page>
  );
}

function Lead({ model }: { readonly model: TrainedModel }) {
  return (
    <>
      {model.version !== null && <span>Version {model.version} · </span>}
      <Status of={stateOf(model)} /> · made <Time at={model.created_at} /> by{" "}
      <Link to={`/train/runs/${model.job_id}`}>its run</Link>
      {model.aliases.map((alias) => (
        <span key={alias}>
          {" "}
          · <span className="tag">{shortened(alias, 60)}</span>
        </span>
      ))}
    </>
  );
}

function NotYet({ model }: { readonly model: TrainedModel }) {
  return model.status === "failed" ? (
    <JobEnd of={model} the="Its run">
      <p>
        <Link to={`/train/runs/${model.job_id}`}>See how far the run came</Link>
      </p>
    </JobEnd>
  ) : (
    <p>
      The run has not ended yet. <Link to={`/train/runs/${model.job_id}`}>Watch the run</Link>
    </p>
  );
}

/** Which parts there are depends on what the model predicts. */
function tabsOf({ task, card }: TrainedModel): Readonly<Record<string, string>> {
  const kind = String(task["task_kind"]);
  const isForecast = kind === "forecasting";
  const isOfSequences = kind.startsWith("sequence_");
  return {
    overview: "Overview",
    ...(isForecast ? { forecasts: "Forecasts" } : {}),
    ...(isOfSequences ? { sequences: "Sequences" } : {}),
    ...(isForecast || isOfSequences ? {} : { "what-if": "What-if" }),
    explain: "Explain",
    ...(card?.["fidelity"] ? { teacher: "Teacher" } : {}),
    front: "Front",
    report: "Report",
    evaluations: "Evaluations",
    files: "Files",
    lineage: "Lineage",
  };
}

function Parts({ model }: { readonly model: TrainedModel }) {
  const tabs = tabsOf(model);
  const tab = useTab(tabs);
  return (
    <>
      <Tabs label="Parts of the model" tabs={tabs} chosen={tab} />
      <Part model={model} tab={tab} />
    </>
  );
}

function Part({ model, tab }: { readonly model: TrainedModel; readonly tab: string }) {
  switch (tab) {
    case "what-if":
      return <WhatIf model={model} />;
    case "forecasts":
      return <Forecasts model={model} />;
    case "sequences":
      return <Sequences model={model} />;
    case "explain":
      return <Explain model={model} />;
    case "teacher":
      return <Teacher model={model} />;
    case "front":
      return <Front model={model} />;
    case "report":
      return <Report model={model} />;
    case "evaluations":
      return <ModelEvaluations modelId={model.id} />;
    case "files":
      return <Files model={model} />;
    case "lineage":
      return <Lineage model={model} />;
    default:
      return <Overview model={model} />;
  }
}
