/**
 * Charts as Vega-Lite specifications: data, for whoever draws them, a page or a browser. Colours are
 * CSS variables of the page, so that one drawing serves light, dark and paper.
 */

import type { Config, TopLevelSpec } from "vega-lite";

/** Pixels of a drawing that is no wider than it must be. */
const WIDTH = 440;
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
    labelSeparation: 4,
    labelPadding: 5,
    titleColor: "var(--ink)",
    titleFontSize: 12,
    titleFontWeight: "normal",
    titlePadding: 6,
    // Names are as long as whoever wrote them liked.
    titleLimit: 280,
  },
  axisY: { titleLimit: 165 },
  // As many labels as stand beside each other: Vega leaves out every second of too many, and with them 0 and round numbers.
  axisXQuantitative: { tickCount: { signal: "max(3, ceil(width / 75))" }, labelFlush: false },
  legend: { disable: true },
};

/** What is particular to one drawing. */
export type ChartSpec = Omit<Extract<TopLevelSpec, { layer: unknown }>, "$schema" | "config">;

/** What a colour of a chart stands for. */
export interface LegendEntry {
  readonly name: string;
  /** A colour of the page, such as `var(--s1)`. */
  readonly colour: string;
}

export interface Chart {
  readonly spec: ChartSpec;
  /** What its colours stand for; of one entry it says nothing. */
  readonly legend: readonly LegendEntry[];
}

/** Drawings one below another, whose colours stand for the same. */
export interface Panels {
  readonly panels: readonly ChartSpec[];
  readonly legend: readonly LegendEntry[];
}

/** The whole specification of a drawing that is `width` pixels wide with all its axes. */
export function sizedSpec(spec: ChartSpec, width = WIDTH): TopLevelSpec {
  return {
    width,
    autosize: { type: "fit", contains: "padding" },
    padding: { left: 2, right: 8, top: 2, bottom: 2 },
    ...spec,
    config: CONFIG,
  };
}

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
