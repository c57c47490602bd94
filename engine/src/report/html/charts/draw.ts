/**
 * Vega-Lite specifications → SVG, without a DOM. What a chart shows to those who cannot see it stands
 * beside it.
 */

import { Html, html, printable } from "../markup.ts";
import { type Chart, type ChartSpec, type LegendEntry, type Panels, sizedSpec } from "./spec.ts";

/** The drawing below its legend. */
export function draw({ spec, legend }: Chart): Promise<Html> {
  return drawPanels({ panels: [spec], legend });
}

/** The drawings below their legend. */
export async function drawPanels({ panels, legend }: Panels): Promise<Html> {
  const drawings: Html[] = [];
  for (const panel of panels) drawings.push(await drawing(panel));
  return html`${legendList(legend)}${drawings}`;
}

async function drawing(spec: ChartSpec): Promise<Html> {
  // Loaded by its first use: a third of the engine's modules, and most threads never draw.
  const { svgOf } = await import("./vega-svg.ts");
  return new Html(trimmed(await svgOf(sizedSpec(spec))));
}

/** In HTML, so that it wraps where there is little room. Of one entry it says nothing, and is left out. */
function legendList(entries: readonly LegendEntry[]): Html {
  if (entries.length < 2) return html``;
  return html`<ul class="legend">${entries.map(
    ({ name, colour }) =>
      html`<li><svg class="dot" viewBox="0 0 10 10" aria-hidden="true" focusable="false"><circle cx="5" cy="5" r="5" fill="${colour}"/></svg>${name}</li>`,
  )}</ul>`;
}

/** The size is the page's affair; what says nothing and what cannot be seen weigh for nothing. */
function trimmed(svg: string): string {
  return printable(svg)
    .replace(/^<svg[^>]*? (viewBox="[^"]*")[^>]*>/, "<svg $1>")
    .replaceAll(/<path class="(?:fore|back)ground"[^>]*\/>/g, "")
    .replaceAll(/<text [^>]* opacity="0"[^>]*>[^<]*<\/text>/g, "")
    .replaceAll(/<[^>]*>/g, shortened)
    .replace("<svg ", '<svg aria-hidden="true" focusable="false" ');
}

function shortened(tag: string): string {
  const short = tag
    .replaceAll(USELESS, "")
    .replaceAll(DIGITS, "$1")
    .replace(DOT, '<circle cx="$1" cy="$2" r="$3"');
  return short.includes(" stroke=") ? short : short.replace(STROKE, "");
}

const USELESS =
  / (?:class|role|aria-hidden|aria-roledescription|pointer-events)="[^"]*"| opacity="1"/g;
/** A hundredth of a pixel is seen by nobody. */
const DIGITS = /(\d\.\d\d)\d+/g;
/** Of a drawing of thousands of dots these are most of the bytes. */
const DOT =
  /^<path transform="translate\(([-\d.]+),([-\d.]+)\)" d="M([\d.]+),0A\3,\3,0,1,1,-\3,0A\3,\3,0,1,1,\3,0Z?"/;
/** Says nothing of what has no stroke. */
const STROKE = / stroke-width="[^"]*"/;
