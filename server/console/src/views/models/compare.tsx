/** Two models side by side: scores, what they rely on, and what differs in their data and settings. */

import { barsSpec, percent, plural, score, shortened } from "@distillery/engine/charts";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useScope } from "../../api/session.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ChartView } from "../../ui/chart.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card, Empty, Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { EvaluateDialog } from "./actions/evaluate-dialog.tsx";
import { differencesOf } from "./differences.ts";
import { EvaluationCard, useEvaluations } from "./evaluations.tsx";
import { HeldOut } from "./held-out.tsx";
import { type ModelCardDocument, useCard } from "./queries.ts";

const PATH = [{ to: "/models", label: "Models" }];
const COLUMNS = 8;

export function Compare() {
  const [params] = useSearchParams();
  const [first, second] = (params.get("models") ?? "").split(",").filter((id) => id !== "");
  return (
    <Page title="Two models side by side" path={PATH}>
      {first === undefined || second === undefined ? (
        <Empty
          title="Two models are needed"
          action={<ButtonLink to="/models">Choose two on the leaderboard</ButtonLink>}
        />
      ) : (
        <Pair first={first} second={second} />
      )}
    </Page>
  );
}

function Pair({ first, second }: { readonly first: string; readonly second: string }) {
  const one = useCard(first);
  const other = useCard(second);
  const mayEvaluate = useScope("models:write");
  const [isAsking, setAsking] = useState(false);
  const error = one.error ?? other.error;
  if (error) return <ProblemNote error={error} />;
  if (one.data === undefined || other.data === undefined) return <Loading />;
  const cards: readonly [ModelCardDocument, ModelCardDocument] = [one.data, other.data];
  return (
    <>
      <Heads cards={cards} />
      <Scores cards={cards} />
      <Card
        title="On the same held-out rows (paired bootstrap)"
        actions={
          mayEvaluate && <Button onClick={() => setAsking(true)}>Compare on a dataset</Button>
        }
      >
        {one.data.dataset?.hash === other.data.dataset?.hash ? (
          <HeldOut first={first} second={second} />
        ) : (
          <p className="note">
            They learned from different data, so no row was held out by both. On a dataset that
            neither has learned from, a paired bootstrap tells whether one is really better.
          </p>
        )}
      </Card>
      <Evaluated models={[first, second]} />
      <div className="columns">
        {cards.map((card, place) => (
          <Relied key={card.id} card={card} place={place} />
        ))}
      </div>
      <Differences cards={cards} />
      {isAsking && <EvaluateDialog models={[first, second]} onClose={() => setAsking(false)} />}
    </>
  );
}

interface CardsProps {
  readonly cards: readonly [ModelCardDocument, ModelCardDocument];
}

function Heads({ cards }: CardsProps) {
  return (
    <dl className="tiles">
      {cards.map((card, place) => (
        <div className="tile" key={card.id}>
          <dt>Model {place + 1}</dt>
          <dd>
            <Link to={`/models/${card.id}`}>
              <Text of={card.name} most={60} />
              {card.version !== null && `@${card.version}`}
            </Link>
            <small>
              {card.task.title} of {shortened(card.task.label, 40)} from {plural(card.rows, "row")}
            </small>
            <small>
              {card.members
                .map(({ family, share }) => `${family.replaceAll("_", " ")} ${percent(share, 0)}`)
                .join(", ")}
            </small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Scores({ cards: [one, other] }: CardsProps) {
  const others = new Map(other.scores.map((each) => [each.metric, each]));
  const sameRows =
    one.dataset?.hash === other.dataset?.hash &&
    one.validation === other.validation &&
    one.task.label === other.task.label;
  const shared = one.scores.filter(({ metric }) => others.has(metric));
  return (
    <Card title="Held-out scores">
      {!sameRows && (
        <p className="note">
          They were trained on other data, or held out in another way: these scores are not of the
          same rows.
        </p>
      )}
      {shared.length === 0 ? (
        <p>They have no metric in common.</p>
      ) : (
        <DataTable
          caption="Held-out scores"
          items={shared}
          keyOf={({ metric }) => metric}
          columns={[
            { head: "Metric", cell: ({ metric }) => metric },
            { head: "Model 1", cell: (each) => score(each.score), isNumber: true },
            {
              head: "Model 2",
              cell: ({ metric }) => score(others.get(metric)?.score),
              isNumber: true,
            },
            // Of other rows or another task neither is better.
            ...(sameRows
              ? [
                  {
                    head: "Ahead",
                    cell: (each: ModelCardDocument["scores"][number]) =>
                      aheadOf(each, others.get(each.metric)?.score ?? null),
                  },
                ]
              : []),
          ]}
        />
      )}
    </Card>
  );
}

function aheadOf(
  { score: own, better }: ModelCardDocument["scores"][number],
  other: number | null,
): string {
  if (own === null || other === null) return "–";
  if (own === other) return "both";
  return own < other === (better === "lower") ? "model 1" : "model 2";
}

function Evaluated({ models }: { readonly models: readonly string[] }) {
  const { evaluations = [], error } = useEvaluations(models);
  if (error) return <ProblemNote error={error} />;
  return evaluations.map((evaluation) => (
    <EvaluationCard key={evaluation.job_id} evaluation={evaluation} />
  ));
}

function Relied({ card, place }: { readonly card: ModelCardDocument; readonly place: number }) {
  const shown = card.importance.slice(0, COLUMNS).filter(({ importance }) => importance > 0);
  if (shown.length === 0) return null;
  return (
    <Card title={`What model ${place + 1} relies on`}>
      <ChartView
        label={`The most important column of model ${place + 1} is ${shown[0]?.column}`}
        chart={barsSpec(
          shown.map(({ column, importance, deviation }) => ({
            name: column,
            value: importance,
            deviation: deviation ?? undefined,
          })),
          card.importance_by === "permutation" ? "permutation importance" : "share of the gain",
        )}
      />
    </Card>
  );
}

function Differences({ cards: [one, other] }: CardsProps) {
  const rows = differencesOf(settingsOf(one), settingsOf(other));
  return (
    <Card title="What differs">
      {rows.length === 0 ? (
        <p className="note">Data and settings are the same.</p>
      ) : (
        <DataTable
          caption="Differences in data and settings"
          items={rows}
          keyOf={({ name }) => name}
          columns={[
            { head: "Setting", cell: ({ name }) => name },
            { head: "Model 1", cell: (row) => <Text of={row.one} most={200} /> },
            { head: "Model 2", cell: (row) => <Text of={row.other} most={200} /> },
          ]}
        />
      )}
    </Card>
  );
}

/** What a run noted of its time, so that it can be repeated; nobody has set it. */
const BY_THE_CLOCK = new Set([
  "fitsCut",
  "importanceCut",
  "rowsAllowed",
  "trialsAllowed",
  "trialsAsked",
]);

const settingsOf = (card: ModelCardDocument): Readonly<Record<string, unknown>> => ({
  data: {
    name: card.dataset?.name,
    hash: card.dataset?.hash?.slice(0, 16),
    rows: card.rows,
    columns: card.inputs.map(({ column }) => column),
  },
  validation: card.validation,
  ...Object.fromEntries(Object.entries(card.config).filter(([name]) => !BY_THE_CLOCK.has(name))),
});
