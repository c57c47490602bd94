/** The models of one run that no other beats in every metric: pick the one whose trade-off fits. */

import { type ParetoPoint, paretoSpec, plural, score } from "@distillery/engine/charts";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { client } from "../../api/client.ts";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import type { RunReport, TrainedModel } from "./queries.ts";
import { FigureCard } from "./report/figure-card.tsx";
import { WithReport } from "./report/with-report.tsx";

/** Pairs of metrics that are drawn. */
const PAIRS = 6;

export function Front({ model }: { readonly model: TrainedModel }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["training-jobs", "one", model.job_id],
    queryFn: ({ signal }) => client.training.get.query({ job_id: model.job_id }, { signal }),
  });
  if (data === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  return (
    <WithReport model={model}>
      {(report) =>
        report.run.metrics.length < 2 ? (
          <Empty title="One metric, one model">
            <p>
              A run that weighs several metrics ends with a front of models to pick from. Give a run
              two metrics or more to see one here.
            </p>
          </Empty>
        ) : (
          <Points
            model={model}
            report={report}
            ids={data.model_ids}
            isSweep={(report.run.config["gridSize"] ?? null) !== null}
          />
        )
      }
    </WithReport>
  );
}

function Points({
  model,
  report,
  ids,
  isSweep,
}: {
  readonly model: TrainedModel;
  readonly report: RunReport;
  /** Of the run's models, in the order of the report's. */
  readonly ids: readonly string[];
  /** Whether the run weighed its metrics against each other. */
  readonly isSweep: boolean;
}) {
  const navigate = useNavigate();
  const names = report.run.metrics.map(({ name }) => name);
  const directionOf = (name: string): string => {
    const direction = report.run.metrics.find((each) => each.name === name)?.direction;
    return `${name}: ${direction === "maximize" ? "higher" : "lower"} is better`;
  };
  const pairs = names.flatMap((x, i) => names.slice(i + 1).map((y) => ({ x, y }))).slice(0, PAIRS);
  const models = report.models.map((each, place) => ({ ...each, place, id: ids[place] }));
  const pick = (pair: { readonly x: string; readonly y: string }, datum: object): void => {
    const { x, y, kind } = datum as { x?: unknown; y?: unknown; kind?: unknown };
    const found =
      kind === "model"
        ? models.find(({ scores }) => scores[pair.x] === x && scores[pair.y] === y)
        : undefined;
    if (found?.id) navigate(`/models/${found.id}?tab=front`);
  };
  return (
    <>
      <p className="note">
        {!isSweep
          ? `The run made one model, for ${names[0]}. One that weighs its metrics against each other makes several to pick from. Small dots are single trials.`
          : models.length === 1
            ? "One model is the best in every metric: there is nothing to trade. Small dots are single trials."
            : "Each large dot is a model of this run; none is worse than another in every metric. Press one to open it, or choose from the list below. Small dots are single trials."}
      </p>
      <div className="columns">
        {pairs.map((pair) => (
          <FigureCard
            key={`${pair.x} ${pair.y}`}
            title={`${pair.x} and ${pair.y}`}
            says={`${directionOf(pair.x)}; ${directionOf(pair.y)}.`}
            chart={paretoSpec(
              [
                ...report.trials
                  .filter(({ state }) => state === "finished")
                  .flatMap(({ scores }) => pointOf(scores ?? {}, pair, "trial")),
                ...models.flatMap(({ id, scores }) =>
                  pointOf(scores, pair, id === model.id ? "shown" : "model"),
                ),
              ],
              pair,
            )}
            onPick={(datum) => pick(pair, datum)}
          />
        ))}
      </div>
      <Card title={plural(models.length, "model")}>
        <p className="note">The first is the best on {names[0]}.</p>
        <DataTable
          caption="Models of the run"
          items={models}
          keyOf={({ place }) => String(place)}
          columns={[
            {
              head: "Model",
              cell: ({ id, place }) =>
                id === model.id ? (
                  <strong>Model {place + 1} (this one)</strong>
                ) : id === undefined ? (
                  `Model ${place + 1}`
                ) : (
                  <Link to={`/models/${id}?tab=front`}>Model {place + 1}</Link>
                ),
            },
            ...names.map((name) => ({
              head: name,
              cell: ({ scores }: (typeof models)[number]) => score(scores[name]),
              isNumber: true,
            })),
            {
              head: "Weights of the metrics",
              cell: ({ metricWeights }) =>
                metricWeights.map((weight) => String(Number(weight.toFixed(3)))).join(" : "),
            },
            {
              head: "Made of",
              cell: ({ members }) => [...new Set(members.map(({ family }) => family))].join(", "),
            },
          ]}
        />
      </Card>
    </>
  );
}

function pointOf(
  scores: Readonly<Record<string, number | null>>,
  { x, y }: { readonly x: string; readonly y: string },
  kind: ParetoPoint["kind"],
) {
  const [first, second] = [scores[x], scores[y]];
  return typeof first === "number" && typeof second === "number"
    ? [{ x: first, y: second, kind }]
    : [];
}
