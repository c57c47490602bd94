import type { ForecastsSection } from "../../forecast-document.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";
import { placeOf, timeScale } from "./time-axis.ts";

type Windows = ForecastsSection["windows"];

const ROW_HEIGHT = 26;
/** Of what was tested, that is drawn before it: a long past would press the windows together. */
const BEFORE = 2;

/** Where the drawing begins; what lies before is learned from as well. */
export function windowsFrom(windows: Windows, isTime: boolean): number {
  const first = placeOf(windows[0].learned.from, isTime);
  const tested = placeOf(windows[0].tested.from, isTime);
  const last = placeOf(windows[windows.length - 1].tested.to, isTime);
  return Math.max(first, tested - BEFORE * (last - tested));
}

/** One row a window: what was learned from, the gap, what was forecast. */
export function windowsSpec(windows: Windows, isTime: boolean): Chart {
  const time = timeScale(isTime);
  const start = windowsFrom(windows, isTime);
  const parts = windows.flatMap(({ learned, tested }, i) => {
    const place = { window: `window ${i + 1}` };
    const origin = placeOf(tested.from, isTime);
    return [
      {
        ...place,
        part: "learned from",
        from: Math.max(start, placeOf(learned.from, isTime)),
        to: Math.max(start, placeOf(learned.to, isTime)),
      },
      { ...place, part: "forecast and scored", from: origin, to: placeOf(tested.to, isTime) },
    ];
  });
  const spec: ChartSpec = {
    data: { values: parts },
    height: 50 + ROW_HEIGHT * windows.length,
    layer: [
      {
        mark: { type: "bar", height: { band: 0.6 } },
        encoding: {
          x: { field: "from", title: null, ...time },
          x2: { field: "to" },
          y: {
            field: "window",
            type: "nominal",
            sort: null,
            axis: { title: null, ticks: false, domain: false, labelColor: "var(--ink)" },
          },
          color: {
            field: "part",
            type: "nominal",
            scale: {
              domain: ["learned from", "forecast and scored"],
              range: ["var(--axis)", SERIES[1]],
            },
          },
        },
      },
    ],
  };
  return {
    spec,
    legend: [
      { name: "learned from", colour: "var(--axis)" },
      { name: "forecast and scored", colour: SERIES[1] },
    ],
  };
}
