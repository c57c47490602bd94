/**
 * Vega-Lite specifications → SVG, without a DOM. Colours are CSS variables of the page, so one
 * drawing serves light, dark and paper. What it shows to those who cannot see it stands beside it.
 */

import { logger, None, parse, textMetrics, View } from "vega";
import { type Config, compile, type TopLevelSpec } from "vega-lite";
import { Html, printable } from "../markup.ts";
import { textWidth } from "./text-width.ts";

/** Vega exports this and takes a function of ours, but its types do not say so. */
declare module "vega" {
  export const textMetrics: {
    width: (item: { readonly fontSize?: number; readonly limit?: number }, text: string) => number;
  };
}

textMetrics.width = ({ fontSize = 11, limit = 0 }, text) => {
  const width = textWidth(String(text ?? ""), fontSize);
  return limit > 0 ? Math.min(width, limit) : width;
};

/** What it would tell a console is for whoever writes a chart. */
const SILENT = logger(None);

export const WIDTH = 440;
const FONT = "system-ui, sans-serif";

/** Colours of series, in this order. */
export const SERIES: readonly string[] = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `var(--s${i})`);

const CONFIG: Config = {
  aria: false,
  background: "none",
  font: FONT,
  view: { stroke: null },
  bar: { color: SERIES[0] },
  line: { color: SERIES[0], strokeWidth: 1.75 },
  point: { color: SERIES[0], filled: true, size: 28 },
  rule: { color: "var(--axis)" },
  rect: { color: SERIES[0] },
  text: { color: "var(--ink)", fontSize: 11 },
  axis: {
    domainColor: "var(--axis)",
    gridColor: "var(--grid)",
    tickColor: "var(--axis)",
    tickSize: 4,
    labelColor: "var(--muted)",
    labelFontSize: 12,
    labelLimit: 190,
    labelPadding: 5,
    titleColor: "var(--ink)",
    titleFontSize: 12,
    titleFontWeight: "normal",
    titlePadding: 6,
  },
  legend: { disable: true },
};

/** Largest over smallest of the values from which on a linear scale shows the small ones as one. */
const WIDE = 100;

/** Whether values are better shown by their logarithms: all positive, and over powers of ten. */
export function isWide(values: readonly number[]): boolean {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least > 0 && most / least >= WIDE;
}

export type ChartSpec = Omit<Extract<TopLevelSpec, { layer: unknown }>, "$schema" | "config">;

/** Draws it, `WIDTH` wide with all its axes and legends. */
export async function draw(spec: ChartSpec): Promise<Html> {
  const sized: TopLevelSpec = {
    width: WIDTH,
    autosize: { type: "fit", contains: "padding" },
    padding: { left: 2, right: 8, top: 2, bottom: 2 },
    ...spec,
    config: CONFIG,
  };
  const view = new View(parse(compile(sized, { logger: SILENT }).spec), {
    renderer: "none",
    logger: SILENT,
  });
  try {
    return new Html(trimmed(await view.toSVG()));
  } finally {
    view.finalize();
  }
}

/** The size is the page's affair; what says nothing and what cannot be seen weigh for nothing. */
function trimmed(svg: string): string {
  return printable(svg)
    .replace(/^<svg[^>]*? (viewBox="[^"]*")[^>]*>/, "<svg $1>")
    .replaceAll(/<path class="(?:fore|back)ground"[^>]*\/>/g, "")
    .replaceAll(/<text [^>]* opacity="0"[^>]*>[^<]*<\/text>/g, "")
    .replaceAll(/<[^>]*>/g, (tag) => tag.replaceAll(USELESS, "").replaceAll(DIGITS, "$1"))
    .replace("<svg ", '<svg aria-hidden="true" focusable="false" ');
}

const USELESS =
  / (?:class|role|aria-hidden|aria-roledescription|pointer-events)="[^"]*"| opacity="1"/g;
/** A hundredth of a pixel is seen by nobody. */
const DIGITS = /(\d\.\d\d)\d+/g;
