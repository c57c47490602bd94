/** A study as a page: how its search went, its curves, what mattered, and all of its trials. */

import type { Direction, Study, StudyOptions, StudyTrial } from "../../search/study/study.ts";
import type { ParameterImportance } from "../fanova/parameter-importance.ts";
import { barsSpec } from "../html/charts/bars.ts";
import { draw } from "../html/charts/draw.ts";
import { historySpec } from "../html/charts/history.ts";
import { lineSpec } from "../html/charts/lines.ts";
import { type ParetoPoint, paretoSpec } from "../html/charts/pareto.ts";
import { sliceSpec } from "../html/charts/slice.ts";
import { documentPage, tileList } from "../html/document-page.ts";
import { figure, type Section, table } from "../html/figure.ts";
import { figure as number, percent, plural, score, shortened, whole } from "../html/format.ts";
import { type Html, html } from "../html/markup.ts";
import { studyImportance } from "./study-importance.ts";

/** Of the trials that did best; the JSON of a study has all. */
const TABLE_ROWS = 400;
const CURVES = 40;
const SLICES = 12;

/** What a study's page calls things. */
export interface StudyPageOptions {
  /** What the reader knows the study by. Default "Study". */
  readonly title?: string;
  /** What its values are, one a direction. Default "value", or "value 1", "value 2", …. */
  readonly names?: readonly string[];
}

interface Told {
  readonly title: string;
  readonly names: readonly string[];
  readonly directions: readonly Direction[];
  readonly options: StudyOptions;
  readonly trials: readonly StudyTrial[];
  readonly best: StudyTrial | null;
  readonly front: readonly StudyTrial[];
  readonly importance: ParameterImportance | null;
}

/**
 * One HTML document without scripts and outside requests, for light, dark and paper.
 *
 * @throws RangeError where there are names, and not as many as directions
 */
export async function studyPage(study: Study, options: StudyPageOptions = {}): Promise<string> {
  const record = study.toJSON();
  const directions = record.options.directions ?? ["minimize"];
  const names =
    options.names ??
    directions.map((_, i) => (directions.length === 1 ? "value" : `value ${i + 1}`));
  if (names.length !== directions.length) {
    throw new RangeError(`There are ${names.length} names for ${directions.length} directions.`);
  }
  const told: Told = {
    ...{ title: options.title ?? "Study", names, directions, ...record },
    ...{ best: study.best, front: study.front, importance: studyImportance(study) },
  };
  const cards = [
    directions.length === 1 ? await historyFigure(told) : await frontFigure(told),
    await curvesFigure(told),
    await importanceFigure(told),
  ].filter((card) => card !== null);
  const slices = await sliceFigures(told);
  const sections: Section[] = [
    { id: "search", title: "The search", content: html`<div class="grid">${cards}</div>` },
    { id: "parameters", title: "Parameters", content: html`<div class="grid">${slices}</div>` },
    { id: "trials", title: "Trials", content: trialsTable(told) },
  ];
  return documentPage({
    title: told.title,
    header: headOf(told),
    sections: sections.filter(({ id }) =>
      id === "search" ? cards.length > 0 : id === "parameters" ? slices.length > 0 : true,
    ),
    footer: "Made by Distillery. The same trials are in the study's JSON.",
  });
}

type State = "finished" | "pruned" | "failed" | "running";

function stateOf({ values, prunedAt }: StudyTrial): State {
  if (prunedAt !== undefined) return "pruned";
  if (values === undefined) return "running";
  return values === null ? "failed" : "finished";
}

const pointText = (parameters: StudyTrial["parameters"]): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${typeof value === "number" ? number(value) : String(value)}`)
    .join(", ");

function headOf({ title, names, directions, options, trials, best, front }: Told): Html {
  const counted = (state: State): number =>
    trials.filter((trial) => stateOf(trial) === state).length;
  const others = (["pruned", "failed", "running"] as const)
    .filter((state) => counted(state) > 0)
    .map((state) => `${whole(counted(state))} ${state}`);
  const goals = names.map((name, i) => `${directions[i]} ${name}`).join(", ");
  const parameters = Object.keys(options.space).length;
  return html`<header><h1>${shortened(title, 120)}</h1>
<p class="lead">${goals}; ${plural(parameters, "parameter")}, sampled by ${options.sampler ?? "tpe"}.</p>
${best !== null && directions.length === 1 && html`<p>The best: ${pointText(best.parameters)}.</p>`}
${tileList([
  directions.length === 1
    ? {
        name: `Best ${names[0]}`,
        value: score(best?.values?.[0]),
        small: best === null ? "no trial has finished" : `trial ${best.number}`,
      }
    : {
        name: "On the front",
        value: plural(front.length, "trial"),
        small: "that no other beats in everything",
      },
  {
    name: "Trials",
    value: whole(trials.length),
    small: [`${whole(counted("finished"))} finished`, ...others].join(", "),
  },
])}
</header>`;
}

/** Of a pruned trial its last report. */
function shownValue({ values, reports }: StudyTrial): number | null {
  return values?.[0] ?? reports?.at(-1)?.value ?? null;
}

async function historyFigure({ names, directions, trials }: Told): Promise<Html | null> {
  const [name] = names;
  const [direction] = directions;
  let best: number | null = null;
  const shown = trials.flatMap((trial) => {
    const state = stateOf(trial);
    const value = shownValue(trial);
    if (value === null || state === "running") return [];
    if (state === "finished") {
      const isBetter = best === null || (direction === "minimize" ? value < best : value > best);
      if (isBetter) best = value;
    }
    return [{ number: trial.number, family: "trial", state, score: value, best }];
  });
  if (shown.length < 2) return null;
  const unfinished = shown.some(({ state }) => state !== "finished");
  return figure({
    title: `History of ${name}`,
    says: html`The line is the best so far; it ends at ${score(best)}. Trials far from the others stand on the edge.${
      unfinished ? " Crosses are trials that were given up, at their last report." : ""
    }`,
    chart: await draw(historySpec({ trials: shown, families: ["trial"], metric: name, direction })),
    table: {
      caption: `Trials with ${name} and the best so far`,
      columns: [
        { head: "Trial", numeric: true },
        { head: "State" },
        { head: name, numeric: true },
        { head: "Best so far", numeric: true },
      ],
      rows: shown
        .slice(0, TABLE_ROWS)
        .map((trial) => [trial.number, trial.state, score(trial.score), score(trial.best)]),
    },
  });
}

async function frontFigure({ names, trials, front }: Told): Promise<Html | null> {
  const pointOf =
    (kind: ParetoPoint["kind"]) =>
    ({ values }: StudyTrial): ParetoPoint[] =>
      values ? [{ x: values[0], y: values[1], kind }] : [];
  if (front.length === 0) return null;
  const isOn = new Set(front.map(({ number }) => number));
  const points = [
    ...trials.filter(({ number }) => !isOn.has(number)).flatMap(pointOf("trial")),
    ...front.flatMap(pointOf("model")),
  ];
  const { spec, legend } = paretoSpec(points, { x: names[0], y: names[1] });
  return figure({
    title: "The front",
    says: `Trials that no other beats in everything${names.length > 2 ? `, by the first two of ${names.length} values` : ""}.`,
    chart: await draw({
      spec,
      legend: legend.map((entry) => (entry.name === "model" ? { ...entry, name: "front" } : entry)),
    }),
    table: {
      caption: "Trials of the front",
      columns: [
        { head: "Trial", numeric: true },
        ...names.map((name) => ({ head: name, numeric: true })),
        { head: "Parameters" },
      ],
      rows: front.map(({ number: at, values, parameters }) => [
        at,
        ...(values ?? []).map(score),
        pointText(parameters),
      ]),
    },
  });
}

async function curvesFigure(told: Told): Promise<Html | null> {
  const { names, trials } = told;
  const reported = bestFirst(told).filter(({ reports }) => (reports?.length ?? 0) > 1);
  if (reported.length === 0) return null;
  const shown = reported.slice(0, CURVES);
  const lines = shown.map((trial) => ({
    name: stateOf(trial),
    points: (trial.reports ?? []).map(({ step, value }): [number, number] => [step, value]),
  }));
  const all = trials.filter(({ reports }) => (reports?.length ?? 0) > 1).length;
  return figure({
    title: "Learning curves",
    says: `What ${all > CURVES ? `the best ${CURVES} of ${whole(all)} trials` : "trials"} reported on their way.`,
    chart: await draw(lineSpec({ lines, x: "step", y: names[0], faint: true, logWhereWide: true })),
    table: {
      caption: "Learning curves",
      columns: [
        { head: "Trial", numeric: true },
        { head: "State" },
        { head: "First", numeric: true },
        { head: "Last", numeric: true },
        { head: "Steps", numeric: true },
      ],
      rows: shown.map((trial) => [
        trial.number,
        stateOf(trial),
        number(trial.reports?.[0]?.value),
        number(trial.reports?.at(-1)?.value),
        number(trial.reports?.at(-1)?.step),
      ]),
    },
  });
}

async function importanceFigure({ names, importance }: Told): Promise<Html | null> {
  if (importance === null) return null;
  const { fit, trials, parameters } = importance;
  const weak = fit === null || fit < 0.1;
  return figure({
    title: "What mattered",
    says: `Share of the trials' ranks by ${names[0]} that each parameter explains alone (fANOVA over ${plural(trials, "finished trial")}). ${
      weak
        ? "The surrogate hardly predicts trials it has not seen, so this is weak evidence."
        : `The surrogate predicts trials it has not seen with R² ${number(fit)}.`
    }`,
    chart: await draw(
      barsSpec(
        parameters.slice(0, SLICES).map(({ name, importance: value }) => ({ name, value })),
        "share of the variance",
      ),
    ),
    table: {
      caption: "Parameters",
      columns: [{ head: "Parameter" }, { head: "Importance", numeric: true }],
      rows: parameters.map(({ name, importance: value }) => [name, percent(value)]),
    },
  });
}

/** Of the parameters that mattered most. */
async function sliceFigures(told: Told): Promise<Html[]> {
  const { names, directions, options, trials, best, importance } = told;
  const order = importance?.parameters.map(({ name }) => name) ?? Object.keys(options.space);
  const cards: Html[] = [];
  for (const name of order.slice(0, SLICES)) {
    const pointsOf = ({ values, parameters }: StudyTrial) =>
      values && Object.hasOwn(parameters, name) ? [{ at: parameters[name], value: values[0] }] : [];
    const points = trials.flatMap(pointsOf);
    if (points.length < 2) continue;
    const ring = best === null ? null : (pointsOf(best)[0] ?? null);
    cards.push(
      figure({
        title: name,
        says: `${names[0]} of ${plural(points.length, "finished trial")}; those far from the others stand on the edge. ${
          ring === null
            ? "The best is without this parameter."
            : `The ring is the best ${names[0]}.`
        }`,
        chart: await draw(
          sliceSpec({
            ...{ name, parameter: options.space[name], points, title: names[0] },
            ...{ direction: directions[0], best: ring },
          }),
        ),
      }),
    );
  }
  return cards;
}

/** Finished trials by their first value, then pruned ones, the later the better; then the rest. */
function bestFirst({ trials, directions }: Told): StudyTrial[] {
  const sign = directions[0] === "maximize" ? -1 : 1;
  const places: readonly State[] = ["finished", "pruned", "running", "failed"];
  const place = (trial: StudyTrial): number => places.indexOf(stateOf(trial));
  return trials.toSorted(
    (a, b) =>
      place(a) - place(b) ||
      (b.prunedAt ?? 0) - (a.prunedAt ?? 0) ||
      sign * ((shownValue(a) ?? 0) - (shownValue(b) ?? 0)),
  );
}

function trialsTable(told: Told): Html {
  const { names, directions, trials } = told;
  const rows = bestFirst(told).slice(0, TABLE_ROWS);
  const note =
    trials.length > rows.length ? `The best ${rows.length} of ${whole(trials.length)}.` : "";
  return html`<div class="card">${note !== "" && html`<p class="note">${note}</p>`}${table({
    caption: "Trials, the best first",
    columns: [
      { head: "Trial", numeric: true },
      { head: "State" },
      ...names.map((head) => ({ head, numeric: true })),
      { head: "Parameters" },
    ],
    rows: rows.map((trial) => [
      trial.number,
      trial.prunedAt === undefined ? stateOf(trial) : `pruned at ${number(trial.prunedAt)}`,
      ...directions.map((_, i) => score(i === 0 ? shownValue(trial) : trial.values?.[i])),
      pointText(trial.parameters),
    ]),
  })}</div>`;
}
