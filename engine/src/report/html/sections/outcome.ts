/** How the first model's out-of-fold predictions compare with what was true. */

import { taskType } from "../../../tasks/index.ts";
import type { RunReport } from "../../document.ts";
import { confusionSpec } from "../charts/confusion.ts";
import { draw } from "../charts/draw.ts";
import { lineSpec } from "../charts/lines.ts";
import { reliabilitySpec } from "../charts/reliability.ts";
import { residualGroupsSpec } from "../charts/residual-groups.ts";
import { drawnRows, residualSpec, scatterSpec } from "../charts/residuals.ts";
import { figure, figuresCard, type Section, table } from "../figure.ts";
import { figure as number, percent, plural, shortened, whole } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { unitsOf } from "../units.ts";
import { gainsCards, thresholdCards } from "./decision.ts";

const CLASS_ROWS = 50;

/** What the cards are made of. */
type Outcome = Pick<
  RunReport,
  | "confusion"
  | "thresholdCurves"
  | "gains"
  | "thresholds"
  | "reliability"
  | "residuals"
  | "quantiles"
> & { readonly run: Pick<RunReport["run"], "task" | "label"> };

export async function outcomeSection(report: RunReport): Promise<Section | null> {
  const cards = [...(await outcomeCards(report)), ...figuresCards(report)];
  if (cards.length === 0) return null;
  return {
    id: "predictions",
    title: `Predictions on ${unitsOf(report.run).row.many} held out`,
    content: html`<p class="note">${unitsOf(report.run).heldOut}</p><div class="grid">${cards}</div>`,
  };
}

/** Predictions beside what was true, each with its chart. */
export async function outcomeCards(report: Outcome): Promise<Html[]> {
  const { many } = unitsOf(report.run).row;
  return [
    ...(await confusionCards(report)),
    ...thresholdCards(report, many),
    ...(await curveCards(report)),
    ...(await gainsCards(report, many)),
    ...(await reliabilityCards(report)),
    ...(await residualCards(report)),
    ...(await quantileCards(report)),
  ];
}

async function confusionCards({ confusion, thresholdCurves, run }: Outcome): Promise<Html[]> {
  if (!confusion) return [];
  const { labels, cells, accuracy, classes, threshold } = confusion;
  const { row } = unitsOf(run);
  // Of two classes the curves are of the one that the threshold is of.
  const [curve] = thresholdCurves ?? [];
  const positive = curve ? `The class ${shortened(curve.of, 40)}` : "The second class";
  const name = (label: string | null): string =>
    label === null ? "all others" : shortened(label, 40);
  const matrix = figure({
    title: "Confusion matrix",
    says: html`Rows are the true classes, columns what was predicted; the fuller the colour of a cell, the larger its share of the row. ${percent(accuracy)} of the ${row.many} are right.${
      threshold !== undefined
        ? ` ${positive} is predicted from a probability of ${number(threshold)} upwards.${
            confusion.tunedWithoutRow
              ? ` That threshold was tuned on all ${row.many}; here, as in the scores, each is answered by one that was tuned without it.`
              : ""
          }`
        : ""
    }${
      confusion.unweighted
        ? ` ${capital(row.many)} are counted here, and not weighed as in the scores.`
        : ""
    }${labels.includes(null) ? ` The ${labels.length - 1} most frequent of ${classes.length} classes are shown.` : ""}`,
    chart: await draw(confusionSpec(confusion)),
    table: {
      caption: "Confusion matrix",
      columns: [
        { head: "True class" },
        ...labels.map((label) => ({ head: name(label), numeric: true })),
      ],
      rows: labels.map((label, at) => [
        name(label),
        ...labels.map((_, column) => whole(cells[at * labels.length + column])),
      ]),
    },
  });
  const byClass = html`<div class="card"><h3>By class</h3><p class="note">${
    classes.length > CLASS_ROWS
      ? `The ${CLASS_ROWS} most frequent of ${classes.length} classes. `
      : ""
  }Precision: how often the class is right where it is predicted. Recall: how much of it is found. F1: the harmonic mean of both.</p>${table(
    {
      caption: "Precision and recall by class",
      columns: [
        { head: "Class" },
        { head: capital(row.many), numeric: true },
        { head: "Predicted", numeric: true },
        { head: "Precision", numeric: true },
        { head: "Recall", numeric: true },
        { head: "F1", numeric: true },
      ],
      rows: classes
        .slice(0, CLASS_ROWS)
        .map(({ name: label, rows, predicted, precision, recall, f1 }) => [
          shortened(label, 60),
          whole(rows),
          predicted === undefined ? "–" : whole(predicted),
          precision === null ? "–" : percent(precision),
          recall === null ? "–" : percent(recall),
          number(f1),
        ]),
    },
  )}</div>`;
  return [matrix, byClass];
}

async function curveCards({ thresholdCurves, run }: Outcome): Promise<Html[]> {
  if (!thresholdCurves || thresholdCurves.length === 0) return [];
  const many = taskType(run.task).link === "log_softmax";
  const areas = {
    caption: "Areas under the curves",
    columns: [
      { head: "Class" },
      { head: "ROC AUC", numeric: true },
      { head: "Average precision", numeric: true },
      { head: `Share of ${unitsOf(run).row.many}`, numeric: true },
    ],
    rows: thresholdCurves.map(({ of, rocAuc, averagePrecision, prevalence }) => [
      shortened(of, 60),
      number(rocAuc),
      number(averagePrecision),
      percent(prevalence),
    ]),
  };
  const [first] = thresholdCurves;
  const whose = many
    ? `One class against the rest, for the ${thresholdCurves.length} most frequent classes.`
    : `Of the class ${shortened(first.of, 60)}.`;
  const roc = figure({
    title: "ROC curve",
    says: `${whose} ${many ? "" : `Area ${number(first.rocAuc)}. `}The dashed line is guessing.`,
    chart: await draw(
      lineSpec({
        lines: thresholdCurves.map(({ of, roc: points }) => ({ name: of, points })),
        x: "false-positive rate",
        y: "true-positive rate",
        unit: true,
        reference: [
          [0, 0],
          [1, 1],
        ],
      }),
    ),
    table: areas,
  });
  const precision = figure({
    title: "Precision and recall",
    says: `${whose} ${many ? "" : `Average precision ${number(first.averagePrecision)}; guessing has ${number(first.prevalence)}, the dashed line.`}`,
    chart: await draw(
      lineSpec({
        lines: thresholdCurves.map(({ of, precisionRecall: points }) => ({ name: of, points })),
        x: "recall",
        y: "precision",
        unit: true,
        ...(many
          ? {}
          : {
              reference: [
                [0, first.prevalence],
                [1, first.prevalence],
              ] as const,
            }),
      }),
    ),
    table: areas,
  });
  return [roc, precision];
}

async function reliabilityCards({ reliability, run }: Outcome): Promise<Html[]> {
  if (!reliability) return [];
  const { bins, calibrationError, of } = reliability;
  return [
    figure({
      title: "Calibration",
      says: html`How often what was given a probability came true, in ${bins.length} groups of ${unitsOf(run).row.many}${
        of === null
          ? " by the probability of the predicted class"
          : ` by the probability of ${shortened(of, 60)}`
      }. On the dashed line probabilities mean what they say; here they are off by ${percent(calibrationError)} on average. Bars are 95 % intervals.`,
      chart: await draw(reliabilitySpec(bins)),
      table: {
        caption: "Calibration",
        columns: [
          { head: "Probability given", numeric: true },
          { head: "Came true", numeric: true },
          { head: "95 % interval", numeric: true },
          { head: capital(unitsOf(run).row.many), numeric: true },
        ],
        rows: bins.map((bin) => [
          percent(bin.predicted),
          percent(bin.observed),
          `${percent(bin.low)} … ${percent(bin.high)}`,
          whole(bin.rows),
        ]),
      },
    }),
  ];
}

async function residualCards({ residuals, run }: Outcome): Promise<Html[]> {
  if (!residuals) return [];
  const { sample, rows, mean, medianAbsolute, quantiles, below, above, groups } = residuals;
  const { row } = unitsOf(run);
  const label = shortened(run.label, 40);
  const outside = below + above;
  const drawn = drawnRows(sample);
  const hidden = sample.length - drawn.length;
  const quantilesTable = {
    caption: "Quantiles of actual − predicted",
    columns: [{ head: "Quantile" }, { head: "actual − predicted", numeric: true }],
    rows: quantiles.map(({ q, value }) => [percent(q, 0), number(value)]),
  };
  return [
    figure({
      title: "Predicted and actual",
      says: `${whole(sample.length)} of ${whole(rows)} ${row.many}. On the dashed line a prediction is right.${
        hidden > 0
          ? ` ${plural(hidden, row.one, row.many)} of these, far from all others, ${hidden === 1 ? "is" : "are"} not drawn.`
          : ""
      }`,
      chart: await draw(scatterSpec(drawn, label)),
      table: {
        caption: `Predicted and actual values of some ${row.many}`,
        columns: [
          { head: "Actual", numeric: true },
          { head: "Predicted", numeric: true },
        ],
        rows: sample.slice(0, 50).map(([actual, predicted]) => [number(actual), number(predicted)]),
      },
    }),
    figure({
      title: "Residuals",
      says: `Half of the predictions are within ${number(medianAbsolute)} of the actual ${label}; on average actual − predicted is ${number(mean)}.${
        outside > 0 ? ` ${whole(outside)} ${row.many} lie outside what is drawn.` : ""
      }`,
      chart: await draw(residualSpec(residuals, row.many)),
      table: quantilesTable,
    }),
    ...(groups ? [await residualGroupsCard(groups, label, row.many)] : []),
  ];
}

async function residualGroupsCard(
  groups: NonNullable<NonNullable<Outcome["residuals"]>["groups"]>,
  label: string,
  rows: string,
): Promise<Html> {
  return figure({
    title: "Residuals by prediction",
    says: `The median of actual − predicted in ${plural(groups.length, "group")} of ${rows} by what is predicted; lines hold the middle 80 %. Above the dashed line predictions are too low; where lines grow longer, errors grow with the prediction.`,
    chart: await draw(residualGroupsSpec(groups, label)),
    table: {
      caption: `Residuals of ${rows} by what is predicted`,
      columns: [
        { head: "Predicted, mean", numeric: true },
        { head: "Actual, mean", numeric: true },
        { head: "Residual, median", numeric: true },
        { head: "Middle 80 %", numeric: true },
        { head: capital(rows), numeric: true },
      ],
      rows: groups.map(({ predicted, actual, low, median, high, rows: count }) => [
        number(predicted),
        number(actual),
        number(median),
        `${number(low)} … ${number(high)}`,
        whole(count),
      ]),
    },
  });
}

async function quantileCards({ quantiles, run }: Outcome): Promise<Html[]> {
  if (!quantiles) return [];
  const { levels, outer, rows } = quantiles;
  return [
    figure({
      title: "Calibration of quantiles",
      says: `How large a share of ${plural(rows, "row")} is not above its predicted quantile, by level. On the dashed line quantiles are what their levels say. ${
        outer
          ? `Between the outermost levels lie ${percent(outer.measured)} of the rows, where ${percent(outer.nominal)} should; they are ${number(outer.meanWidth)} of ${shortened(run.label, 40)} apart on average. `
          : ""
      }Bars are 95 % intervals.`,
      chart: await draw(
        reliabilitySpec(
          levels.map(({ level, observed, low, high }) => ({
            predicted: level,
            observed,
            low,
            high,
            rows,
          })),
          { x: "level", y: "share not above" },
        ),
      ),
      table: {
        caption: "Calibration of quantiles",
        columns: [
          { head: "Level", numeric: true },
          { head: "Not above", numeric: true },
          { head: "95 % interval", numeric: true },
          { head: "Pinball loss", numeric: true },
        ],
        rows: levels.map(({ level, observed, low, high, pinball }) => [
          String(level),
          percent(observed),
          `${percent(low)} … ${percent(high)}`,
          number(pinball),
        ]),
      },
    }),
  ];
}

/** What was measured of the model beside its predictions. */
function figuresCards({ uncertainty, distillation }: RunReport): Html[] {
  return [
    ...(uncertainty ? [figuresCard("Uncertainty", uncertainty)] : []),
    ...(distillation ? [figuresCard("Against the teacher", distillation)] : []),
  ];
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
