/** Every trial, the configuration, and where the run was made. */

import type { RunReport, TrialSection } from "../../document.ts";
import { type Section, table } from "../figure.ts";
import { plural, score, seconds, shortened } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { parametersOf, variedParameters } from "./models.ts";

/** More would make the page heavy; the JSON has all. */
const TRIALS = 300;

export function logSection(report: RunReport): Section {
  const { run, environment, trials, trialsLeftOut } = report;
  const [metric] = run.metrics;
  const shown = trials.slice(0, TRIALS);
  const varied = variedParameters(trials);
  const more = trials.length - shown.length + trialsLeftOut;
  return {
    id: "log",
    title: "Trials and configuration",
    content: html`<div class="card"><h3>Trials</h3>${run.stopped !== null && html`<p class="note">The search ended early: ${run.stopped}</p>`}${
      more > 0 &&
      html`<p class="note">The first ${shown.length}; ${plural(more, "trial")} more are not listed here.</p>`
    }<details><summary>${plural(shown.length, "trial")}</summary>${table({
      caption: "Trials",
      stacks: true,
      columns: [
        { head: "Trial", numeric: true },
        { head: "Family" },
        { head: "State" },
        { head: metric.name, numeric: true },
        { head: "Fitting", numeric: true },
        { head: "Why it ended" },
        { head: "Parameters" },
      ],
      rows: shown.map((trial) => [
        trial.number,
        trial.family,
        html`<span class="${trial.state}">${trial.state}</span>`,
        score(trial.scores?.[metric.name]),
        seconds(trial.seconds),
        reasonOf(trial),
        parametersOf(trial, varied),
      ]),
    })}</details></div>
<div class="grid below"><div class="card"><h3>Families</h3>${families(run)}</div>
<div class="card"><h3>Environment</h3>${table({
      caption: "Environment",
      columns: [{ head: "Part" }, { head: "Version" }],
      rows: Object.entries(environment),
    })}<details><summary>Configuration</summary><pre>${JSON.stringify(run.config, null, 1)}</pre></details></div></div>`,
  };
}

function reasonOf({ reason }: TrialSection): string {
  return reason === null ? "–" : shortened(reason, 300);
}

function families(run: RunReport["run"]): Html {
  return table({
    caption: "Model families",
    columns: [{ head: "Family" }, { head: "In the run" }, { head: "Why" }],
    rows: run.families.map(({ family, reason, used }) => [family, used ? "yes" : "no", reason]),
  });
}
