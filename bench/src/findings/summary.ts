/** All that a bench has compared, as one table. */

import { shortNumber, textTable } from "../text-table.ts";
import type { Finding } from "./findings.ts";
import type { History, Measured } from "./history.ts";
import { describeMachine } from "./machine.ts";

const HEADER = ["", "ours", "", "against", "theirs", "ratio", "last time"];

interface Summary {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

function summaryOf(findings: readonly Finding[], measured: Measured, history: History): Summary {
  const { machine, commit, date, quick } = measured;
  const version = commit === null ? "" : `, ${commit}`;
  const rows = findings.flatMap((finding) => {
    const { part, what, unit, ours, against, theirs, ratio } = finding;
    if (against === null || theirs === null || ratio === null) return [];
    const change = history.changeOf(measured, finding);
    const last =
      change === null ? "" : `${shortNumber(change.last, 3)}${change.worse ? " WORSE" : ""}`;
    const figures = [shortNumber(ours), unit, against, shortNumber(theirs)];
    return [[`${part}: ${what}`, ...figures, shortNumber(ratio, 3), last]];
  });
  const sizes = quick ? ", small sizes" : "";
  return { title: `${describeMachine(machine)}${version}, ${date.slice(0, 10)}${sizes}`, rows };
}

const ABOVE = "A ratio above 1 says how many times better ours is.";

/** For a terminal. Empty where nothing was compared. */
export function summaryText(
  findings: readonly Finding[],
  measured: Measured,
  history: History,
): string {
  const { title, rows } = summaryOf(findings, measured, history);
  if (rows.length === 0) return "";
  return `\n${title}\n${ABOVE}\n\n${textTable(HEADER, rows)}\n`;
}

/** The same as Markdown. */
export function summaryMarkdown(
  findings: readonly Finding[],
  measured: Measured,
  history: History,
): string {
  const { title, rows } = summaryOf(findings, measured, history);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = "| --- | ---: | --- | --- | ---: | ---: | ---: |";
  return `${title}. ${ABOVE}\n\n${[line(HEADER), rule, ...rows.map(line)].join("\n")}\n`;
}
