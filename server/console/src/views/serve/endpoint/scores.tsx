/** What an endpoint's models score on what they have predicted, by the feedback that came since. */

import type { Outputs } from "@distillery/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { count, counted, figure, percent } from "../../../ui/numbers.ts";
import { Card, Empty } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { ModelLink } from "../models.tsx";
import type { Endpoint } from "./endpoint.ts";

type Scores = Outputs["serving"]["scores"];
type ModelScores = Scores["models"][number];

const DAYS = [1, 7, 30, 365] as const;
const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;

export function ScoresTab({ endpoint: { id, prediction_log } }: { readonly endpoint: Endpoint }) {
  const [query, setQuery] = useSearchParams();
  const days = DAYS.find((each) => String(each) === query.get("days")) ?? 30;
  const { data, error, refetch } = useQuery({
    queryKey: ["endpoint", id, "scores", days],
    queryFn: ({ signal }) =>
      client.serving.scores.query(
        { endpoint_id: id, since: new Date(Date.now() - days * DAY_MS).toISOString() },
        { signal },
      ),
    refetchInterval: REFRESH_MS,
  });
  const labelled = data?.models.reduce((sum, { labelled_rows }) => sum + labelled_rows, 0) ?? 0;
  return (
    <>
      <div className="form-line">
        <Field label="Predictions of the last">
          {(control) => (
            <select
              {...control}
              value={days}
              onChange={(event) => setQuery({ tab: "scores", days: event.target.value })}
            >
              {DAYS.map((each) => (
                <option key={each} value={each}>
                  {counted(each, "day")}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        error ? null : (
          <Loading />
        )
      ) : data.models.length === 0 ? (
        <Empty title="No logged prediction yet">
          <p>
            {prediction_log === null
              ? "Turn the prediction log on, then send what turned out to be true as feedback."
              : "Predictions show here a minute after they were made."}
          </p>
          <p>
            <Link to="?tab=log">Prediction log</Link>
          </p>
        </Empty>
      ) : (
        <>
          {data.unmatched_labels > 0 && (
            <p className="note">
              {counted(data.unmatched_labels, "label")} of predictions that are not in the
              log&apos;s files yet: they count once it is written.
            </p>
          )}
          {!data.complete && (
            <p className="note">Only the latest of very many labelled predictions are scored.</p>
          )}
          {data.models.map((model) => (
            <ModelCard key={model.model_id} model={model} metrics={data.metrics} />
          ))}
          {labelled > 0 && <LabelledDataset endpointId={id} since={data.since} />}
        </>
      )}
    </>
  );
}

function ModelCard({
  model: { model_id, logged_rows, labelled_rows, scores, intervals, validation_scores, coverage },
  metrics,
}: {
  readonly model: ModelScores;
  readonly metrics: Scores["metrics"];
}) {
  const scored = metrics.filter(({ name }) => name in scores);
  return (
    <Card title={<ModelLink reference={model_id} id={model_id} />}>
      <p className="note">
        {counted(logged_rows, "logged prediction")}, {count(labelled_rows)} with a label.
        {coverage &&
          ` Intervals or sets held the label in ${percent(coverage.measured, 1)}; they were made to hold ${coverage.nominal === null ? "an unknown share" : percent(coverage.nominal, 1)}.`}
      </p>
      {labelled_rows === 0 && (
        <p className="note">
          Scores come with labels: send what turned out to be true to <code>…/feedback</code>, by
          the <code>X-Prediction-Id</code> of each answer.
        </p>
      )}
      {scored.length > 0 && (
        <DataTable
          caption="Scores"
          items={scored}
          keyOf={({ name }) => name}
          columns={[
            {
              head: "Metric",
              cell: ({ name, direction }) =>
                `${name} (${direction === "minimize" ? "less" : "more"} is better)`,
            },
            { head: "Live", cell: ({ name }) => number(scores[name]), isNumber: true },
            {
              head: "95 % of it",
              cell: ({ name }) => {
                const interval = intervals[name];
                return interval ? `${figure(interval[0])} to ${figure(interval[1])}` : "–";
              },
              isNumber: true,
            },
            {
              head: "In validation",
              cell: ({ name }) => number(validation_scores?.[name]),
              isNumber: true,
            },
          ]}
        />
      )}
    </Card>
  );
}

const number = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : figure(value);

function LabelledDataset({
  endpointId,
  since,
}: {
  readonly endpointId: string;
  readonly since: string;
}) {
  const mayWrite = useScope("datasets:write");
  const [name, setName] = useState("");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client.serving.labelledDataset.mutate({ endpoint_id: endpointId, name, since }),
  });
  if (!mayWrite) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <Card title="Make a dataset of them">
      <p className="note">
        What was sent and what turned out to be true: to train on, or to evaluate other models by.
      </p>
      <form className="form-line" onSubmit={submit}>
        <Field label="Name" fault={faultAt(error, "name")}>
          {(control) => (
            <input
              {...control}
              value={name}
              required
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" busy={isPending} disabled={name === ""}>
          Make dataset
        </Button>
      </form>
      {error && <ProblemNote error={error} />}
      {data && (
        <p role="status">
          {counted(data.rows, "row")} in{" "}
          <Link to={`/data/datasets/${data.dataset_id}`}>{data.name}</Link>.
        </p>
      )}
    </Card>
  );
}
