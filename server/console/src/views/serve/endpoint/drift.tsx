/** How far the rows of an endpoint have drifted from what its models were trained on, column by column. */

import type { Outputs } from "@distillery/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { client } from "../../../api/client.ts";
import { Field } from "../../../ui/field.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { count, counted, figure, percent } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { ModelLink } from "../models.tsx";
import { Bins } from "./bins.tsx";
import type { Endpoint } from "./endpoint.ts";

type ModelDrift = Outputs["serving"]["drift"]["models"][number];
type Level = NonNullable<ModelDrift["level"]>;

const REFRESH_MS = 15_000;
const HOURS = { 1: "This hour", 24: "24 hours", 168: "7 days", 720: "30 days" } as const;
const LEVELS: Readonly<Record<Level, readonly [words: string, tone: string]>> = {
  none: ["none", "good"],
  moderate: ["moderate", "warn"],
  large: ["large", "bad"],
  too_few_rows: ["too few rows", ""],
  not_compared: ["not compared", ""],
};

export function DriftTab({ endpoint: { id } }: { readonly endpoint: Endpoint }) {
  const [query, setQuery] = useSearchParams();
  const asked = Number(query.get("hours") ?? 24);
  const hours = asked in HOURS ? asked : 24;
  const { data, error, refetch } = useQuery({
    queryKey: ["endpoint", id, "drift", hours],
    queryFn: ({ signal }) => client.serving.drift.query({ endpoint_id: id, hours }, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <div className="form-line">
        <Field label="Rows of">
          {(control) => (
            <select
              {...control}
              value={hours}
              onChange={(event) => setQuery({ tab: "drift", hours: event.target.value })}
            >
              {Object.entries(HOURS).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {error && <ProblemNote error={error} retry={() => void refetch()} />}
      {data?.models.map((model) => <Model key={model.model_id} model={model} />) ??
        (error ? null : <Loading />)}
    </>
  );
}

function Model({ model }: { readonly model: ModelDrift }) {
  const { model_id, unavailable, rows, training_rows, level, columns, predictions } = model;
  const [query] = useSearchParams();
  const chosen = query.get("model") === model_id ? query.get("column") : null;
  const all = [
    ...predictions.map((each) => ({ ...each, id: `prediction:${each.name}`, column: null })),
    ...columns.map((each) => ({ ...each, id: each.name, column: each })),
  ];
  const shown = all.find(({ id }) => id === chosen);
  const linkTo = (column: string): string => {
    const next = new URLSearchParams(query);
    next.set("model", model_id);
    next.set("column", column);
    return `?${next}`;
  };
  return (
    <Card
      title={<ModelLink reference={model_id} id={model_id} />}
      actions={level && <LevelMark of={level} />}
    >
      {unavailable !== null ? (
        <p>{unavailable}</p>
      ) : (
        <>
          <p className="note">
            {counted(rows, "row")} answered, compared with {count(training_rows ?? 0)} of training.
            Columns that the model relies on most come first.
          </p>
          {shown && (
            <section className="chosen-column" aria-label={`Distribution of ${shown.name}`}>
              <h3>
                <Text of={shown.name} />
              </h3>
              <Bins bins={shown.bins} kind={shown.kind} />
            </section>
          )}
          <DataTable
            caption="Drift by column"
            items={all}
            keyOf={({ id }) => id}
            columns={[
              {
                head: "Column",
                cell: ({ id, name, column }) => (
                  <Link to={linkTo(id)} aria-current={id === chosen || undefined}>
                    <Text of={name} most={60} />
                    {column === null && " (prediction)"}
                  </Link>
                ),
              },
              { head: "Drift", cell: ({ level: of }) => <LevelMark of={of} /> },
              {
                head: "Index",
                cell: ({ psi }) => (psi === null ? "–" : figure(Number(psi.toPrecision(3)))),
                isNumber: true,
              },
              {
                head: "Missing (in training)",
                cell: ({ column }) =>
                  column ? shareOf(column.missing, column.missing_in_training) : "–",
                isNumber: true,
              },
              {
                head: "Outside (in training)",
                cell: ({ column }) =>
                  column ? shareOf(column.outside, column.outside_in_training) : "–",
                isNumber: true,
              },
            ]}
          />
        </>
      )}
    </Card>
  );
}

const one = (value: number | null): string => (value === null ? "–" : percent(value, 1));
const shareOf = (now: number | null, before: number | null): string =>
  `${one(now)} (${one(before)})`;

function LevelMark({ of }: { readonly of: Level }) {
  const [words, tone] = LEVELS[of];
  return <span className={`status ${tone}`}>{words}</span>;
}
