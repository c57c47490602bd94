/** What Vega makes of a specification, with the widths of texts that the page's font has. */

import { logger, None, parse, type Runtime, textMetrics, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
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

/** How specifications without their rows compile, which is half of the work of a drawing. */
const compiled = new Map<string, Runtime>();
const MOST_COMPILED = 64;

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const { outline, sources } = withoutRows(spec);
  const view = new View(compiledOutline(outline), { renderer: "none", logger: SILENT });
  try {
    for (const [name, rows] of sources) view.data(name, rows);
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** The text of a specification that names its sources of rows, and those by name; equal ones are one. */
function withoutRows(spec: TopLevelSpec) {
  const names = new Map<string, string>();
  const sources = new Map<string, unknown[]>();
  const outline = JSON.stringify(spec, (member, value: unknown) => {
    if (member !== "data" || !isSource(value)) return value;
    const rows = JSON.stringify(value.values);
    const name = names.get(rows) ?? `rows ${names.size}`;
    names.set(rows, name);
    // Vega numbers the rows that it is given in place.
    sources.set(name, JSON.parse(rows));
    return { ...value, values: undefined, name };
  });
  return { outline, sources };
}

function isSource(value: unknown): value is { readonly values: readonly unknown[] } {
  return (
    typeof value === "object" && value !== null && "values" in value && Array.isArray(value.values)
  );
}

function compiledOutline(outline: string): Runtime {
  const known = compiled.get(outline);
  const runtime = known ?? parse(compile(JSON.parse(outline), { logger: SILENT }).spec);
  // The last used is the last to go.
  compiled.delete(outline);
  compiled.set(outline, runtime);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MOST_COMPILED) break;
    compiled.delete(oldest);
  }
  return runtime;
}
