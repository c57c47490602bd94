/** How the search went: its history, the fits' learning curves, and which parameters mattered. */

import type { RunReport } from "../../document.ts";
import { barsSpec } from "../charts/bars.ts";
import { draw } from "../charts/draw.ts";
import { type HistoryTrial, historySpec } from "../charts/history.ts";
import { lineSpec } from "../charts/lines.ts";
import { figure, type Section } from "../figure.ts";
import { figure as number, percent, plural, score } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { familiesIn } from "./overview.ts";

const PARAMETERS = 8;
/** Rows of a table of numbers; the JSON has all. */
const TABLE_ROWS = 400;

const LOSSES: Readonly<Record<string, string>> = {
  squared_error: "mean squared error",
  log_loss: "log-loss",
};

export async function searchSection(report: RunReport): Promise<Section | null> {
  const cards = [
    await historyFigure(report),
    await curvesFigure(report),
    ...(await parameterFigures(report)),
  ].filter((card) => card !== null);
  if (cards.length === 0) return null;
  return { id: "search", title: "The search", content: html`<div class="grid">${cards}</div>` };
}

export function historyOf({ run, trials }: RunReport): HistoryTrial[] {
  const { name, direction } = run.metrics[0];
  let best: number | null = null;
  return trials.flatMap(({ number: at, family, state, scores }) => {
    const value = scores?.[name] ?? null;
    if (value === null) return [];
    if (state === "finished") {
      const better = best === null || (direction === "minimize" ? value < best : value > best);
      if (better) best = value;
    }
    return [{ number: at, family, state, score: value, best }];
  });
}

async function historyFigure(report: RunReport): Promise<Html | null> {
  const { run } = report;
  const trials = historyOf(report);
  if (trials.length < 2) return null;
  const { name, direction } = run.metrics[0];
  const families = familiesIn(run);
  const unfinished = trials.some(({ state }) => state !== "finished");
  const last = trials.at(-1)?.best ?? null;
  return figure({
    title: `History of ${name}`,
    says: html`The line is the best so far; it ends at ${score(last)}. Trials far from the others stand on the edge.${
      unfinished ? " Crosses are trials that were stopped early, at the mean of their folds." : ""
    }`,
    chart: await draw(historySpec({ trials, families, metric: name, direction })),
    table: {
      caption: `Trials with ${name} and the best so far`,
      columns: [
        { head: "Trial", numeric: true },
        { head: "Family" },
        { head: "State" },
        { head: name, numeric: true },
        { head: "Best so far", numeric: true },
      ],
      rows: trials
        .slice(0, TABLE_ROWS)
        .map((trial) => [
          trial.number,
          trial.family,
          trial.state,
          score(trial.score),
          score(trial.best),
        ]),
    },
  });
}

async function curvesFigure({ learningCurves }: RunReport): Promise<Html | null> {
  if (!learningCurves || learningCurves.length === 0) return null;
  const [{ loss }] = learningCurves;
  const name = LOSSES[loss] ?? loss;
  const lines = learningCurves.map(({ trial, family, iterations, values }) => ({
    name: `${family}, trial ${trial}`,
    points: iterations.map((iteration, i): [number, number] => [iteration, values[i]]),
  }));
  const ends = learningCurves.map(({ trial, fold, family, iterations, values }) => {
    const best = values.indexOf(Math.min(...values));
    return [
      trial,
      family,
      fold + 1,
      number(values[0]),
      number(values[best]),
      iterations[best],
      iterations.at(-1) ?? 0,
    ];
  });
  return figure({
    title: "Learning curves",
    says: `Loss (${name}) on each fold's held-out data by boosting round, of the best trials that learn in rounds. A curve that still falls at its end could go on; one that rises was stopped late.`,
    chart: await draw(
      lineSpec({
        lines,
        x: "round",
        y: "validation loss",
        faint: true,
        logWhereWide: true,
      }),
    ),
    table: {
      caption: "Learning curves",
      columns: [
        { head: "Trial", numeric: true },
        { head: "Family" },
        { head: "Fold", numeric: true },
        { head: "First", numeric: true },
        { head: "Best", numeric: true },
        { head: "Best round", numeric: true },
        { head: "Rounds", numeric: true },
      ],
      rows: ends,
    },
  });
}

async function parameterFigures({ parameterImportance, run }: RunReport): Promise<Html[]> {
  const cards: Html[] = [];
  for (const { family, trials, fit, parameters } of parameterImportance ?? []) {
    const shown = parameters.slice(0, PARAMETERS);
    const weak = fit === null || fit < 0.1;
    cards.push(
      figure({
        title: `What mattered in ${family}`,
        says: `Share of the trials' ranks by ${run.metrics[0].name} that each parameter explains alone (fANOVA over ${plural(
          trials,
          "trial",
        )}). ${
          weak
            ? "The surrogate hardly predicts trials it has not seen, so this is weak evidence."
            : `The surrogate predicts trials it has not seen with R² ${number(fit)}.`
        }`,
        chart: await draw(
          barsSpec(
            shown.map(({ name, importance }) => ({ name, value: importance })),
            "share of the variance",
          ),
        ),
        table: {
          caption: `Parameters of ${family}`,
          columns: [
            { head: "Parameter" },
            { head: "Importance", numeric: true },
            { head: "Higher values were" },
          ],
          rows: parameters.map(({ name, importance, correlation }) => [
            name,
            percent(importance),
            correlation === null
              ? "–"
              : Math.abs(correlation) < 0.15
                ? `no different (ρ ${number(correlation)})`
                : `${correlation > 0 ? "worse" : "better"} (ρ ${number(correlation)})`,
          ]),
        },
      }),
    );
  }
  return cards;
}
