/** An evaluation as a page, in the style of a run's report. */

import { draw } from "../report/html/charts/draw.ts";
import { scoreRangeSpec } from "../report/html/charts/score-ranges.ts";
import { documentPage, type Tile, tileList, warningsBox } from "../report/html/document-page.ts";
import { figure, type Section, table } from "../report/html/figure.ts";
import {
  figure as number,
  percent,
  plural,
  score,
  shortened,
  whole,
} from "../report/html/format.ts";
import { type Html, html } from "../report/html/markup.ts";
import { outcomeCards } from "../report/html/sections/outcome.ts";
import { unitsOf } from "../report/html/units.ts";
import { taskType } from "../tasks/index.ts";
import type { Evaluation } from "./evaluation-document.ts";

/** @returns one HTML document without outside requests */
export async function evaluationPage(evaluation: Evaluation): Promise<string> {
  const sections = [
    await scoresSection(evaluation),
    await comparisonSection(evaluation),
    await slicesSection(evaluation),
    ...(await figureSections(evaluation)),
  ].filter((each) => each !== null);
  const { many, one } = unitsOf(evaluation).row;
  return documentPage({
    title: `${evaluation.name} – evaluation`,
    header: html`<header><h1>${shortened(evaluation.name, 120)}</h1>
<p class="lead">${taskType(evaluation.task).title} of <strong>${shortened(evaluation.label, 80)}</strong>: ${plural(evaluation.models.length, "model")} on ${plural(evaluation.rows, one, many)} whose label is known.</p>
${warningsBox(evaluation.warnings)}
${tileList(tiles(evaluation))}</header>`,
    sections,
    footer: `Intervals hold 95 % of ${whole(evaluation.bootstrap.resamples)} resamples of the ${many}, ${whole(evaluation.bootstrap.rowsEach)} each. The same figures are in the evaluation's JSON.`,
  });
}

function tiles({ metrics, models, rows, task }: Evaluation): Tile[] {
  const [first] = models;
  const { coverage } = first;
  return [
    ...metrics.map(
      ({ name, direction }): Tile => ({
        name: models.length > 1 ? `${name}, ${nameOf(first.id)}` : name,
        value: score(first.scores[name]),
        small: html`${rangeOf(first.intervals[name])}${direction === "minimize" ? "lower" : "higher"} is better`,
      }),
    ),
    ...(coverage
      ? [
          {
            name: taskType(task).target === "class" ? "Sets hold" : "Intervals hold",
            value: percent(coverage.measured),
            small: `made to hold ${percent(coverage.nominal, 0)}; ${number(coverage.meanSize)} ${taskType(task).target === "class" ? "classes" : "wide"} on average`,
          },
        ]
      : []),
    { name: "Evaluated", value: whole(rows), small: unitsOf({ task }).row.many },
  ];
}

const nameOf = (id: string): string => shortened(id, 40);

const rangeOf = (interval: readonly [number, number] | null | undefined): Html =>
  interval ? html`${score(interval[0])} … ${score(interval[1])}; ` : html``;

async function scoresSection({ metrics, models }: Evaluation): Promise<Section | null> {
  if (models.length < 2) return null;
  const [{ name: metric }] = metrics;
  const drawn = models.flatMap(({ id, scores, intervals }) => {
    const value = scores[metric];
    return value === null ? [] : [{ name: nameOf(id), value, interval: intervals[metric] }];
  });
  return {
    id: "models",
    title: "Models",
    content: figure({
      title: `${metric} of each model`,
      says: "Points are scores of all rows, lines 95 % intervals. Intervals that overlap may still differ: see the comparison on the same rows.",
      chart: await draw(scoreRangeSpec(drawn, metric)),
      table: {
        caption: "Scores",
        columns: [{ head: "Model" }, ...metrics.map(({ name }) => ({ head: name, numeric: true }))],
        rows: models.map(({ id, scores }) => [
          nameOf(id),
          ...metrics.map(({ name }) => score(scores[name])),
        ]),
      },
    }),
  };
}

async function comparisonSection({
  comparisons,
  metrics,
  models,
}: Evaluation): Promise<Section | null> {
  if (comparisons.length === 0) return null;
  const cards = await Promise.all(
    metrics.map(async ({ name, direction }) => {
      const own = comparisons.filter(({ metric }) => metric === name);
      const drawn = own.flatMap(({ model, difference, interval }) =>
        difference === null ? [] : [{ name: nameOf(model), value: difference, interval }],
      );
      return figure({
        title: `${name}, less that of ${nameOf(models[0].id)}`,
        says: `On the same resampled rows; ${direction === "minimize" ? "left" : "right"} of the dashed line a model is better.`,
        chart: await draw(scoreRangeSpec(drawn, `difference in ${name}`, 0)),
        table: {
          caption: `Differences in ${name}`,
          columns: [
            { head: "Model" },
            { head: "Difference", numeric: true },
            { head: "95 % interval", numeric: true },
            { head: "Better in", numeric: true },
          ],
          rows: own.map(({ model, difference, interval, betterShare }) => [
            nameOf(model),
            number(difference),
            interval ? `${number(interval[0])} … ${number(interval[1])}` : "–",
            betterShare === null ? "–" : percent(betterShare),
          ]),
        },
      });
    }),
  );
  return { id: "comparison", title: "Comparison", content: html`<div class="grid">${cards}</div>` };
}

async function slicesSection({
  slices,
  metrics,
  models,
  task,
}: Evaluation): Promise<Section | null> {
  if (slices.length === 0) return null;
  const [{ name: metric }] = metrics;
  const columns = [...new Set(slices.map(({ column }) => column))];
  const cards = await Promise.all(
    columns.map(async (column) => {
      const own = slices.filter((slice) => slice.column === column);
      const drawn = own.flatMap(({ of, scores }) => {
        const value = scores[0][metric];
        return value === null ? [] : [{ name: shortened(of, 40), value, interval: null }];
      });
      return figure({
        title: `By ${shortened(column, 60)}`,
        says: `${metric}${models.length > 1 ? ` of ${nameOf(models[0].id)}` : ""}; the dashed line is that of all rows.`,
        chart: await draw(scoreRangeSpec(drawn, metric, models[0].scores[metric] ?? undefined)),
        table: {
          caption: `Scores by ${column}`,
          columns: [
            { head: column },
            { head: unitsOf({ task }).row.many, numeric: true },
            ...models.flatMap(({ id }) =>
              metrics.map(({ name }) => ({
                head: models.length > 1 ? `${name}, ${nameOf(id)}` : name,
                numeric: true,
              })),
            ),
          ],
          rows: own.map(({ of, rows, scores }) => [
            shortened(of, 60),
            whole(rows),
            ...scores.flatMap((each) => metrics.map(({ name }) => score(each[name]))),
          ]),
        },
      });
    }),
  );
  return { id: "slices", title: "Slices", content: html`<div class="grid">${cards}</div>` };
}

async function figureSections({ models, task, label }: Evaluation): Promise<Section[]> {
  const sections = await Promise.all(
    models.map(async ({ id, figures, coverage }, at): Promise<Section | null> => {
      const cards = await outcomeCards({ ...figures, run: { task, label } });
      if (cards.length === 0) return null;
      return {
        id: `predictions-${at + 1}`,
        title: models.length > 1 ? `Predictions of ${nameOf(id)}` : "Predictions",
        content: html`${
          coverage &&
          html`<div class="card"><h3>What ${taskType(task).target === "class" ? "sets" : "intervals"} hold</h3>${table(
            {
              caption: "What intervals or sets hold",
              columns: [
                { head: "Made to hold", numeric: true },
                { head: "Hold", numeric: true },
                { head: "Mean size", numeric: true },
              ],
              rows: [
                [
                  percent(coverage.nominal, 0),
                  percent(coverage.measured),
                  number(coverage.meanSize),
                ],
              ],
            },
          )}</div>`
        }<div class="grid">${cards}</div>`,
      };
    }),
  );
  return sections.filter((each) => each !== null);
}
