/** The head of the page: what was trained on what, its warnings, and how good it is. */

import { metricByName } from "../../../tasks/fitting-metrics.ts";
import { taskType } from "../../../tasks/index.ts";
import type { RunReport } from "../../document.ts";
import { type Tile, tileList, warningsBox } from "../document-page.ts";
import { percent, percents, plural, score, seconds, shortened, whole } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { unitsOf } from "../units.ts";

export function overview(report: RunReport): Html {
  const { run } = report;
  const { title, link } = taskType(run.task);
  return html`<header><h1>${shortened(report.name, 120)}</h1>
<p class="lead">${title} of <strong>${shortened(run.label, 80)}</strong>${
    link === "log_softmax" ? ` (${run.classes.length} classes)` : ""
  } from ${plural(run.columns, "column")} and ${extent(report)}; validated by ${run.splitter}.</p>
${budget(run.budget)}
${warningsBox(report.warnings)}
${tileList(tiles(report))}
</header>`;
}

function extent({ run, forecasts }: RunReport): string {
  const { row } = unitsOf(run);
  const rows = plural(run.rows, row.one, row.many);
  if (!forecasts) return rows;
  return forecasts.series === 1 ? rows : `${rows} of ${whole(forecasts.series)} series`;
}

function budget(given: RunReport["run"]["budget"]): Html {
  if (!given) return html``;
  const said = `The run had a time budget of ${seconds(given.seconds)}.`;
  if (given.cut.length === 0) return html`<p>${said} It cut nothing short.</p>`;
  return html`<p>${said} What it cut:</p><ul>${given.cut.map((each) => html`<li>${each}</li>`)}</ul>`;
}

function tiles({ run, models, baseline, lastValue, predicting }: RunReport): Tile[] {
  const [model] = models;
  const { trials } = run;
  const { row } = unitsOf(run);
  const ended = ["pruned", "refused", "failed", "dropped"].flatMap((state) =>
    trials[state] ? [`${whole(trials[state])} ${state}`] : [],
  );
  const where = run.folds > 1 ? "out of fold" : "holdout";
  const scored = run.metrics.slice(0, 4).map(({ name, direction }) => ({
    name: `${name}, ${where}`,
    value: score(model?.scores[name]),
    small: html`${ofClass(name, run)}${ofIntervals(name, run)}${meanOverFolds(model?.meanFoldScores?.[name], unitsOf(run).fold.many)}${beside(baseline[name], lastValue?.[name])}${direction === "minimize" ? "lower" : "higher"} is better`,
  }));
  const others = Object.entries(model?.otherScores ?? {}).map(([name, value]) => ({
    name: `${name}, ${where}`,
    value: score(value),
    small: html`${ofClass(name, run)}${ofIntervals(name, run)}${beside(baseline[name], lastValue?.[name])}not optimised`,
  }));
  return [
    ...scored,
    ...others,
    {
      name: models.length > 1 ? "Models" : "Model",
      value: models.length > 1 ? whole(models.length) : isSingle(model) ? "single" : "blend",
      small:
        model &&
        `${models.length > 1 ? "the first: " : ""}${plural(model.members.length, "trial")}: ${familiesOf(model.members).join(", ")}`,
    },
    {
      name: "Trials finished",
      value: `${whole(trials["finished"] ?? 0)} of ${whole(trialCount(trials))}`,
      small: ended.join(", ") || "none ended early",
    },
    ...(run.seconds === null
      ? []
      : [{ name: "Time", value: seconds(run.seconds), small: timeNote(run) }]),
    ...(predicting
      ? [
          {
            name: "Predicting",
            value: seconds(predicting.seconds),
            small: `for ${plural(predicting.rows, row.one, row.many)}, in one thread`,
          },
        ]
      : []),
  ];
}

/** Which of two classes it is of. */
function ofClass(metric: string, { task, classes }: RunReport["run"]): Html {
  const isOfOne = taskType(task).decision === "threshold" && metricByName(metric).ofPositiveClass;
  return isOfOne ? html`of ${shortened(classes[1] ?? "", 40)}; ` : html``;
}

/** What share the intervals should hold whose coverage it is. */
function ofIntervals(metric: string, { config }: RunReport["run"]): Html {
  const nominal = config["coverage"];
  if (metric !== "coverage" || typeof nominal !== "number") return html``;
  return html`of intervals that should hold ${percent(nominal, 0)}; `;
}

/** One trial by itself: fitted on all rows, or its folds' fits averaged. */
function isSingle(model: RunReport["models"][number] | undefined): boolean {
  return model?.kind === "winner" || model?.members.length === 1;
}

/**
 * Those that were asked for, however they ended. Of a run without a number of trials, those that it planned are those
 * that counted: without the ones that its search dropped when it ended.
 */
export function trialCount(trials: RunReport["run"]["trials"]): number {
  const ended = Object.entries(trials).reduce(
    (sum, [state, count]) => (state === "planned" ? sum : sum + count),
    0,
  );
  return Math.max(trials["planned"] ?? 0, ended);
}

/** Beside the score of all folds' rows together. */
function meanOverFolds(mean: number | null | undefined, folds: string): Html {
  return mean === null || mean === undefined
    ? html``
    : html`the mean over ${folds}, by which trials are ranked: ${score(mean)}; `;
}

/** What a score is held against. */
function beside(
  baseline: RunReport["baseline"][string] | undefined,
  last: number | null | undefined,
): Html {
  if (baseline === undefined || baseline.score === null) return html``;
  const best = html`${baseline.answer} alone: ${score(baseline.score)}; `;
  if (last === null || last === undefined || last === baseline.score) return best;
  return html`${best}the last value alone: ${score(last)}; `;
}

function timeNote({ budget, started }: RunReport["run"]): string {
  const day = started?.slice(0, 10) ?? "";
  return budget ? [`of a budget of ${seconds(budget.seconds)}`, day].join(", ") : day;
}

/** In the order of the run, by which they have their colours. */
export function familiesIn(run: RunReport["run"]): string[] {
  const used = run.families.filter((each) => each.used).map(({ family }) => family);
  return [...new Set(used)];
}

/** Shares of the sizes of all weights by family, the largest first: those of a stacking layer need not add up to 1. */
export function familiesOf(members: RunReport["models"][number]["members"]): string[] {
  const total = members.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
  const shares = new Map<string, number>();
  for (const { family, weight } of members) {
    shares.set(family, (shares.get(family) ?? 0) + (total > 0 ? Math.abs(weight) / total : 0));
  }
  const sorted = [...shares].sort((a, b) => b[1] - a[1]);
  const shown = percents(
    sorted.map(([, share]) => share),
    0,
  );
  return sorted.map(([family], place) =>
    sorted.length > 1 ? `${family} ${shown[place]}` : family,
  );
}
