/** The whole report as one HTML document that asks for nothing else: no script, no font, no image. */

import { createHash } from "node:crypto";
import type { RunReport } from "../document.ts";
import { section } from "./figure.ts";
import { Html, html } from "./markup.ts";
import { dataSection } from "./sections/data.ts";
import { forecastsSection } from "./sections/forecasts.ts";
import { importanceSection } from "./sections/importance.ts";
import { logSection } from "./sections/log.ts";
import { modelsSection } from "./sections/models.ts";
import { outcomeSection } from "./sections/outcome.ts";
import { overview } from "./sections/overview.ts";
import { searchSection } from "./sections/search.ts";
import { sequencesSection } from "./sections/sequences.ts";
import { STYLE } from "./style.ts";

/** The style sheet is the one thing that may have an effect, wherever the page is opened. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

export async function reportPage(report: RunReport): Promise<string> {
  const sections = [
    await forecastsSection(report),
    await modelsSection(report),
    await outcomeSection(report),
    await sequencesSection(report),
    await importanceSection(report),
    await searchSection(report),
    dataSection(report),
    logSection(report),
  ].filter((each) => each !== null);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${report.name} – run report</title>
<style>${new Html(STYLE)}</style></head>
<body>
${overview(report)}
<main>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
${sections.map(section)}</main>
<footer><p>Made by Distillery ${report.environment["engine"]}. The same figures are in the report's JSON.</p></footer>
</body></html>
`;
  return page.text;
}
