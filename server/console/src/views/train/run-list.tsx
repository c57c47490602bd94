/** The runs there are, newest first: how far, how good, how long; two or more to compare. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { client } from "../../api/client.ts";
import { useScope } from "../../api/session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { stateOf } from "../../ui/job-state.ts";
import { type Column, Listing } from "../../ui/listing.tsx";
import { Card, Empty, Page } from "../../ui/page.tsx";
import { Snippet } from "../../ui/snippet.tsx";
import { Status } from "../../ui/status.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { duration, score } from "./figures.ts";

type Run = Outputs["training"]["list"]["training_jobs"][number];

const STATES = ["pending", "running", "completed", "failed"] as const;
const REFRESH_MS = 3_000;

export function RunList() {
  const mayTrain = useScope("training:write");
  const [search, setSearch] = useSearchParams();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const status = STATES.find((state) => state === search.get("state"));
  const name = search.get("name") ?? "";
  const datasetId = search.get("dataset") ?? undefined;
  const names = useDatasetNames();
  const filter = {
    limit: 50,
    ...(status ? { status } : {}),
    ...(name ? { name: `${name}*` } : {}),
    ...(datasetId ? { dataset_id: datasetId } : {}),
  };
  const narrow = (member: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === "") next.delete(member);
    else next.set(member, value);
    setSearch(next, { replace: true });
  };
  const columns: readonly Column<Run>[] = [
    {
      head: "Compare",
      isChoice: true,
      cell: (run) =>
        run.status === "completed" ? (
          <input
            type="checkbox"
            className="choose"
            aria-label={`Compare ${run.name}`}
            checked={chosen.has(run.model_id)}
            onChange={({ target }) => {
              const next = new Set(chosen);
              if (target.checked) next.add(run.model_id);
              else next.delete(run.model_id);
              setChosen(next);
            }}
          />
        ) : null,
    },
    {
      head: "Run",
      cell: (run) => (
        <Link to={`/train/runs/${run.id}`}>
          <Text of={run.name} most={60} />
        </Link>
      ),
    },
    { head: "State", cell: (run) => <Status of={stateOf(run)} /> },
    {
      head: "Dataset",
      cell: ({ dataset_id: id }) => (
        <Link to={`/data/datasets/${id}`} title={names.get(id)}>
          <Text of={names.get(id) ?? id.slice(0, 8)} most={60} />
        </Link>
      ),
    },
    {
      head: "Predicts",
      cell: ({ config: { task } }) => (
        <span title={task.task_kind}>
          <Text of={task.label_column} most={60} />
        </span>
      ),
    },
    { head: "Best score", cell: bestScore, isNumber: true },
    {
      head: "Work",
      cell: ({ progress }) => (progress.seconds > 0 ? duration(progress.seconds) : "–"),
      isNumber: true,
    },
    { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <Page
      title="Train"
      lead="Each run searches families of models on a dataset and blends the best of them."
      actions={
        <>
          {chosen.size > 1 && (
            <ButtonLink to={`/models/compare?models=${[...chosen].join(",")}`}>
              Compare {chosen.size} models
            </ButtonLink>
          )}
          {mayTrain && (
            <ButtonLink look="main" to="/train/new">
              Train a model
            </ButtonLink>
          )}
        </>
      }
    >
      <div className="form-row filters">
        <Field label="State">
          {(control) => (
            <select
              {...control}
              value={status ?? ""}
              onChange={({ target }) => narrow("state", target.value)}
            >
              <option value="">All</option>
              {STATES.map((state) => (
                <option key={state}>{state}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Name begins with">
          {(control) => (
            <input
              {...control}
              type="search"
              value={name}
              onChange={({ target }) => narrow("name", target.value)}
            />
          )}
        </Field>
      </div>
      <Listing
        queryKey={["training-jobs", filter]}
        caption="Runs"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { training_jobs: items, next_page_token: next } = await client.training.list.query(
            { ...filter, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          status || name || datasetId ? (
            <Empty
              title="No run is like that"
              action={<ButtonLink to="/train">Show all runs</ButtonLink>}
            />
          ) : (
            <Empty
              title="No run yet"
              action={
                mayTrain && (
                  <ButtonLink look="main" to="/train/new">
                    Train a model
                  </ButtonLink>
                )
              }
            >
              <p>Choose a dataset and what is to be predicted; the rest has defaults.</p>
            </Empty>
          )
        }
      />
      <Card title="The same by the API">
        <Snippet
          label="List runs"
          call={{
            method: "GET",
            path: `/v1/training_jobs?${new URLSearchParams(
              Object.entries(filter).map(([member, value]) => [member, String(value)]),
            ).toString()}`,
            procedure: "training.list.query",
            input: filter,
          }}
        />
      </Card>
    </Page>
  );
}

function bestScore({ pareto_values: values, metric_names: metrics, progress }: Run): ReactNode {
  const [metric = progress.best?.metric] = metrics;
  const value = values[0]?.[0] ?? progress.best?.score ?? null;
  if (value === null) return "–";
  return (
    <span title={values[0] ? "Of the model, on held-out rows" : "Of the best trial so far"}>
      {score(value)} <small>{metric}</small>
    </span>
  );
}

/** By id; of the latest, which most runs are of. */
function useDatasetNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ["datasets", "offered"],
    queryFn: ({ signal }) => client.datasets.list.query({ limit: 200 }, { signal }),
  });
  return new Map(data?.datasets.map(({ dataset_id, name }) => [dataset_id, name]));
}
