/** What the model relies on: permutation and gain importance, and SHAP values of some rows. */

import { taskType } from "../../../tasks/index.ts";
import type { RunReport } from "../../document.ts";
import { barsSpec } from "../charts/bars.ts";
import { beeswarmSpec } from "../charts/beeswarm.ts";
import { draw } from "../charts/draw.ts";
import { SERIES } from "../charts/spec.ts";
import { figure, type Section } from "../figure.ts";
import { figure as number, percent, plural, shortened } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { unitsOf } from "../units.ts";

const BARS = 15;
/** Explained rows that say little of all others. */
const FEW_ROWS = 20;
const TABLE_ROWS = 200;

const SPACES: Readonly<Record<string, string>> = {
  identity: "in the units of what is predicted",
  probability: "in probability",
  logit: "in log-odds",
  log_softmax: "in the class's margin",
};

export async function importanceSection(report: RunReport): Promise<Section | null> {
  const cards = [
    await permutationFigure(report),
    await gainFigure(report),
    await explanationFigure(report),
  ].filter((card) => card !== null);
  const note = noteOf(report);
  if (cards.length === 0 && note === "") return null;
  return {
    id: "importance",
    title: "What the model relies on",
    content: html`${note !== "" && html`<p class="note">${note}</p>`}<div class="grid">${cards}</div>`,
  };
}

/** What figures of importance leave unsaid where rows are made of others. */
function noteOf({ run, importance, explanation }: RunReport): string {
  const label = shortened(run.label, 60);
  switch (taskType(run.task).framing?.kind) {
    case "series": {
      const others = importance.gain.filter(({ column }) => column !== run.label);
      if (others.every(({ importance: share }) => share === 0)) {
        return `Forecasts follow from the past of ${label} alone.`;
      }
      return `The past of ${label} itself is ranked by the fits alone: that of one series cannot be dealt to another.`;
    }
    case "sequences":
      return "A channel is shuffled whole: each sequence gets that of another.";
    default:
      return run.budget && !explanation
        ? "The run's time was too short to explain rows: there are no SHAP values here."
        : "";
  }
}

/** A ranking of one, or of equals, is none: fits by kernels and distances read all channels alike. */
function isRanking(shares: readonly number[]): boolean {
  const some = shares.filter((share) => share > 0);
  return (
    some.length > 0 && (shares.length > some.length || some.some((share) => share !== some[0]))
  );
}

async function permutationFigure({ importance, run }: RunReport): Promise<Html | null> {
  const { permutation } = importance;
  const shown = permutation.slice(0, BARS).filter(({ importance: rise }) => rise !== 0);
  if (shown.length === 0) return null;
  const metric = run.metrics[0].name;
  return figure({
    title: "Permutation importance",
    says: `How much worse ${metric} gets on held-out ${unitsOf(run).row.many} when a column is shuffled; whiskers are one standard deviation.${
      permutation.length > shown.length
        ? ` The first ${shown.length} of ${plural(permutation.length, "column")}.`
        : ""
    }`,
    chart: await draw(
      barsSpec(
        shown.map(({ column, importance: value, deviation }) => ({
          name: column,
          value,
          deviation,
        })),
        `${run.metrics[0].direction === "minimize" ? "rise" : "fall"} of ${metric}`,
      ),
    ),
    table: {
      caption: "Permutation importance",
      columns: [
        { head: "Column" },
        { head: "Importance", numeric: true },
        { head: "±", numeric: true },
      ],
      rows: permutation
        .slice(0, TABLE_ROWS)
        .map(({ column, importance: value, deviation }) => [
          shortened(column, 60),
          number(value),
          number(deviation),
        ]),
    },
  });
}

async function gainFigure({ importance, run }: RunReport): Promise<Html | null> {
  const shown = importance.gain.slice(0, BARS).filter(({ importance: share }) => share > 0);
  if (shown.length === 0) return null;
  const isFramed = taskType(run.task).framing !== null;
  if (isFramed && !isRanking(importance.gain.map(({ importance: share }) => share))) return null;
  return figure({
    title: "Importance by the fits themselves",
    says: "Share of what the fits gained by each column (trees: gain of the splits; linear: size of the contributions). It is measured on training rows.",
    chart: await draw(
      barsSpec(
        shown.map(({ column, importance: value }) => ({ name: column, value })),
        "share",
        SERIES[6],
      ),
    ),
    table: {
      caption: "Importance by the fits themselves",
      columns: [{ head: "Column" }, { head: "Share", numeric: true }],
      rows: importance.gain
        .slice(0, TABLE_ROWS)
        .map(({ column, importance: share }) => [shortened(column, 60), percent(share)]),
    },
  });
}

async function explanationFigure({ explanation, run }: RunReport): Promise<Html | null> {
  if (!explanation) return null;
  const { columns, rows, space, of } = explanation;
  const type = taskType(run.task);
  // Contributions to averages of probabilities are probabilities.
  const known = space === "identity" && type.target === "class" ? "probability" : space;
  const unit = SPACES[known] ?? `in ${space}`;
  const whose = of === null ? run.label : of;
  return figure({
    title: "SHAP values",
    says: html`A dot is one of ${plural(columns[0].points.length, "row")}: how far the column moved its prediction of ${shortened(whose, 60)}, ${unit}. The colour is the quintile of the row's value within the column; grey values have no order. Columns are ordered by their mean size over ${plural(rows, "row")}${
      type.link === "log_softmax" ? " and all classes" : ""
    }.${rows < Math.min(FEW_ROWS, run.rows) ? " There was time for no more; so few rows say little of the others." : ""}`,
    chart: await draw(beeswarmSpec(columns, "contribution")),
    table: {
      caption: "Mean absolute contributions",
      columns: [{ head: "Column" }, { head: "Mean |contribution|", numeric: true }],
      rows: columns.map(({ column, size }) => [shortened(column, 60), number(size)]),
    },
  });
}
