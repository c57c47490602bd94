import type { ForecastsSection } from "../../forecast-document.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";
import { placeOf, timeScale } from "./time-axis.ts";

type Shown = ForecastsSection["shown"][number];

/** Widest first: narrower bands lie over them, and are the darker for it. */
const BAND_OPACITY = 0.16;

/** The end of a series, what was said of it before, and what comes next with its ranges. */
export function fanSpec(
  { history, backtest, forecast }: Shown,
  { isTime, label }: { readonly isTime: boolean; readonly label: string },
): Chart {
  const time = timeScale(isTime);
  const x = { field: "at", title: null, ...time } as const;
  const y = {
    field: "value",
    type: "quantitative",
    title: label,
    scale: { zero: false },
    axis: { tickCount: 6 },
  } as const;
  const levels = forecast[0]?.ranges.map(({ coverage }) => coverage) ?? [];
  const layer: ChartSpec["layer"] = levels.toReversed().map((coverage) => ({
    data: {
      values: forecast.flatMap(({ time: stamp, ranges }) => {
        const range = ranges.find((each) => each.coverage === coverage);
        return range ? [{ at: placeOf(stamp, isTime), value: range.low, high: range.high }] : [];
      }),
    },
    mark: { type: "area", color: SERIES[0], opacity: BAND_OPACITY },
    encoding: { x, y, y2: { field: "high" } },
  }));
  layer.push({
    data: {
      values: history.map(([stamp, value]) => ({ at: placeOf(stamp, isTime), value })),
    },
    mark: { type: "line", color: "var(--ink)", strokeWidth: 1.25 },
    encoding: { x, y },
  });
  layer.push({
    data: {
      values: backtest.flatMap((points, window) =>
        points.map(([stamp, value]) => ({ at: placeOf(stamp, isTime), value, window })),
      ),
    },
    mark: { type: "line", color: SERIES[1], strokeWidth: 1.5 },
    encoding: { x, y, detail: { field: "window" } },
  });
  layer.push({
    data: {
      values: forecast.map(({ time: stamp, value }) => ({ at: placeOf(stamp, isTime), value })),
    },
    mark: {
      type: "line",
      color: SERIES[0],
      strokeWidth: 2,
      ...(forecast.length === 1 ? { point: true } : {}),
    },
    encoding: { x, y },
  });
  const spec: ChartSpec = { height: 260, layer };
  return {
    spec,
    legend: [
      ...(history.length > 0 ? [{ name: "what came", colour: "var(--ink)" }] : []),
      ...(backtest.length > 0 ? [{ name: "forecast when it was tested", colour: SERIES[1] }] : []),
      ...(forecast.length > 0 ? [{ name: "forecast of what comes", colour: SERIES[0] }] : []),
    ],
  };
}
