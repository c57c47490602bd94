/** What comes next, as far ahead as is asked, and how such forecasts did when they were tested. */

import type { Outputs } from "@distillery/client";
import {
  autocorrelationSpec,
  fanSpec,
  figure,
  percent,
  plural,
  seasonalSpec,
  seriesErrorsSpec,
  shortened,
  stampText,
  stepErrorsSpec,
  windowsSpec,
} from "@distillery/engine/charts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { ask } from "../../api/client.ts";
import { ChartView } from "../../ui/chart.tsx";
import { Field } from "../../ui/field.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import type { RunReport, TrainedModel } from "./queries.ts";
import { FigureCard, Figures } from "./report/figure-card.tsx";
import { WithReport } from "./report/with-report.tsx";
import { type Step, stepsBySeries } from "./series-steps.ts";

type Section = NonNullable<RunReport["forecasts"]>;

/** Forecasts of more series are asked for by the API. */
const LIVE_SERIES = 50;
const RANKS = {
  hardest: "The hardest series",
  median: "The median series",
  easiest: "The easiest series",
  only: "When it was tested",
} as const;

export function Forecasts({ model }: { readonly model: TrainedModel }) {
  return (
    <WithReport model={model}>
      {(report) =>
        report.forecasts && (
          <>
            {report.forecasts.series <= LIVE_SERIES && (
              <Live model={model} report={report} section={report.forecasts} />
            )}
            <Checked report={report} section={report.forecasts} />
          </>
        )
      }
    </WithReport>
  );
}

interface Props {
  readonly report: RunReport;
  readonly section: Section;
}

/** Asked of the model itself: the next steps of a series, behind the end of what it was trained on. */
function Live({ model, report, section }: Props & { readonly model: TrainedModel }) {
  const [horizon, setHorizon] = useState(section.horizon);
  const [params, setParams] = useSearchParams();
  const series = params.get("series");
  const choose = (chosen: string): void =>
    setParams(
      (before) => {
        before.set("series", chosen);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  const asked = useDeferredValue(horizon);
  const { data, error } = useQuery({
    queryKey: ["forecasts", model.id, asked],
    queryFn: ({ signal }) =>
      ask<Outputs["models"]["predict"]>(`/v1/models/${model.id}/predict`, {
        method: "POST",
        body: { horizon: asked },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const coverage = Number(report.run.config["coverage"] ?? 0.9);
  const bySeries = useMemo(
    () => stepsBySeries(data?.predictions ?? [], coverage),
    [data, coverage],
  );
  const names = [...bySeries.keys()];
  // One whose past the report shows, where nobody has chosen.
  const shown = names.find((each) => section.shown.some((one) => one.name === each));
  const name = series !== null && bySeries.has(series) ? series : (shown ?? names[0] ?? "");
  const forecast = bySeries.get(name) ?? [];
  const label = shortened(report.run.label, 40);
  const known = section.shown.find((shown) => shown.name === name || section.series === 1);
  const says = `The next ${plural(asked, "step")}${lengthOf(section)}. The band should hold ${percent(coverage, 0)} of what comes.`;
  return (
    <Card title={`What comes next${name === "" ? "" : `: ${shortened(name, 60)}`}`}>
      <div className="form-row">
        <Field
          label={`Steps ahead: ${horizon}`}
          hint={lengthOf(section) === "" ? undefined : `${lengthOf(section).trim()} each`}
        >
          {(control) => (
            <input
              {...control}
              type="range"
              min={1}
              max={section.horizon}
              value={horizon}
              onChange={({ target }) => setHorizon(target.valueAsNumber)}
            />
          )}
        </Field>
        {names.length > 1 && (
          <Field label="Series">
            {(control) => (
              <select {...control} value={name} onChange={({ target }) => choose(target.value)}>
                {names.map((each) => (
                  <option key={each} value={each}>
                    {shortened(each, 80)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      {error && <ProblemNote error={error} />}
      {forecast.length === 0 ? (
        error === null && <Loading label="Forecasting" />
      ) : (
        <>
          <p className="note">{says}</p>
          <ChartView
            label={says}
            chart={fanSpec(
              {
                name,
                rank: "only",
                mae: 0,
                mase: 0,
                count: 0,
                history: known?.history ?? [],
                backtest: known?.backtest ?? [],
                forecast,
              },
              { isTime: section.isTime, label },
            )}
            table={<Steps caption={`Forecasts of ${label}`} steps={forecast} section={section} />}
          />
        </>
      )}
      {section.knownAhead.length > 0 && (
        <p className="note">
          {shortened(section.knownAhead.join(", "), 120)} would be known ahead, and is missing here:
          a request tells it under <code>future</code>.
        </p>
      )}
    </Card>
  );
}

function Steps({
  caption,
  steps,
  section,
}: {
  readonly caption: string;
  readonly steps: readonly Step[];
  readonly section: Section;
}) {
  const ranges = steps[0]?.ranges.map(({ coverage }) => percent(coverage, 0)) ?? [];
  return (
    <Figures
      caption={caption}
      heads={["Step", "Forecast", ...ranges]}
      rows={steps.map(({ time, value, ranges: own }) => [
        stampText(time, section.isTime),
        figure(value),
        ...own.map(({ low, high }) => `${figure(low)} … ${figure(high)}`),
      ])}
    />
  );
}

/** How the forecasts were tested, and what came of it. */
function Checked({ report, section }: Props) {
  const label = shortened(report.run.label, 40);
  const of = section.series > 1 ? "mase" : "mae";
  return (
    <div className="columns">
      {section.shown.map((shown) => (
        <FigureCard
          key={`${shown.rank} ${shown.name}`}
          title={
            shown.rank === "only"
              ? RANKS.only
              : `${RANKS[shown.rank]}: ${shortened(shown.name, 60)}`
          }
          says={`When it was tested, forecasts missed ${label} by ${figure(shown.mae)} on average (mase ${figure(shown.mase)}; 1 is as far as the value of a season ago).`}
          chart={fanSpec(shown, { isTime: section.isTime, label })}
          table={
            <Steps caption={`Forecasts of ${label}`} steps={shown.forecast} section={section} />
          }
        />
      ))}
      {section.windows.length > 0 && (
        <FigureCard
          title="How the forecasts were tested"
          says={`${plural(section.windows.length, "time")}, the model was given what lies before a window and forecast the window.`}
          chart={windowsSpec(section.windows, section.isTime)}
          table={
            <Figures
              caption="Windows of the backtest"
              heads={["Window", "Forecast", "Mean error", "mase"]}
              rows={section.windows.map(({ tested, mae, mase }, i) => [
                String(i + 1),
                `${stampText(tested.from, section.isTime)} … ${stampText(tested.to, section.isTime)}`,
                figure(mae),
                figure(mase),
              ])}
            />
          }
        />
      )}
      {section.bySteps.length > 1 && (
        <FigureCard
          title="Errors by how far ahead"
          says={`Mean absolute error by steps ahead${lengthOf(section).replace(" ", ", each ")}.`}
          chart={stepErrorsSpec(section.bySteps, of, of === "mase" ? of : `error of ${label}`)}
          table={
            <Figures
              caption="Errors by steps ahead"
              heads={["Steps ahead", "Mean error", "mase"]}
              rows={section.bySteps.map(({ from, to, mae, mase }) => [
                from === to ? String(from) : `${from} to ${to}`,
                figure(mae),
                figure(mase),
              ])}
            />
          }
        />
      )}
      {section.seasons.map((season) => (
        <FigureCard
          key={season.length}
          title={`The season of ${plural(season.length, "step")}`}
          says="How far each step of it usually lies from the level around it, with the middle half of the cases."
          chart={seasonalSpec(season, label)}
        />
      ))}
      {section.bySeries && (
        <FigureCard
          title="Errors by series"
          says={`Half of the series have a mase below ${figure(section.bySeries.median)}. On the dashed line forecasts miss by as much as the series usually changes.`}
          chart={seriesErrorsSpec(section.bySeries)}
          table={
            <Figures
              caption="The hardest series"
              heads={["Series", "mase", "Mean error"]}
              rows={section.bySeries.hardest.map(({ name, mase, mae }) => [
                shortened(name, 60),
                figure(mase),
                figure(mae),
              ])}
            />
          }
        />
      )}
      {section.autocorrelation && (
        <FigureCard
          title="What errors have left"
          says="How alike errors are that lie so many steps apart; noise stays in the grey band at 19 of 20 distances."
          chart={autocorrelationSpec(section.autocorrelation)}
        />
      )}
    </div>
  );
}

/** ` of 1 hour`; nothing where steps are numbered one by one. */
const lengthOf = ({ step }: { readonly step: string }): string =>
  /^"?1"?$/.test(step) ? "" : ` of ${step}`;
