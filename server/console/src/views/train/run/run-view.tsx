/** One run, as it goes: from its events, across reloads, lost connections and restarts of the service. */

import { ServiceError } from "@distillery/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { JobEnd } from "../../../ui/job-end.tsx";
import { JobRetry } from "../../../ui/job-retry.tsx";
import { isCancelled, stateOf } from "../../../ui/job-state.ts";
import { Loading } from "../../../ui/loading.tsx";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { Status } from "../../../ui/status.tsx";
import { shortened, Text } from "../../../ui/text.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { useModelIsThere } from "../../../ui/use-model-is-there.ts";
import { BestCurve } from "./best-curve.tsx";
import { FoldSpread, RunLines, TrialDetails } from "./details.tsx";
import type { LiveRun } from "./live-run.ts";
import { Models } from "./models.tsx";
import { Parallel } from "./parallel.tsx";
import { RunHead } from "./run-head.tsx";
import { TRIAL_STATES } from "./run-state.ts";
import { SORTS, type TableAsked } from "./trial-order.ts";
import { TrialTable } from "./trial-table.tsx";
import { useChanges, useLiveRun } from "./use-live.ts";

const PATH = [{ to: "/train", label: "Train" }];
const RECORD_REFRESH_MS = 5_000;

export function RunView() {
  const { jobId = "" } = useParams();
  const options = useQuery({
    queryKey: ["trainer-options"],
    queryFn: ({ signal }) => client.training.options.query(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const directions = options.data?.metrics;
  const isLower = useCallback(
    (metric: string) =>
      directions?.find((each) => each.metric === metric)?.direction !== "maximize",
    [directions],
  );
  if (options.error) {
    return (
      <Page title="Run" path={PATH}>
        <ProblemNote error={options.error} retry={() => void options.refetch()} />
      </Page>
    );
  }
  if (!directions) return <Loading />;
  return <Followed key={jobId} jobId={jobId} isLower={isLower} />;
}

interface FollowedProps {
  readonly jobId: string;
  readonly isLower: (metric: string) => boolean;
}

function Followed({ jobId, isLower }: FollowedProps) {
  const live = useLiveRun(jobId, isLower);
  return live ? <Run jobId={jobId} live={live} /> : <Loading />;
}

/** Where models are asked that do not predict row by row. */
const TRIED_AT: Readonly<Record<string, string>> = {
  forecasting: "forecasts",
  sequence_regression: "sequences",
  sequence_binclass: "sequences",
  sequence_multiclass: "sequences",
};

function Run({ jobId, live }: { readonly jobId: string; readonly live: LiveRun }) {
  useChanges(live, 500);
  const queries = useQueryClient();
  const mayTrain = useScope("training:write");
  const [search, setSearch] = useSearchParams();
  const job = useQuery({
    queryKey: ["training-job", jobId],
    queryFn: ({ signal }) => client.training.get.query({ job_id: jobId }, { signal }),
    // What happens between its events: an attempt that failed.
    refetchInterval: live.end === null ? RECORD_REFRESH_MS : false,
  });
  // The record has the plan once there is one, and the models once they are there.
  const { phase } = live.log;
  const hasEnded = live.end !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again at each of these changes
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["training-job", jobId] });
  }, [queries, jobId, phase, hasEnded]);
  const table = useMemo(() => tableAsked(search), [search]);
  if (!job.data) {
    const error = job.error ?? live.error;
    if (!error) return <Loading />;
    return (
      <Page title="Run" path={PATH}>
        <ProblemNote error={error} retry={() => void job.refetch()}>
          <p>
            <Link to="/train">All runs</Link>
          </p>
        </ProblemNote>
      </Page>
    );
  }
  const { name, config, dataset_id, model_ids, model_id, result_uri, error_message } = job.data;
  const kind = String(config.task.task_kind);
  const status = live.end?.status ?? job.data.status;
  const isOpen = status === "pending" || status === "running";
  const isDone = status === "completed";
  // The record says so until its first event comes.
  const isWaiting = status === "pending" && live.log.version === 0;
  // One that ended before it had a plan has nothing but its reason.
  const hasPlan = isOpen || live.log.plan !== null;
  const hasScores = (isOpen && !isWaiting) || live.log.finished.length > 0;
  const ended = { status, error_message: live.end?.error_message ?? error_message };
  const chosen = numberOrNull(search.get("trial"));
  const put = (changes: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams(search);
    for (const [member, value] of Object.entries(changes)) {
      if (value === "") next.delete(member);
      else next.set(member, value);
    }
    setSearch(next, { replace: true });
  };
  const chooseTrial = (trial: number): void => put({ trial: String(trial) });
  const { log } = live;
  return (
    <Page
      title={shortened(name, 80)}
      path={PATH}
      lead={
        <>
          <Status of={stateOf(ended)} /> <Link to={`/data/datasets/${dataset_id}`}>Dataset</Link> ·
          predicts <Text of={config.task.label_column} most={60} />
        </>
      }
      actions={
        <>
          {isOpen && mayTrain && <Cancel jobId={jobId} />}
          {result_uri !== "" && isDone && (
            <a className="button plain" href={result_uri} target="_blank" rel="noreferrer">
              Report
            </a>
          )}
          {isDone && <ModelLinks id={model_id} tab={TRIED_AT[kind] ?? "what-if"} />}
          {!isOpen && !isDone && mayTrain && (
            <ButtonLink look="main" to={`/train/new?${againOf(dataset_id, config.task)}`}>
              Train again
            </ButtonLink>
          )}
        </>
      }
    >
      <Connection live={live} isOpen={isOpen} />
      {live.error !== null && <Broken error={live.error} />}
      <JobEnd of={ended} the="The run">
        {isCancelled(ended) && (
          <p>It has made no model.{hasScores && " What its trials have found is shown below."}</p>
        )}
      </JobEnd>
      {isOpen && <JobRetry of={job.data} />}
      {hasPlan && <RunHead live={live} isOpen={isOpen} isWaiting={isWaiting} />}
      {log.stopped !== "" && <p className="note">The search ended: {log.stopped}</p>}
      {(log.plan?.warnings.length ?? 0) > 0 && (
        <details className="warnings">
          <summary>
            {log.plan?.warnings.length === 1
              ? "A warning about the data"
              : `${log.plan?.warnings.length} warnings about the data`}
          </summary>
          <ul>
            {log.plan?.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
      {log.selections.length > 0 && (
        <Card
          title={log.selections.length > 1 ? "Models" : "Model"}
          actions={
            isDone &&
            log.selections.length > 1 && (
              <ButtonLink to={`/models/${model_id}?tab=front`}>Pick one on the front</ButtonLink>
            )
          }
        >
          <Models live={live} modelIds={model_ids} isDone={isDone} onTrial={chooseTrial} />
        </Card>
      )}
      {hasScores && (
        <>
          <div className="columns">
            <Card title="Best so far">
              <BestCurve live={live} onPick={chooseTrial} />
            </Card>
            <Card title="Spread over folds">
              <FoldSpread live={live} />
            </Card>
          </div>
          <Card title="Parameters and scores">
            <Parallel
              live={live}
              family={search.get("axes") ?? ""}
              onFamily={(family) => put({ axes: family })}
            />
          </Card>
        </>
      )}
      {hasPlan && (
        <>
          <Card title="Trials">
            {chosen !== null && (
              <TrialDetails live={live} number={chosen} onClose={() => put({ trial: "" })} />
            )}
            <TrialTable
              live={live}
              asked={table}
              onAsk={(changes) => put(tableParameters({ ...table, ...changes }))}
              chosen={chosen}
              onChoose={chooseTrial}
            />
          </Card>
          <Card title="Families">
            <FamilyReasons live={live} />
          </Card>
          <Card title="Log">
            <RunLines live={live} />
          </Card>
        </>
      )}
      <Card title="The same by the API">
        <Snippet
          label="Follow this run"
          call={{
            method: "GET",
            path: `/v1/training_jobs/${jobId}`,
            procedure: "training.get.query",
            input: { job_id: jobId },
          }}
        />
      </Card>
    </Page>
  );
}

/** The form of the same task. */
const againOf = (dataset: string, task: { readonly label_column: string; task_kind: string }) =>
  new URLSearchParams({ dataset, label: task.label_column, task: task.task_kind });

function ModelLinks({ id, tab }: { readonly id: string; readonly tab: string }) {
  if (!useModelIsThere(id)) return <span className="note">Its model was deleted.</span>;
  return (
    <>
      <ButtonLink to={`/models/${id}`}>Open the model</ButtonLink>
      <ButtonLink look="main" to={`/models/${id}?tab=${tab}`}>
        Try the model
      </ButtonLink>
    </>
  );
}

/** That what is seen is not what is: said as soon as it is known, gone when the events come again. */
function Connection({ live, isOpen }: { readonly live: LiveRun; readonly isOpen: boolean }) {
  const isLost = isOpen && live.isConnected === false && live.error === null;
  return (
    <div role="status" aria-live="polite">
      {isLost && (
        <p className="warnings">
          The connection is lost. The run goes on; this page asks again until the service answers.
        </p>
      )}
    </div>
  );
}

function Broken({ error }: { readonly error: unknown }) {
  return (
    <ProblemNote error={error} retry={() => globalThis.location.reload()}>
      {error instanceof ServiceError && error.status === 404 && (
        <p>
          <Link to="/train">All runs</Link>
        </p>
      )}
    </ProblemNote>
  );
}

function Cancel({ jobId }: { readonly jobId: string }) {
  const [isAsked, setAsked] = useState(false);
  const { done } = useToasts();
  return (
    <>
      <Button look="danger" onClick={() => setAsked(true)}>
        Cancel the run
      </Button>
      {isAsked && (
        <Confirm
          title="Cancel this run?"
          action="Cancel the run"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await client.training.cancel.mutate({ job_id: jobId });
            setAsked(false);
            done("The run is cancelled.");
          }}
        >
          <p>It ends without a model. Its trials stay here to look at.</p>
        </Confirm>
      )}
    </>
  );
}

function FamilyReasons({ live }: { readonly live: LiveRun }) {
  useChanges(live, 1_000);
  const { plan } = live.log;
  if (!plan) return <p className="note">The run is not planned yet.</p>;
  return (
    <>
      <p className="note">
        {plan.rows.toLocaleString("en")} rows, {plan.features.toLocaleString("en")} features.{" "}
        {plan.splitter}
      </p>
      <dl className="reasons">
        {plan.families.map(({ family, reason }) => (
          <div key={family}>
            <dt>{family}</dt>
            <dd>{reason}</dd>
          </div>
        ))}
        {plan.leftOut.map(({ family, reason }) => (
          <div key={family}>
            <dt>
              <s>{family}</s>
            </dt>
            <dd>Left out: {reason}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function tableAsked(search: URLSearchParams): TableAsked {
  return {
    sort: SORTS.find((sort) => sort === search.get("sort")) ?? "trial",
    isDescending: search.get("order") !== "up",
    family: search.get("family") ?? "",
    state: TRIAL_STATES.find((state) => state === search.get("state")) ?? "",
  };
}

const tableParameters = ({ sort, isDescending, family, state }: TableAsked) => ({
  sort: sort === "trial" ? "" : sort,
  order: isDescending ? "" : "up",
  family,
  state,
});

const numberOrNull = (text: string | null): number | null =>
  text !== null && /^\d+$/.test(text) ? Number(text) : null;
