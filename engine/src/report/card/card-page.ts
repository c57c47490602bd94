/** A model's card as one HTML document in the report's style, which asks for nothing else. */

import { createHash } from "node:crypto";
import { uncertaintyCardSchema } from "../../conformal/index.ts";
import { uncertaintyFigures } from "../build/card-figures.ts";
import { shareBar } from "../html/charts/spark.ts";
import { figuresCard, type Section, section, table } from "../html/figure.ts";
import { figure, percents, plural, score, shortened, whole } from "../html/format.ts";
import { type Content, Html, html } from "../html/markup.ts";
import { STYLE } from "../html/style.ts";
import type { ModelCardDocument } from "./model-card.ts";

/** The report's, and code that is as wide as the card lets it. */
const CARD_STYLE = `${STYLE}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-wrap:anywhere}
pre+h3{margin-top:20px}
`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(CARD_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

const COLUMNS = 200;
const IMPORTANT = 30;

/** The page of a card: without scripts and outside requests, for light, dark and paper. */
export function modelCardPage(card: ModelCardDocument): string {
  const sections = [
    scoresSection(card),
    inputsSection(card),
    importanceSection(card),
    certaintySection(card),
    callsSection(card),
    limitsSection(card),
    originSection(card),
  ].filter((each) => each !== null);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${card.name} – model card</title>
<style>${new Html(CARD_STYLE)}</style></head>
<body>
${headOf(card)}
<main>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
${sections.map(section)}</main>
<footer><p>Made by Distillery ${card.environment["engine"]}. The same facts are in the card's JSON.</p></footer>
</body></html>
`;
  return page.text;
}

function headOf(card: ModelCardDocument): Html {
  const version = card.version === null ? "" : ` version ${card.version}`;
  const first = card.scores[0];
  const shares = percents(
    card.members.map(({ share }) => share),
    0,
  );
  const members = card.members
    .map(({ family }, place) => (card.members.length > 1 ? `${family} ${shares[place]}` : family))
    .join(", ");
  const count = card.members.reduce((sum, each) => sum + each.count, 0);
  return html`<header><h1>${shortened(card.name, 120)}${version}</h1>
<p class="lead">${card.task.title} of <strong>${shortened(card.task.label, 80)}</strong>. ${card.answers}</p>
${card.notes !== "" && html`<p>${card.notes}</p>`}
${labels(card)}
${card.warnings.length > 0 && html`<div class="warnings"><h2>Warnings</h2><ul>${card.warnings.map((each) => html`<li>${each}</li>`)}</ul></div>`}
<dl class="tiles">${[
    tile(
      first?.metric ?? "Score",
      score(first?.score),
      `${first?.better ?? "higher"} is better; on held-out rows`,
    ),
    tile("Trained on", whole(card.rows), `rows of ${plural(card.inputs.length, "column")}`),
    tile("Made of", plural(count, "fit"), members),
    tile("Kind", card.kind === "ensemble" ? "blend" : "single", calibrationOf(card)),
  ]}</dl>
</header>`;
}

/** Of probabilities; values have none. */
function calibrationOf({ calibrated, task }: ModelCardDocument): string {
  if (calibrated.length > 0) return `calibrated: ${calibrated.join(", ")}`;
  return task.classes.length > 0 ? "not calibrated" : "";
}

function labels({ aliases, tags }: ModelCardDocument): Html {
  const said = [
    ...aliases.map((alias) => `@${alias}`),
    ...Object.entries(tags).map(([key, value]) => `${key}: ${value}`),
  ];
  return said.length === 0 ? html`` : html`<p class="note">${said.join(" · ")}</p>`;
}

function tile(name: string, value: Content, small: string): Html {
  return html`<div class="tile"><dt>${name}</dt><dd>${value}<small>${small}</small></dd></div>\n`;
}

function scoresSection({ scores, validation, trials }: ModelCardDocument): Section {
  return {
    id: "scores",
    title: "How good it is",
    content: html`<div class="card"><p class="note">Measured on rows that had no say in what predicts them, by ${validation}. ${plural(trials.finished, "trial")} of ${whole(trials.planned)} finished${trials.failed > 0 && `, ${whole(trials.failed)} failed`}.</p>${table(
      {
        caption: "Scores",
        columns: [
          { head: "Metric" },
          { head: "All folds together", numeric: true },
          { head: "Mean over folds", numeric: true },
          { head: "Better" },
        ],
        rows: scores.map((each) => [
          each.metric,
          score(each.score),
          score(each.mean_over_folds),
          each.better,
        ]),
        stacks: true,
      },
    )}</div>`,
  };
}

function inputsSection({ inputs, ignored, rows }: ModelCardDocument): Section {
  const shown = inputs.slice(0, COLUMNS);
  const left = inputs.length - shown.length;
  return {
    id: "inputs",
    title: "What it reads",
    content: html`<div class="card">${table({
      caption: "Columns",
      columns: [
        { head: "Column" },
        { head: "Kind" },
        { head: "Missing cells" },
        { head: "Values" },
      ],
      rows: shown.map((input) => [
        shortened(input.column, 60),
        input.kind,
        input.nullable ? "in the training data" : "none in the training data",
        valuesOf(input, rows),
      ]),
      stacks: true,
    })}${left > 0 && html`<p class="note">And ${plural(left, "more column")}.</p>`}${
      ignored.length > 0 &&
      html`<p class="note">Not read: ${ignored
        .slice(0, COLUMNS)
        .map(({ column, reason }) => `${shortened(column, 60)} (${reason})`)
        .join(", ")}.</p>`
    }</div>`,
  };
}

/** @param rows that the model was trained on */
function valuesOf(input: ModelCardDocument["inputs"][number], rows: number): Content {
  if (input.range !== null) {
    const [least, greatest] = input.range;
    const isWhole = input.range_rows !== null && input.range_rows >= rows;
    return `${isWhole ? "" : "about "}${figure(least)} to ${figure(greatest)}`;
  }
  if (input.earliest !== null) return `from ${input.earliest} on`;
  if (input.category_count !== null) {
    const names = input.categories.slice(0, 6).map((name) => shortened(name, 30));
    const more = input.category_count - names.length;
    return `${names.join(", ")}${more > 0 ? ` and ${whole(more)} more` : ""}`;
  }
  return input.kind === "boolean" ? "true, false" : "";
}

function importanceSection({
  importance,
  importance_by,
  scores,
}: ModelCardDocument): Section | null {
  const ranked = importance.filter((each) => each.importance !== 0).slice(0, IMPORTANT);
  if (ranked.length === 0) return null;
  const most = Math.max(...ranked.map((each) => Math.abs(each.importance)));
  const says =
    importance_by === "permutation"
      ? `How much worse ${scores[0]?.metric ?? "its score"} gets on held-out rows when a column is shuffled.`
      : "Each column's share of what the fits gained by it (trees: gain of the splits; linear: size of the contributions), on training rows.";
  return {
    id: "importance",
    title: "What it relies on",
    content: html`<div class="card"><p class="note">${says}</p>${table({
      caption: "Importance",
      columns: [
        { head: "Column" },
        { head: "" },
        { head: "Importance", numeric: true },
        { head: "±", numeric: true },
      ],
      rows: ranked.map((each) => [
        shortened(each.column, 60),
        shareBar(each.importance / most),
        figure(each.importance),
        figure(each.deviation),
      ]),
    })}</div>`,
  };
}

function certaintySection({ uncertainty, fidelity }: ModelCardDocument): Section | null {
  // The rows where they differ are numbers without their cells: the data are not part of a card.
  const { disagreements: _, ...told } = fidelity ?? {};
  const known = uncertaintyCardSchema.safeParse(uncertainty);
  const figures = known.success ? uncertaintyFigures({ uncertainty: known.data }) : null;
  const cards = [
    figures && figuresCard("Intervals and sets", figures),
    fidelity && factsCard("How true it is to its teacher", "", told),
  ].filter((each) => each !== null);
  if (cards.length === 0) return null;
  return {
    id: "certainty",
    title: "How sure it is",
    content: html`<div class="grid">${cards}</div>`,
  };
}

function factsCard(title: string, note: string, facts: Readonly<Record<string, unknown>>): Html {
  return html`<div class="card"><h3>${title}</h3>${note !== "" && html`<p class="note">${note}</p>`}${table(
    {
      caption: title,
      columns: [{ head: "Fact" }, { head: "Value" }],
      rows: flat(facts).map(([name, value]) => [name, value]),
    },
  )}</div>`;
}

/** Members of members, in words: `meanWidth` is "mean width". */
function flat(facts: Readonly<Record<string, unknown>>, before = ""): [string, string][] {
  return Object.entries(facts).flatMap(([key, value]): [string, string][] => {
    const name = `${before}${key.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)}`;
    if (typeof value === "number") return [[name, figure(value)]];
    if (typeof value === "string") return [[name, shortened(value, 300)]];
    if (Array.isArray(value)) return value.map((each) => [name, shortened(String(each), 300)]);
    return typeof value === "object" && value !== null ? flat({ ...value }, `${name}, `) : [];
  });
}

function callsSection({ calls }: ModelCardDocument): Section {
  return {
    id: "calls",
    title: "How to call it",
    content: html`${calls.map(({ title, code }) => html`<h3>${title}</h3><pre>${code}</pre>\n`)}`,
  };
}

function limitsSection({ limits, notes_of_run }: ModelCardDocument): Section {
  const list = (items: readonly string[]): Html =>
    html`<ul>${items.map((each) => html`<li>${each}</li>`)}</ul>`;
  return {
    id: "limits",
    title: "Its limits",
    content: html`<div class="card">${list(limits)}${notes_of_run.length > 0 && html`<h3>Notes of its run</h3>${list(notes_of_run)}`}</div>`,
  };
}

function originSection({
  id,
  job_id,
  dataset,
  created_at,
  environment,
  config,
}: ModelCardDocument): Section {
  const facts: [string, string | null | undefined][] = [
    ["Model", id],
    ["Made", created_at],
    ["Training job", job_id],
    ["Dataset", dataset && `${dataset.name ?? "deleted"} (${dataset.id})`],
    ["Rows of the dataset", dataset?.rows == null ? null : whole(dataset.rows)],
    ["Hash of the dataset", dataset?.hash],
    ...Object.entries(environment),
  ];
  return {
    id: "origin",
    title: "Where it comes from",
    content: html`<div class="card">${table({
      caption: "Origin",
      columns: [{ head: "What" }, { head: "Which" }],
      rows: facts.flatMap(([name, value]) => (value ? [[name, value]] : [])),
    })}<details><summary>The run's configuration</summary><pre>${JSON.stringify(config, null, 2)}</pre></details></div>`,
  };
}
