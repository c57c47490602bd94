/** What Vega makes of a specification, with the widths of texts that the page's font has. */

import { logger, None, parse, textMetrics, View } from "vega";
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

export async function svgOf(spec: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(spec, { logger: SILENT }).spec), {
    renderer: "none",
    logger: SILENT,
  });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
