import type { SequencesSection } from "../../sequence-document.ts";
import { uniqueLabels } from "./labels.ts";
import type { Chart, ChartSpec, Panels } from "./spec.ts";

type Typical = SequencesSection["typical"][number];

const TOWARDS = "var(--h5)";
const AWAY = "var(--h1)";
/** Of the segment that adds most; the line stays readable over it. */
const FULLEST = 0.6;
const HEIGHT = 150;

/** A sequence, channel below channel, over segments coloured by what they add. */
export function overTimeSpec(
  { channels, segments, steps }: Typical,
  names: { readonly towards: string; readonly away: string },
): Panels {
  const largest =
    segments.reduce((most, each) => Math.max(most, Math.abs(each.contribution)), 0) || 1;
  const domain: [low: number, high: number] = [0, Math.max(1, steps - 1)];
  const labels = uniqueLabels(channels.map(({ column }) => column));
  const panels: ChartSpec[] = [];
  for (const [at, { column, points }] of channels.entries()) {
    const known = points.flatMap(([, value]) => (value === null ? [] : [value]));
    const low = known.length > 0 ? Math.min(...known) : 0;
    const high = known.length > 0 ? Math.max(...known) : 0;
    const room = high > low ? 0.05 * (high - low) : 1;
    const range: [low: number, high: number] = [low - room, high + room];
    const x = {
      type: "quantitative",
      title: at === channels.length - 1 ? "step" : null,
      scale: { domain, nice: false },
      axis: { grid: false, tickMinStep: 1, tickCount: 8, format: "d" },
    } as const;
    const y = {
      type: "quantitative",
      title: labels[at],
      scale: { domain: range, nice: false, zero: false },
      axis: { grid: false, tickCount: 4 },
    } as const;
    const own = segments
      .filter((each) => each.column === column)
      .map(({ start, end, contribution }) => ({
        // Between the steps, so that segments touch.
        from: Math.max(0, start - 0.5),
        to: Math.min(domain[1], end - 0.5),
        low: range[0],
        high: range[1],
        colour: contribution >= 0 ? "towards" : "away",
        share: (FULLEST * Math.abs(contribution)) / largest,
      }));
    panels.push({
      height: HEIGHT,
      layer: [
        {
          data: { values: own },
          mark: { type: "rect" },
          encoding: {
            x: { ...x, field: "from" },
            x2: { field: "to" },
            y: { ...y, field: "low" },
            y2: { field: "high" },
            color: {
              field: "colour",
              type: "nominal",
              scale: { domain: ["towards", "away"], range: [TOWARDS, AWAY] },
            },
            fillOpacity: {
              field: "share",
              type: "quantitative",
              scale: { domain: [0, 1], range: [0, 1] },
            },
          },
        },
        {
          data: { values: points.map(([step, value]) => ({ step, value })) },
          mark: { type: "line", color: "var(--ink)", strokeWidth: 1.5, point: steps === 1 },
          encoding: { x: { ...x, field: "step" }, y: { ...y, field: "value" } },
        },
      ],
    });
  }
  return {
    panels,
    legend: [
      { name: names.towards, colour: TOWARDS },
      { name: names.away, colour: AWAY },
    ],
  };
}

/** Mean sizes by channel and part of the time; the fuller the colour, the larger. */
export function partsSpec({ sizes, parts }: SequencesSection): Chart {
  const columns = [...new Set(sizes.map(({ column }) => column))];
  const labels = uniqueLabels(columns);
  const most = sizes.reduce((largest, { size }) => Math.max(largest, size), 0) || 1;
  const axis = { ticks: false, domain: false, labelColor: "var(--ink)", labelPadding: 4 } as const;
  return {
    spec: {
      data: {
        values: sizes.map(({ column, part, size }) => ({
          label: labels[columns.indexOf(column)],
          part,
          share: size / most,
        })),
      },
      height: 60 + 26 * columns.length,
      layer: [
        {
          mark: { type: "rect", color: "var(--cell)", stroke: "var(--line)", strokeWidth: 0.5 },
          encoding: {
            x: {
              field: "part",
              type: "ordinal",
              title: `part of the time, of ${parts}`,
              axis: { ...axis, labelAngle: 0 },
            },
            y: { field: "label", type: "nominal", sort: null, title: null, axis },
            fillOpacity: {
              field: "share",
              type: "quantitative",
              scale: { domain: [0, 1], range: [0.03, 0.95] },
            },
          },
        },
      ],
    },
    legend: [],
  };
}
