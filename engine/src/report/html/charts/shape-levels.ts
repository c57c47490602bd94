import type { ShapesSection } from "../../shapes-document.ts";
import { percent } from "../format.ts";
import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

type Term = ShapesSection["terms"][number];

const BAR = 22;
/** Pixels of the axis and its title. */
const AXIS = 56;

/** Categories as bars with whiskers of a deviation, one a class; at the right their shares of the rows. */
export function shapeLevelsSpec(
  { levels = [], missing }: Pick<Term, "levels" | "missing">,
  { of, x: title }: { readonly of: readonly string[]; readonly x: string },
): Chart {
  const classes = of.length > 1 ? uniqueLabels(of, 200) : ["value"];
  const cells = [
    ...levels.map(({ name, ...cell }) => ({ name: name ?? "(rarer ones)", ...cell })),
    ...(missing ? [{ name: "(missing)", ...missing }] : []),
  ];
  const labels = uniqueLabels(cells.map(({ name }) => name));
  const bars = cells.flatMap(({ values, deviations }, i) =>
    classes.map((name, k) => ({
      label: labels[i],
      name,
      value: values[k],
      low: values[k] - deviations[k],
      high: values[k] + deviations[k],
    })),
  );
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    axis: { title: null, ticks: false, domain: false, labelColor: "var(--ink)", labelPadding: 6 },
  } as const;
  const yOffset = classes.length > 1 ? { yOffset: { field: "name", sort: null } as const } : {};
  const color = {
    field: "name",
    type: "nominal",
    scale: { domain: classes, range: SERIES.slice(0, classes.length) },
  } as const;
  // At the right there is room for the shares.
  const low = bars.reduce((least, bar) => Math.min(least, bar.low), 0);
  const high = bars.reduce((most, bar) => Math.max(most, bar.high), 0);
  const size = high - low || 1;
  const domain: [low: number, high: number] = [low - 0.03 * size, high + 0.25 * size];
  const x = {
    type: "quantitative",
    title,
    scale: { domain, nice: false, zero: false },
    axis: { tickCount: 5 },
  } as const;
  const layer: ChartSpec["layer"] = [
    {
      data: { values: bars },
      mark: { type: "bar", height: { band: 0.7 } },
      encoding: { y, ...yOffset, color, x: { ...x, field: "value" }, x2: { datum: 0 } },
    },
    {
      data: { values: bars },
      mark: { type: "rule", color: "var(--ink)", strokeWidth: 1.25 },
      encoding: { y, ...yOffset, x: { ...x, field: "low" }, x2: { field: "high" } },
    },
    {
      data: {
        values: cells.map(({ weight }, i) => ({ label: labels[i], text: percent(weight) })),
      },
      mark: { type: "text", align: "right", color: "var(--muted)", fontSize: 11 },
      encoding: { y, x: { value: "width" }, text: { field: "text" } },
    },
  ];
  const band = classes.length > 1 ? 8 + 9 * classes.length : BAR;
  return {
    spec: { height: AXIS + band * cells.length, layer },
    legend: classes.length > 1 ? classes.map((name, i) => ({ name, colour: SERIES[i] })) : [],
  };
}
