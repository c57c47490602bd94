/** One HTML document that asks for nothing else: no script, no font, no image. */

import { createHash } from "node:crypto";
import { type Section, section } from "./figure.ts";
import { type Content, Html, html } from "./markup.ts";
import { STYLE } from "./style.ts";

/** The style sheet is the one thing that may have an effect, wherever the page is opened. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

export interface DocumentPage {
  readonly title: string;
  readonly header: Html;
  readonly sections: readonly Section[];
  readonly footer: Content;
}

export function documentPage({ title, header, sections, footer }: DocumentPage): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(STYLE)}</style></head>
<body>
${header}
<main>
<nav aria-label="Sections"><ul>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
${sections.map(section)}</main>
<footer><p>${footer}</p></footer>
</body></html>
`;
  return page.text;
}

/** What is to be known before all else; nothing where there is nothing. */
export function warningsBox(all: readonly string[]): Html {
  if (all.length === 0) return html``;
  return html`<div class="warnings" role="note" aria-labelledby="warnings"><h2 id="warnings">${
    all.length === 1 ? "A warning" : `${all.length} warnings`
  }</h2><ul>${all.map((warning) => html`<li>${warning}</li>`)}</ul></div>`;
}

/** A figure in the head of a page. */
export interface Tile {
  readonly name: string;
  readonly value: Content;
  readonly small?: Content;
}

export function tileList(tiles: readonly Tile[]): Html {
  return html`<dl class="tiles">${tiles.map(
    ({ name, value, small }) =>
      html`<div class="tile"><dt>${name}</dt><dd>${value}${small && html`<small>${small}</small>`}</dd></div>\n`,
  )}</dl>`;
}
