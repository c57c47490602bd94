/** Evaluations: scores on rows whose truth is known, with intervals, and models against each other. */

import type { Outputs } from "@distillery/client";
import { plural, score } from "@distillery/engine/charts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { BASE_PATH } from "../../api/base.ts";
import { client } from "../../api/client.ts";
import { JobBar } from "../../ui/job-bar.tsx";
import { JobEnd } from "../../ui/job-end.tsx";
import { JobRetry } from "../../ui/job-retry.tsx";
import { stateOf } from "../../ui/job-state.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { count, span } from "../../ui/numbers.ts";
import { Card, Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { Warnings } from "../../ui/warnings.tsx";
import { Difference, spanOf } from "./difference.tsx";

type Evaluation = Outputs["evaluations"]["list"]["evaluations"][number];
type Figures = NonNullable<Evaluation["result"]>;

const OPEN = ["pending", "running"];

/** The latest evaluations that have all of the models in them. */
export function useEvaluations(models: readonly string[]) {
  const { data, error, refetch } = useQuery({
    queryKey: ["evaluations", "latest"],
    queryFn: ({ signal }) => client.evaluations.list.query({ limit: 100 }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.evaluations.some(({ status }) => OPEN.includes(status)) ? 1_500 : false,
  });
  const evaluations = data?.evaluations.filter(({ models: own }) =>
    models.every((id) => own.some(({ model_id }) => model_id === id)),
  );
  return { evaluations, error, refetch };
}

export function ModelEvaluations({ modelId }: { readonly modelId: string }) {
  const { evaluations, error, refetch } = useEvaluations([modelId]);
  if (evaluations === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (evaluations.length === 0) {
    return (
      <Empty title="Not evaluated yet">
        <p>
          Press Evaluate above and choose a dataset with the truth in it: rows that the model has
          not learned from.
        </p>
      </Empty>
    );
  }
  return evaluations.map((evaluation) => (
    <EvaluationCard key={evaluation.job_id} evaluation={evaluation} />
  ));
}

export function EvaluationCard({ evaluation }: { readonly evaluation: Evaluation }) {
  const { result, status, name, created_at } = evaluation;
  return (
    <Card
      title={<Text of={name} most={80} />}
      actions={
        <>
          <Status of={stateOf(evaluation)} /> <Time at={created_at} />
        </>
      }
    >
      <JobEnd of={evaluation} the="The evaluation" />
      <JobRetry of={evaluation} />
      {result === null ? (
        OPEN.includes(status) && <Scoring of={evaluation} />
      ) : (
        <Scored result={result} />
      )}
    </Card>
  );
}

function Scoring({ of: { status, progress } }: { readonly of: Evaluation }) {
  const { phase, done, total, seconds, estimate } = progress;
  return (
    <JobBar status={status} done={done} total={total} estimate={estimate}>
      {PHASES[phase]}, for {span(seconds)} so far
      {status === "running" && total > 0 && `: ${count(done)} of ${count(total)}`}
    </JobBar>
  );
}

const PHASES: Readonly<Record<Evaluation["progress"]["phase"], string>> = {
  new: "Beginning",
  loading: "Reading the rows",
  predicting: "Predicting",
  evaluating: "Scoring resamples",
  writing: "Writing the report",
  done: "Done",
};

/** Which model is which, each with the way to it. */
function Which({ models }: { readonly models: Figures["models"] }) {
  const { data } = useQuery({
    queryKey: ["models", "names"],
    queryFn: ({ signal }) => client.models.list.query({ limit: 200, type: "trained" }, { signal }),
    staleTime: 60_000,
  });
  const names = new Map(data?.models.map(({ id, name }) => [id, name]));
  return (
    <p className="note">
      {models.map(({ model_id: id }, place) => (
        <span key={id}>
          {place > 0 && ", "}
          model {place + 1}:{" "}
          <Link to={`/models/${id}`}>
            <Text of={names.get(id) ?? id.slice(0, 8)} most={60} />
          </Link>{" "}
          <small>{id.slice(0, 8)}</small>
        </span>
      ))}
    </p>
  );
}

/** Warnings name models by their ids; here they have numbers. */
const inNumbers = ({ models, warnings }: Figures): readonly string[] =>
  warnings.map((warning) =>
    models.reduce(
      (text, { model_id: id }, place) => text.replaceAll(id, String(place + 1)),
      warning,
    ),
  );

/** It stands on the model's own page. */
const ofThisModel = ({ models, warnings }: Figures): readonly string[] =>
  warnings.map((warning) => warning.replace(`The model ${models[0]?.model_id}`, "This model"));

function Scored({ result }: { readonly result: Figures }) {
  const [first] = result.models;
  if (first === undefined) return null;
  return (
    <>
      <p className="note">{plural(result.rows, "row")} scored; 95 % intervals of resampled rows.</p>
      {result.models.length > 1 && <Which models={result.models} />}
      <DataTable
        caption="Scores"
        items={result.metrics}
        keyOf={({ name }) => name}
        columns={[
          { head: "Metric", cell: ({ name }) => name },
          ...result.models.map((model, place) => ({
            head: result.models.length === 1 ? "Score" : `Model ${place + 1}`,
            cell: ({ name }: Figures["metrics"][number]) =>
              score(model.scores[name]) + spanOf(model.intervals[name]),
            isNumber: true,
          })),
          {
            head: "Better",
            cell: ({ direction }) => (direction === "minimize" ? "lower" : "higher"),
          },
        ]}
      />
      {result.slices.length > 0 && <Slices result={result} />}
      {result.comparisons.length > 0 && <Compared result={result} />}
      <Warnings of={result.models.length > 1 ? inNumbers(result) : ofThisModel(result)} />
      <p>
        <a href={`${BASE_PATH}${result.report_path}?format=html`} target="_blank" rel="noreferrer">
          Open the report
        </a>{" "}
        <span className="note">with its charts, as one page to keep</span>
      </p>
    </>
  );
}

/** By the first metric; the report has all. */
function Slices({ result: { slices, metrics, models } }: { readonly result: Figures }) {
  const [metric] = metrics;
  if (metric === undefined) return null;
  return (
    <>
      <h3>By slices: {metric.name}</h3>
      <DataTable
        caption={`${metric.name} by slices`}
        items={slices}
        keyOf={({ column, of }) => `${column} ${of}`}
        columns={[
          {
            head: "Rows with",
            cell: ({ column, of }) => (
              <>
                <Text of={column} most={40} />: <Text of={of} most={60} />
              </>
            ),
          },
          { head: "Rows", cell: ({ rows }) => count(rows), isNumber: true },
          ...models.map((_, place) => ({
            head: models.length === 1 ? metric.name : `Model ${place + 1}`,
            cell: ({ scores }: Figures["slices"][number]) => score(scores[place]?.[metric.name]),
            isNumber: true,
          })),
        ]}
      />
    </>
  );
}

/** On the same resampled rows: what differs by more than chance. */
function Compared({ result }: { readonly result: Figures }) {
  const directions = new Map(result.metrics.map(({ name, direction }) => [name, direction]));
  return (
    <>
      <h3>On the same rows (paired bootstrap)</h3>
      {result.comparisons.map(({ model_id, metric, difference, interval, better_share }) => (
        <Difference
          key={`${model_id} ${metric}`}
          metric={metric}
          direction={directions.get(metric) ?? "minimize"}
          difference={difference}
          interval={interval}
          betterShare={better_share}
          place={result.models.findIndex((model) => model.model_id === model_id) + 1}
        />
      ))}
    </>
  );
}
