/** The columns of the data: kind, missing share, spread. */

import type { ColumnSection, RunReport } from "../../document.ts";
import { spark } from "../charts/spark.ts";
import { type Section, table } from "../figure.ts";
import { figure, percent, plural, shortened, whole } from "../format.ts";
import { type Content, type Html, html } from "../markup.ts";
import { unitsOf } from "../units.ts";

const COLUMNS = 60;
const TOP = 3;

export function dataSection(report: RunReport): Section {
  const { data } = report;
  const columns = inOrder(report);
  const shown = columns.slice(0, COLUMNS);
  const left = columns.length - shown.length + data.columnsLeftOut;
  return {
    id: "data",
    title: "The data",
    content: html`<div class="card"><p class="note">The label first, then columns by their importance.${
      data.profiledRows < data.rows
        ? ` Profiled on ${whole(data.profiledRows)} evenly spaced ${unitsOf(report.run).row.many} of ${whole(data.rows)}.`
        : ""
    }${left > 0 ? ` ${plural(left, "column")} more are not shown.` : ""}</p>${table({
      caption: "Columns of the data",
      columns: [
        { head: "Column" },
        { head: "Kind" },
        { head: "Missing", numeric: true },
        { head: "Distinct", numeric: true },
        { head: "Distribution" },
        { head: "Least … median … greatest, or most frequent" },
      ],
      rows: shown.map((column) => row(column, column.values ?? data.profiledRows)),
    })}${dropped(data.dropped)}</div>`,
  };
}

/** By shuffling where that was measured, behind it by the fits themselves. */
export function inOrder({
  data,
  importance,
}: {
  readonly data: { readonly columns: readonly ColumnSection[] };
  readonly importance: Record<
    "gain" | "permutation",
    readonly Pick<RunReport["importance"]["gain"][number], "column">[]
  >;
}): ColumnSection[] {
  const ranked = [...importance.permutation, ...importance.gain].map(({ column }) => column);
  const rank = new Map([...new Set(ranked)].map((column, place) => [column, place]));
  const place = ({ name, role }: ColumnSection): number =>
    role === "label" ? -1 : (rank.get(name) ?? rank.size);
  return [...data.columns].sort((a, b) => place(a) - place(b));
}

function row(column: ColumnSection, rows: number): Content[] {
  const { name, kind, role, missing, distinct, distinctIsEstimate } = column;
  return [
    html`${shortened(name, 60)}${role === "label" && html` <strong>(label)</strong>`}`,
    kind,
    missing === 0 ? "–" : percent(missing / rows),
    `${distinctIsEstimate ? "about " : ""}${whole(distinct)}`,
    picture(column, rows),
    html`${words(column, rows)}${(column.implausible ?? []).map((told) => html` <em>${told}</em>`)}`,
  ];
}

function picture({ numbers, top }: ColumnSection, rows: number): Html {
  if (numbers) return spark(numbers.histogram.counts);
  return top && isFrequent(top[0], rows) ? spark(top.map(({ count }) => count)) : html`–`;
}

function words({ kind, numbers, top }: ColumnSection, rows: number): Content {
  if (numbers) {
    const shown = kind === "timestamp" ? time : figure;
    return `${shown(numbers.min)} … ${shown(numbers.median)} … ${shown(numbers.max)}`;
  }
  if (!top) return "–";
  if (!isFrequent(top[0], rows)) return `such as ${shortened(top[0].value, 48)}`;
  return top
    .slice(0, TOP)
    .map(({ value, count }) => `${shortened(value, 24)} ${percent(count / rows, 0)}`)
    .join(", ");
}

/** Values that hardly come twice have no distribution to show. */
function isFrequent(top: { readonly count: number } | undefined, rows: number): boolean {
  return top !== undefined && top.count >= 0.01 * rows && top.count > 1;
}

function time(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(0, 10);
}

function dropped(columns: RunReport["data"]["dropped"]): Html {
  if (columns.length === 0) return html``;
  return html`<details><summary>${plural(columns.length, "column")} not used</summary>${table({
    caption: "Columns that were not used",
    columns: [{ head: "Column" }, { head: "Kind" }, { head: "Why" }],
    rows: columns
      .slice(0, 200)
      .map(({ name, kind, reason }) => [shortened(name, 60), kind, reason]),
  })}</details>`;
}
