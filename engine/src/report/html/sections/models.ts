/** The models of the run: what they blend, the best trials with their folds, the Pareto front. */

import { taskType } from "../../../tasks/index.ts";
import type { RunReport, TrialSection } from "../../document.ts";
import { draw } from "../charts/draw.ts";
import { foldSpreadSpec } from "../charts/fold-spread.ts";
import { type ParetoPoint, paretoSpec } from "../charts/pareto.ts";
import { shareBar } from "../charts/spark.ts";
import { figure, figuresCard, type Section, table } from "../figure.ts";
import { score, seconds, weightTexts, whole } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { unitsOf } from "../units.ts";
import { worseThanTheBest } from "../worse-than-the-best.ts";
import { familiesIn, familiesOf } from "./overview.ts";

const LEADERS = 15;
const MODELS = 66;
/** Pairs of metrics that are drawn. */
const PAIRS = 3;

export async function modelsSection(report: RunReport): Promise<Section | null> {
  const { run, models, leaderboard, trials } = report;
  const [metric] = run.metrics;
  const byNumber = new Map(trials.map((trial) => [trial.number, trial]));
  const leaders = leaderboard.slice(0, LEADERS).flatMap((number) => byNumber.get(number) ?? []);
  if (leaders.length === 0) return null;
  const cards: Html[] = [];
  if (models.length > 1) cards.push(...(await frontFigures(report)));
  if (report.pareto && models.length > 1) cards.push(figuresCard("The front", report.pareto));
  if (leaders.some(({ folds }) => folds.length > 1)) {
    cards.push(await spreadFigure(leaders, report));
  }
  if (models[0] && hasMore(models[0])) cards.push(membersCard(models[0]));
  return {
    id: "models",
    title: models.length > 1 ? "Models and leaderboard" : "Model and leaderboard",
    content: html`<div class="grid">${cards}</div>
<div class="card below"><h3>Leaderboard</h3><p class="note">${
      leaderboard.length === 1
        ? "The one finished trial,"
        : `The best ${whole(leaders.length)} of ${whole(leaderboard.length)} finished trials`
    } by ${
      run.folds > 1
        ? `the mean of ${metric.name} over the ${unitsOf(run).fold.many}`
        : `${metric.name} on the holdout`
    }.${besideTheBest(report)}</p>${leadersTable(leaders, report, variedParameters(trials))}</div>`,
  };
}

/** Why a blend of trials may score worse than one of them: the one was chosen by the very scores that it is ranked by. */
export function besideTheBest({
  run,
  models,
  leaderboard,
  trials,
}: Pick<RunReport, "leaderboard"> & {
  readonly run: Pick<RunReport["run"], "folds" | "task"> & {
    readonly metrics: readonly RunReport["run"]["metrics"][number][];
  };
  readonly models: readonly Pick<
    RunReport["models"][number],
    "kind" | "meanFoldScores" | "scores"
  >[];
  readonly trials: readonly Pick<TrialSection, "number" | "scores">[];
}): string {
  const [{ name, direction }] = run.metrics;
  const [model] = models;
  const best = trials.find(({ number }) => number === leaderboard[0])?.scores?.[name];
  // Of means over folds beside each other, where there are both.
  const own = model?.meanFoldScores?.[name] ?? model?.scores[name];
  if (best === null || best === undefined || own === null || own === undefined) return "";
  const isWorse = direction === "minimize" ? own > best : own < best;
  if (!isWorse || model.kind !== "ensemble" || run.folds < 2) return "";
  // Notes on forecasts say it with more figures.
  if (taskType(run.task).framing?.kind === "series") return "";
  return ` The model scores ${score(own)}, ${worseThanTheBest(unitsOf(run).fold)}`;
}

function spreadFigure(leaders: readonly TrialSection[], { run }: RunReport): Promise<Html> {
  const metric = run.metrics[0].name;
  const shown = leaders.flatMap((trial) => {
    const mean = trial.scores?.[metric];
    return mean === null || mean === undefined ? [] : [{ trial, mean }];
  });
  const families = familiesIn(run);
  const { fold } = unitsOf(run);
  return draw(
    foldSpreadSpec(
      shown.map(({ trial, mean }) => ({
        name: `trial ${trial.number}`,
        family: trial.family,
        mean,
        folds: trial.folds.filter((fold) => fold !== null),
      })),
      families,
      metric,
    ),
  ).then((chart) =>
    figure({
      title: `The best trials, ${fold.one} by ${fold.one}`,
      says: `A tick is a ${fold.one}, the dot their mean. Trials whose ticks overlap widely cannot be told apart by these data.`,
      chart,
    }),
  );
}

/** Than that it is one trial as it was. */
const hasMore = ({ members, stacked, notes }: RunReport["models"][number]): boolean =>
  members.length > 1 || stacked || notes.length > 0;

function membersCard({ members, stacked, refitted, notes }: RunReport["models"][number]): Html {
  const whose = refitted
    ? "the trials, each fitted once more on all of the data,"
    : "the trials' fold models";
  const what = stacked
    ? `Weights by which margins, or values, of ${whose} are added up.`
    : `Weights of ${whose} in the average that predicts.`;
  const largest = Math.max(...members.map(({ weight }) => Math.abs(weight)), 1e-12);
  const weights = weightsOf({ members, stacked });
  return html`<div class="card"><h3>${members.length > 1 ? "What the model blends" : "What the model is made of"}</h3><p class="note">${[what, ...notes].join(" ")}</p>${table(
    {
      caption: "Members of the model with their weights",
      columns: [
        { head: "Trial" },
        { head: "Family" },
        { head: "Weight", numeric: true },
        { head: "" },
      ],
      rows: members.map(({ trial, family, weight }) => [
        trial,
        family,
        weights.get(trial) ?? "–",
        shareBar(stacked ? Math.abs(weight) / largest : weight),
      ]),
    },
  )}</div>`;
}

/** By trial, as people read them. */
function weightsOf({
  members,
  stacked,
}: Pick<RunReport["models"][number], "members" | "stacked">): ReadonlyMap<number, string> {
  const texts = weightTexts(
    members.map(({ weight }) => weight),
    stacked,
  );
  return new Map(members.map(({ trial }, place) => [trial, texts[place]]));
}

function leadersTable(
  leaders: readonly TrialSection[],
  { run, models }: RunReport,
  varied: ReadonlyMap<string, Set<string>>,
): Html {
  const weights = models[0] ? weightsOf(models[0]) : new Map<number, string>();
  return table({
    caption: "The best trials",
    columns: [
      { head: "Rank", numeric: true },
      { head: "Trial", numeric: true },
      { head: "Family" },
      ...run.metrics.map(({ name }) => ({ head: name, numeric: true })),
      ...(run.folds > 1 ? [{ head: `± over ${unitsOf(run).fold.many}`, numeric: true }] : []),
      { head: "Weight", numeric: true },
      { head: "Fitting", numeric: true },
      { head: `Predicting 1,000 ${unitsOf(run).row.many}`, numeric: true },
      { head: "Parameters" },
    ],
    stacks: true,
    rows: leaders.map((trial, index) => [
      index + 1,
      trial.number,
      trial.family,
      ...run.metrics.map(({ name }) => score(trial.scores?.[name])),
      ...(run.folds > 1 ? [score(trial.deviation)] : []),
      weights.get(trial.number) ?? "–",
      seconds(trial.seconds),
      trial.predictSeconds === null ? "–" : seconds(trial.predictSeconds),
      parametersOf(trial, varied),
    ]),
  });
}

/** Names of each family's parameters that are not the same in all its trials. */
export function variedParameters(
  trials: readonly TrialSection[],
): ReadonlyMap<string, Set<string>> {
  const varied = new Map<string, Set<string>>();
  const first = new Map<string, TrialSection["parameters"]>();
  for (const { family, parameters } of trials) {
    const known = first.get(family) ?? parameters;
    first.set(family, known);
    const names = varied.get(family) ?? new Set();
    varied.set(family, names);
    for (const name of Object.keys({ ...known, ...parameters })) {
      if (known[name] !== parameters[name]) names.add(name);
    }
  }
  return varied;
}

/** Those that were searched; the others are in the JSON. A lone trial shows all. */
export function parametersOf(
  { family, parameters }: TrialSection,
  varied: ReadonlyMap<string, Set<string>>,
): Html {
  const names = varied.get(family);
  const shownNames = Object.entries(parameters).filter(
    ([name]) => !names || names.size === 0 || names.has(name),
  );
  const parts = shownNames.map(([name, value]) => {
    const shown = typeof value === "number" ? Number(value.toPrecision(4)) : String(value);
    return `${name}=${shown}`;
  });
  return html`<code>${parts.join(" ")}</code>`;
}

async function frontFigures({ run, models, trials }: RunReport): Promise<Html[]> {
  const names = run.metrics.map(({ name }) => name);
  const pairs = names.flatMap((x, i) => names.slice(i + 1).map((y) => ({ x, y })));
  const cards: Html[] = [];
  for (const axes of pairs.slice(0, PAIRS)) {
    const points = [
      ...trials
        .filter(({ state }) => state === "finished")
        .flatMap(({ scores }) => pointOf(scores, axes, "trial")),
      ...models.flatMap(({ scores }) => pointOf(scores, axes, "model")),
    ];
    cards.push(
      figure({
        title: `Pareto front: ${axes.x} and ${axes.y}`,
        says: html`Each large dot is a model of this run, made for other weights of the metrics; none is worse than another in every metric. Small dots are single trials; those far from the models are left out. Models are scored on all held-out rows together, trials by the mean of their folds.`,
        chart: await draw(paretoSpec(points, axes)),
      }),
    );
  }
  cards.push(
    html`<div class="card"><h3>The models</h3><p class="note">${
      models.length > MODELS ? `The first ${MODELS} of ${models.length}. ` : ""
    }The first is the best on ${names[0]}.</p>${table({
      caption: "Models with their scores",
      columns: [
        { head: "Model", numeric: true },
        ...names.map((head) => ({ head, numeric: true })),
        { head: "Metric weights" },
        { head: "Made of" },
      ],
      rows: models
        .slice(0, MODELS)
        .map(({ scores, metricWeights, members }, index) => [
          index + 1,
          ...names.map((name) => score(scores[name])),
          metricWeights.map((weight) => String(Number(weight.toFixed(3)))).join(" : "),
          familiesOf(members).join(", "),
        ]),
    })}</div>`,
  );
  return cards;
}

function pointOf(
  scores: Readonly<Record<string, number | null>> | null,
  axes: { readonly x: string; readonly y: string },
  kind: ParetoPoint["kind"],
): ParetoPoint[] {
  const x = scores?.[axes.x] ?? null;
  const y = scores?.[axes.y] ?? null;
  return x === null || y === null ? [] : [{ x, y, kind }];
}
