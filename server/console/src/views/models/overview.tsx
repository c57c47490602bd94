/** The model's card: what it predicts, how well, by which members, and what to beware of. */

import {
  barsSpec,
  figure,
  percent,
  plural,
  score,
  scoreRangeSpec,
} from "@distillery/engine/charts";
import { ButtonLink } from "../../ui/button.tsx";
import { ChartView } from "../../ui/chart.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { Text } from "../../ui/text.tsx";
import { Warnings } from "../../ui/warnings.tsx";
import { type ModelCardDocument, type TrainedModel, useCard, useReport } from "./queries.ts";

/** Columns that are drawn; a longer list is under Explain. */
const COLUMNS = 10;

export function Overview({ model }: { readonly model: TrainedModel }) {
  const { data: card, error, refetch } = useCard(model.id);
  if (card === undefined) {
    return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const isTabular = card.inputs.length > 0 && !/^(forecast|sequence)/.test(card.task.kind);
  return (
    <>
      <Warnings of={card.warnings} most={600} />
      <Tiles model={model} card={card} />
      {isTabular && (
        <section className="card call-to">
          <div className="head">
            <div>
              <h2>Try it on a row</h2>
              <p className="note">
                Move the values of a row and watch the prediction follow, with the reasons.
              </p>
            </div>
            <ButtonLink look="main" to={{ search: "?tab=what-if" }}>
              What if…
            </ButtonLink>
          </div>
        </section>
      )}
      <div className="columns">
        <Importance card={card} />
        <Members card={card} />
      </div>
      <Scores model={model} card={card} />
      <Limits model={model} card={card} />
    </>
  );
}

interface CardProps {
  readonly card: ModelCardDocument;
}

function Tiles({ model, card }: CardProps & { readonly model: TrainedModel }) {
  const { data: report } = useReport(model.job_id);
  const [main] = card.scores;
  const baseline = main && report?.baseline[main.metric];
  const measured = card.uncertainty?.["measured"];
  const coverage = card.uncertainty?.["coverage"];
  return (
    <dl className="tiles">
      <div className="tile">
        <dt>Predicts</dt>
        <dd>
          <Text of={card.task.label} most={40} />
          <small>{card.task.title}</small>
        </dd>
      </div>
      {main && (
        <div className="tile">
          <dt>{main.metric}, held out</dt>
          <dd>
            {score(main.score)}
            <small>
              {baseline
                ? `with ${baseline.answer} alone: ${score(baseline.score)}`
                : `${main.better} is better`}
            </small>
          </dd>
        </div>
      )}
      {typeof measured === "number" && typeof coverage === "number" && (
        <div className="tile">
          <dt>Truth within its {card.uncertainty?.["kind"] === "set" ? "sets" : "intervals"}</dt>
          <dd>
            {percent(measured)}
            <small>{percent(coverage, 0)} were asked for</small>
          </dd>
        </div>
      )}
      <div className="tile">
        <dt>Learned from</dt>
        <dd>
          {plural(card.rows, card.task.kind.startsWith("sequence_") ? "sequence" : "row")}
          <small>{plural(card.inputs.length, "column")} read</small>
        </dd>
      </div>
    </dl>
  );
}

function Importance({ card }: CardProps) {
  const shown = card.importance.slice(0, COLUMNS).filter(({ importance }) => importance > 0);
  if (shown.length === 0) return null;
  const what =
    card.importance_by === "permutation"
      ? `how much worse ${card.scores[0]?.metric ?? "it"} gets when a column is shuffled`
      : "share of what the fits gained by each column";
  return (
    <Card title="What it relies on">
      <p className="note">By {what}.</p>
      <ChartView
        label={`The most important column is ${shown[0]!.column}`}
        chart={barsSpec(
          shown.map(({ column, importance, deviation }) => ({
            name: column,
            value: importance,
            deviation: deviation ?? undefined,
          })),
          "importance",
        )}
        table={
          <DataTable
            caption="Importance of columns"
            items={card.importance}
            keyOf={({ column }) => column}
            columns={[
              { head: "Column", cell: ({ column }) => <Text of={column} /> },
              { head: "Importance", cell: ({ importance }) => figure(importance), isNumber: true },
              { head: "±", cell: ({ deviation }) => figure(deviation), isNumber: true },
            ]}
          />
        }
      />
    </Card>
  );
}

function Members({ card }: CardProps) {
  return (
    <Card title={card.kind === "ensemble" && card.members.length > 1 ? "A blend of" : "Made of"}>
      <DataTable
        caption="Members"
        items={card.members}
        keyOf={({ family }) => family}
        columns={[
          { head: "Family", cell: ({ family }) => family.replaceAll("_", " ") },
          { head: "Fits", cell: ({ count }) => String(count), isNumber: true },
          { head: "Share of the answer", cell: ({ share }) => percent(share), isNumber: true },
        ]}
      />
      <p className="note">{card.answers}</p>
    </Card>
  );
}

function Scores({ model, card }: CardProps & { readonly model: TrainedModel }) {
  const byFold = foldScoresOf(model, card.scores[0]?.metric ?? "");
  return (
    <Card title="Scores on rows that it had not learned from">
      <p className="note">Held out by {card.validation}.</p>
      <DataTable
        caption="Scores"
        items={card.scores}
        keyOf={({ metric }) => metric}
        columns={[
          { head: "Metric", cell: ({ metric }) => metric },
          { head: "Score", cell: (each) => score(each.score), isNumber: true },
          {
            head: "Mean over folds",
            cell: ({ mean_over_folds }) => score(mean_over_folds),
            isNumber: true,
          },
          { head: "Better", cell: ({ better }) => better },
        ]}
      />
      {byFold.length > 1 && (
        <>
          <p className="note">
            {byFold.some(({ interval }) => interval !== null)
              ? "By fold, its members by themselves: the mean of them as a dot, from the lowest to the highest as a line."
              : "By fold, its member by itself."}{" "}
            The scores above are of the whole choice: what answers each fold was chosen and weighed
            by the others alone, so they may be worse than those of each fold.
          </p>
          <ChartView
            label={`${card.scores[0]?.metric} of its members in each fold`}
            chart={scoreRangeSpec(byFold, `${card.scores[0]?.metric} by fold`)}
          />
        </>
      )}
    </Card>
  );
}

/** Of all members' folds: how much the score moves from fold to fold, and from member to member. */
function foldScoresOf({ card }: TrainedModel, metric: string) {
  const all = card?.["scoresByFold"];
  if (!Array.isArray(all)) return [];
  const entries = all as readonly {
    readonly trial: number;
    readonly fold: number;
    readonly scores: Readonly<Record<string, number | null>>;
  }[];
  const folds = new Map<number, number[]>();
  for (const { fold, scores } of entries) {
    const value = scores[metric];
    if (typeof value === "number") folds.set(fold, [...(folds.get(fold) ?? []), value]);
  }
  return [...folds].map(([fold, values]) => ({
    name: `fold ${fold + 1}`,
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    interval: values.length > 1 ? ([Math.min(...values), Math.max(...values)] as const) : null,
  }));
}

function Limits({ model, card }: CardProps & { readonly model: TrainedModel }) {
  return (
    <div className="columns">
      <Card title="What it should not be trusted with">
        <ul>
          {card.limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </Card>
      <Card title="Notes">
        {model.notes === "" ? (
          <p className="note">Nobody has written any. They are added under Name and notes.</p>
        ) : (
          <p className="pre-line">
            <bdi>{model.notes}</bdi>
          </p>
        )}
        {Object.entries(model.tags).length > 0 && (
          <dl className="facts">
            {Object.entries(model.tags).map(([key, value]) => (
              <div key={key} className="contents">
                <dt>
                  <Text of={key} most={60} />
                </dt>
                <dd>
                  <Text of={value} most={200} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Card>
    </div>
  );
}
