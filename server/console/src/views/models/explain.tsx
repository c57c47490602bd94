/** What the model relies on over all rows: SHAP values, how each column moves predictions, importance. */

import {
  barsSpec,
  beeswarmSpec,
  type Chart,
  figure,
  percent,
  plural,
  SERIES,
  shortened,
} from "@distillery/engine/charts";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { ButtonLink } from "../../ui/button.tsx";
import { ChartView } from "../../ui/chart.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { isolated } from "../../ui/text.tsx";
import { valueAt } from "./column-values.ts";
import type { RunReport, TrainedModel } from "./queries.ts";
import { Dependence } from "./report/dependence.tsx";
import { FigureCard, Figures } from "./report/figure-card.tsx";
import { WithReport } from "./report/with-report.tsx";

type Explanation = NonNullable<RunReport["explanation"]>;

const BARS = 20;
/** Columns of the beeswarm; the others matter less. */
const SWARMS = 20;

export function Explain({ model }: { readonly model: TrainedModel }) {
  return (
    <WithReport model={model}>
      {(report) => (
        <>
          {!report.explanation && !/^(forecast|sequence)/.test(report.run.task) && (
            <p className="note">
              The run had no time left to explain rows, so what moves predictions is not shown here.
              Under What-if each row is explained as it is asked; a run with more time explains
              many.
            </p>
          )}
          {report.explanation && <Swarm report={report} explanation={report.explanation} />}
          {report.explanation && <Moves report={report} explanation={report.explanation} />}
          <Dependence report={report} />
          <Importances report={report} />
        </>
      )}
    </WithReport>
  );
}

interface ExplanationProps {
  readonly report: RunReport;
  readonly explanation: Explanation;
}

const UNITS: Readonly<Record<string, string>> = {
  probability: "in probability",
  logit: "in log-odds",
  log_softmax: "in the class's margin",
};

const unitOf = ({ space }: Explanation, { run }: RunReport): string =>
  UNITS[space === "identity" && run.classes.length > 0 ? "probability" : space] ??
  `in units of ${shortened(run.label, 40)}`;

/** What the colours of the dots say: values of categories and texts have no order, and grey dots. */
function heatOf(columns: Explanation["columns"]): string {
  const values = columns.flatMap(({ points }) => points.map(({ value }) => value));
  const ordered = values.some((value) => value !== null);
  const grey = values.includes(null);
  if (!ordered) return "";
  const heat = " Orange dots have high values of the column, blue ones low";
  return grey ? `${heat}; grey ones have values without an order.` : `${heat}.`;
}

function Swarm({ report, explanation }: ExplanationProps) {
  const { columns, rows, of } = explanation;
  const shown = columns.slice(0, SWARMS);
  const whose = shortened(of ?? report.run.label, 60);
  return (
    <FigureCard
      title="What moves predictions"
      says={`A dot is one row: how far the column moved its prediction of ${whose}, ${unitOf(explanation, report)}.${heatOf(shown)} The columns that move most stand first, by ${plural(rows, "row")}.`}
      chart={beeswarmSpec(shown, "contribution")}
      table={
        <Figures
          caption="Mean absolute contributions"
          heads={["Column", "Mean |contribution|"]}
          rows={columns.map(({ column, size }) => [shortened(column, 60), figure(size)])}
        />
      }
    />
  );
}

function Moves({ report, explanation }: ExplanationProps) {
  const [params, setParams] = useSearchParams();
  const columns = explanation.columns.filter(({ points }) =>
    points.some(({ value }) => value !== null),
  );
  const wanted = params.get("column");
  const chosen = columns.find(({ column }) => column === wanted) ?? columns[0];
  const known = report.data.columns.find(({ name }) => name === chosen?.column);
  const chart = useMemo(
    () => (chosen === undefined ? null : movesSpec(chosen, known)),
    [chosen, known],
  );
  if (chosen === undefined || chart === null) return null;
  const choose = (column: string): void => {
    const after = new URLSearchParams(params);
    after.set("column", column);
    setParams(after, { replace: true });
  };
  const says = `What values of ${shortened(chosen.column, 60)} do to predictions, ${unitOf(explanation, report)}: a dot is one row. Where dots of one value lie apart, the other columns of the row matter too.`;
  return (
    <Card
      title="How one column moves them"
      actions={
        <label className="row">
          <span className="note">Column</span>
          <select value={chosen.column} onChange={({ target }) => choose(target.value)}>
            {columns.map(({ column }) => (
              <option key={column} value={column}>
                {isolated(column)}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <p className="note">{says}</p>
      <ChartView chart={chart} label={says} />
      <ButtonLink to={{ search: "?tab=what-if" }}>Try it on a row</ButtonLink>
    </Card>
  );
}

/** Contributions by the values of the column; rows know their place in it, which its histogram turns back. */
function movesSpec(
  { column, points }: Explanation["columns"][number],
  known: RunReport["data"]["columns"][number] | undefined,
): Chart {
  const histogram = known?.numbers?.histogram;
  const isTime = known?.kind === "timestamp";
  const numbers = known?.numbers;
  // Between edges a histogram does not know that a column has whole numbers alone.
  const isWhole =
    numbers !== undefined &&
    [numbers.min, numbers.max].every(Number.isInteger) &&
    known !== undefined &&
    known.distinct <= numbers.max - numbers.min + 1;
  const placed = (place: number): number => {
    if (histogram === undefined) return 100 * place;
    const value = valueAt(histogram, place);
    return isWhole ? Math.round(value) : value;
  };
  const values = points.flatMap(({ contribution, value }) =>
    value === null ? [] : [{ contribution, value: placed(value) }],
  );
  const x = {
    field: "value",
    type: isTime ? "temporal" : "quantitative",
    title: histogram ? column : `${column}: percent of rows below`,
    scale: { zero: false },
    axis: { grid: false, tickCount: 6 },
  } as const;
  return {
    legend: [],
    spec: {
      height: 280,
      layer: [
        {
          data: { values: [{ at: 0 }] },
          mark: { type: "rule", color: "var(--axis)" },
          encoding: { y: { field: "at", type: "quantitative" } },
        },
        {
          data: { values },
          mark: { type: "circle", size: 18, opacity: 0.65, color: SERIES[0] },
          encoding: {
            x,
            y: { field: "contribution", type: "quantitative", title: "contribution" },
          },
        },
      ],
    },
  };
}

function Importances({ report }: { readonly report: RunReport }) {
  const { permutation, gain } = report.importance;
  const [metric] = report.run.metrics;
  const shuffled = permutation.slice(0, BARS).filter(({ importance }) => importance !== 0);
  const gained = gain.slice(0, BARS).filter(({ importance }) => importance > 0);
  if (shuffled.length === 0 && gained.length === 0 && !report.explanation) {
    return (
      <Empty title="Nothing to rank">
        <p>The run measured no importance of columns.</p>
      </Empty>
    );
  }
  return (
    <div className="columns">
      {shuffled.length > 0 && metric && (
        <FigureCard
          title="Permutation importance"
          says={`How much worse ${metric.name} gets on held-out rows when a column is shuffled; whiskers are one standard deviation.`}
          chart={barsSpec(
            shuffled.map(({ column, importance, deviation }) => ({
              name: column,
              value: importance,
              deviation,
            })),
            `${metric.direction === "minimize" ? "rise" : "fall"} of ${metric.name}`,
          )}
          table={
            <Figures
              caption="Permutation importance"
              heads={["Column", "Importance", "±"]}
              rows={permutation.map(({ column, importance, deviation }) => [
                shortened(column, 60),
                figure(importance),
                figure(deviation),
              ])}
            />
          }
        />
      )}
      {gained.length > 0 && (
        <FigureCard
          title="Importance by the fits themselves"
          says="Share of what the fits gained by each column, on training rows."
          chart={barsSpec(
            gained.map(({ column, importance }) => ({ name: column, value: importance })),
            "share",
            SERIES[6],
          )}
          table={
            <Figures
              caption="Importance by the fits themselves"
              heads={["Column", "Share"]}
              rows={gain.map(({ column, importance }) => [
                shortened(column, 60),
                percent(importance),
              ])}
            />
          }
        />
      )}
    </div>
  );
}
