import type { ForecastsSection } from "../../forecast-document.ts";
import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

type Season = ForecastsSection["seasons"][number];

/** More are a line. */
const MOST_BARS = 31;
/** Names that stand beside each other on the axis. */
const MOST_NAMES = 13;

/** What each place of a season adds to its level, with the middle half of what it did. */
export function seasonalSpec({ places, relative }: Season, label: string): Chart {
  const names = uniqueLabels(places.map(({ name }) => name));
  const values = places.map(({ mean, low, high }, i) => ({ place: names[i], mean, low, high }));
  const every = Math.ceil(places.length / MOST_NAMES);
  const x = {
    field: "place",
    type: "ordinal",
    sort: null,
    title: null,
    axis: {
      labelAngle: 0,
      labelOverlap: true,
      ticks: false,
      values: names.filter((_, place) => place % every === 0),
    },
  } as const;
  const y = {
    type: "quantitative",
    title: relative ? "difference to the level" : `${uniqueLabels([label], 40)[0]} − level`,
    axis: { tickCount: 6, ...(relative ? { format: ".0%" } : {}) },
  } as const;
  const areBars = places.length <= MOST_BARS;
  const layer: ChartSpec["layer"] = areBars
    ? [
        {
          mark: { type: "bar", color: SERIES[0], opacity: 0.75, width: { band: 0.7 } },
          encoding: { x, y: { ...y, field: "mean" } },
        },
        {
          mark: { type: "rule", color: "var(--ink)", strokeWidth: 1.25 },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
      ]
    : [
        {
          mark: { type: "area", color: SERIES[0], opacity: 0.2 },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
        { mark: { type: "line", color: SERIES[0] }, encoding: { x, y: { ...y, field: "mean" } } },
      ];
  return { spec: { data: { values }, height: 250, layer }, legend: [] };
}
