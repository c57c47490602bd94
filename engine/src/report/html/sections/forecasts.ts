/** Forecasts with their ranges, and how they were checked: windows, errors, seasons, what errors have left. */

import type { RunReport } from "../../document.ts";
import type { ForecastsSection } from "../../forecast-document.ts";
import { autocorrelationSpec } from "../charts/autocorrelation.ts";
import { draw } from "../charts/draw.ts";
import { fanSpec } from "../charts/fan.ts";
import { seriesErrorsSpec, stepErrorsSpec } from "../charts/forecast-errors.ts";
import { seasonalSpec } from "../charts/seasonal.ts";
import { placeOf, stampText } from "../charts/time-axis.ts";
import { windowsFrom, windowsSpec } from "../charts/windows.ts";
import { figure, type Section, type TableOf } from "../figure.ts";
import { figure as number, percent, plural, shortened } from "../format.ts";
import { type Html, html } from "../markup.ts";

/** The JSON has all. */
const SERIES_ROWS = 50;

type Shown = ForecastsSection["shown"][number];

/** Errors of series that differ in size are compared by it. */
const MASE =
  "mase is the error over the usual change of the series: below 1, a forecast misses by less than it changes from one season to the next";

const RANKS: Readonly<Record<Shown["rank"], string>> = {
  hardest: "The hardest series",
  median: "A series in the middle",
  easiest: "The easiest series",
  only: "The forecast",
};

export async function forecastsSection(report: RunReport): Promise<Section | null> {
  const { forecasts } = report;
  if (!forecasts) return null;
  const label = shortened(report.run.label, 40);
  const cards = [
    ...(await Promise.all(forecasts.shown.map((shown) => fanCard(forecasts, shown, label)))),
    ...(await Promise.all(forecasts.seasons.map((season) => seasonCard(forecasts, season, label)))),
    ...(await checkCards(report, forecasts, label)),
  ];
  if (cards.length === 0) return null;
  return {
    id: "forecasts",
    title: "Forecasts",
    content: html`<p class="note">${plural(forecasts.horizon, "step")} of ${forecasts.step} ahead${
      forecasts.gap > 0 ? `, from ${plural(forecasts.gap, "step")} after the last known one on` : ""
    }${forecasts.series > 1 ? `, of ${plural(forecasts.series, "series", "series")}` : ""}.${
      forecasts.series > 1 ? ` ${MASE}.` : ""
    }</p><div class="grid">${cards}</div>`,
  };
}

function fanCard(
  { isTime, knownAhead }: ForecastsSection,
  shown: Shown,
  label: string,
): Promise<Html> {
  const { name, rank, mae, mase, history, backtest, forecast } = shown;
  const whose = rank === "only" ? label : shortened(name, 60);
  const coverages = forecast[0]?.ranges.map(({ coverage }) => percent(coverage, 0)) ?? [];
  const bands =
    coverages.length === 0
      ? ""
      : ` The bands should hold ${coverages.join(", ")} of what comes; the darker, the likelier.`;
  const without =
    forecast.length > 0 && knownAhead.length > 0
      ? ` What is known ahead (${shortened(knownAhead.join(", "), 80)}) was not at hand here, so the forecast of what comes had to do without.`
      : "";
  const unknown =
    forecast.length === 0
      ? " What comes is not drawn: there was no time left to forecast it here."
      : "";
  return draw(fanSpec(shown, { isTime, label })).then((chart) =>
    figure({
      title: rank === "only" ? RANKS[rank] : `${RANKS[rank]}: ${shortened(name, 60)}`,
      says: `When it was tested, forecasts missed ${label} by ${number(mae)} on average (mase ${number(mase)}).${
        history.length > 0 ? ` The last ${plural(history.length, "known step")} are drawn.` : ""
      }${bands}${without}${unknown}`,
      chart,
      table:
        forecast.length > 0
          ? {
              caption: `Forecasts of ${whose}`,
              columns: [
                { head: "Step" },
                { head: "Forecast", numeric: true },
                ...coverages.map((head) => ({ head, numeric: true })),
              ],
              rows: forecast.map(({ time, value, ranges }) => [
                stampText(time, isTime),
                number(value),
                ...ranges.map(({ low, high }) => `${number(low)} … ${number(high)}`),
              ]),
            }
          : {
              caption: `Forecasts of the backtest of ${whose}`,
              columns: [{ head: "Step" }, { head: "Forecast", numeric: true }],
              rows: backtest.flatMap((points) =>
                points.map(([time, value]) => [stampText(time, isTime), number(value)]),
              ),
            },
    }),
  );
}

function seasonCard(
  { series }: ForecastsSection,
  season: ForecastsSection["seasons"][number],
  label: string,
): Promise<Html> {
  const { places, relative, length } = season;
  const high = places.reduce((a, b) => (b.mean > a.mean ? b : a));
  const low = places.reduce((a, b) => (b.mean < a.mean ? b : a));
  const shown = (value: number): string => (relative ? percent(value) : number(value));
  const named = (name: string): string => (/^\d+$/.test(name) ? `step ${name}` : name);
  return draw(seasonalSpec(season, label)).then((chart) =>
    figure({
      title: `The season of ${plural(length, "step")}`,
      says: `How far each step of it usually lies from the level around it${
        relative
          ? `, as a share of the mean size of its series (${season.series < series ? `${season.series} of ${series}` : season.series} series together)`
          : ""
      }: highest at ${named(high.name)}, lowest at ${named(low.name)}. ${
        places.length <= 31 ? "Whiskers are" : "The band is"
      } the middle half of the cases.`,
      chart,
      table: {
        caption: `The season of ${plural(length, "step")}`,
        columns: [
          { head: "Place" },
          { head: "Mean", numeric: true },
          { head: "Middle half", numeric: true },
        ],
        rows: places.map(({ name, mean, low: from, high: to }) => [
          name,
          shown(mean),
          `${shown(from)} … ${shown(to)}`,
        ]),
      },
    }),
  );
}

async function checkCards(
  report: RunReport,
  forecasts: ForecastsSection,
  label: string,
): Promise<Html[]> {
  return [
    ...(forecasts.windows.length > 0 ? [await windowsCard(forecasts)] : []),
    ...(forecasts.bySteps.length > 1 ? [await stepsCard(forecasts, label)] : []),
    ...(forecasts.bySeries ? [await seriesCard(report, forecasts, forecasts.bySeries)] : []),
    ...(forecasts.autocorrelation ? [await autocorrelationCard(forecasts.autocorrelation)] : []),
  ];
}

async function windowsCard({
  windows,
  windowsOf,
  endsDiffer,
  isTime,
  gap,
  series,
}: ForecastsSection): Promise<Html> {
  const [{ learned }] = windows;
  const isCut = windowsFrom(windows, isTime) > placeOf(learned.from, isTime);
  return figure({
    title: "How the forecasts were tested",
    says: `${plural(windows.length, "time")}, the model was given what lies before a window and forecast the window.${
      gap > 0 ? ` Between the two lies a gap of ${plural(gap, "step")}.` : ""
    }${isCut ? ` It learned from ${stampText(learned.from, isTime)} on, further left than is drawn.` : ""}${
      series > 1 && endsDiffer
        ? ` Drawn for the longest series, ${shortened(windowsOf, 60)}; those of each other end where it ends.`
        : ""
    }`,
    chart: await draw(windowsSpec(windows, isTime)),
    table: {
      caption: "Windows of the backtest",
      columns: [
        { head: "Window", numeric: true },
        { head: "Learned from" },
        { head: "Forecast" },
        ...(series > 1 ? [{ head: "Series", numeric: true }] : []),
        { head: "Mean error", numeric: true },
        { head: "mase", numeric: true },
      ],
      rows: windows.map((window, i) => [
        i + 1,
        `${stampText(window.learned.from, isTime)} … ${stampText(window.learned.to, isTime)}`,
        `${stampText(window.tested.from, isTime)} … ${stampText(window.tested.to, isTime)}`,
        ...(series > 1 ? [window.series] : []),
        number(window.mae),
        number(window.mase),
      ]),
    },
  });
}

async function stepsCard(
  { bySteps, series, step }: ForecastsSection,
  label: string,
): Promise<Html> {
  const of = series > 1 ? "mase" : "mae";
  const [first, last] = [bySteps[0], bySteps[bySteps.length - 1]];
  const stretch = ({ from, to }: (typeof bySteps)[number]): string =>
    from === to ? String(from) : `${from} to ${to}`;
  return figure({
    title: "Errors by how far ahead",
    says: `Mean absolute error ${series > 1 ? "over the usual change of each series (mase)" : `of ${label}`} by steps ahead, each of ${step}: ${number(first[of])} at ${stretch(first)}, ${number(last[of])} at ${stretch(last)}.`,
    chart: await draw(stepErrorsSpec(bySteps, of, series > 1 ? "mase" : `error of ${label}`)),
    table: {
      caption: "Errors by steps ahead",
      columns: [
        { head: "Steps ahead" },
        { head: "Mean error", numeric: true },
        { head: "mase", numeric: true },
        { head: "Forecasts", numeric: true },
      ],
      rows: bySteps.map((each) => [
        stretch(each),
        number(each.mae),
        number(each.mase),
        number(each.count),
      ]),
    },
  });
}

async function seriesCard(
  { seriesScores }: RunReport,
  { scored, series }: ForecastsSection,
  spread: NonNullable<ForecastsSection["bySeries"]>,
): Promise<Html> {
  const { beyond, median, hardest } = spread;
  return figure({
    title: "Errors by series",
    says: `${scored < series ? `Of the ${scored} of ${series} series that could be tested` : `Of ${scored} series`}, half have a mase below ${number(median)}. On the dashed line forecasts miss by as much as the series usually changes.${
      beyond > 0
        ? ` ${plural(beyond, "series lies", "series lie")} further right than is drawn.`
        : ""
    }`,
    chart: await draw(seriesErrorsSpec(spread)),
    table: seriesTable(seriesScores, hardest),
  });
}

/** By all metrics where they are known. */
function seriesTable(
  scores: RunReport["seriesScores"],
  hardest: NonNullable<ForecastsSection["bySeries"]>["hardest"],
): TableOf {
  const caption = "The hardest series";
  if (!scores || scores.series.length === 0) {
    return {
      caption,
      columns: [
        { head: "Series" },
        { head: "mase", numeric: true },
        { head: "Mean error", numeric: true },
      ],
      rows: hardest.map(({ name, mase, mae }) => [shortened(name, 60), number(mase), number(mae)]),
    };
  }
  const metrics = Object.keys(scores.series[0].scores);
  return {
    caption,
    columns: [{ head: "Series" }, ...metrics.map((head) => ({ head, numeric: true }))],
    rows: scores.series
      .slice(0, SERIES_ROWS)
      .map(({ name, scores: own }) => [
        shortened(name, 60),
        ...metrics.map((metric) => number(own[metric])),
      ]),
  };
}

async function autocorrelationCard(
  found: NonNullable<ForecastsSection["autocorrelation"]>,
): Promise<Html> {
  const { values, bound, count } = found;
  const later = values.flatMap((value, i) => (Math.abs(value) > bound ? [i + 1] : []));
  return figure({
    title: "What errors have left",
    says: `How alike errors are that lie so many steps apart, over ${plural(count, "forecast")}; noise stays in the grey band at 19 of 20 distances${
      later.length > 0 ? `, and here ${later.length} of ${values.length} leave it` : ""
    }. Errors of one window follow each other, as all of it is forecast from one moment; a peak at the length of a season says that the season is not learned whole.`,
    chart: await draw(autocorrelationSpec(found)),
    table: {
      caption: "Autocorrelation of errors out of fold",
      columns: [
        { head: "Steps apart", numeric: true },
        { head: "Correlation", numeric: true },
      ],
      rows: values.map((value, i) => [i + 1, number(value)]),
    },
  });
}
