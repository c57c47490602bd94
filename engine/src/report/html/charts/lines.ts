import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, isWide, SERIES } from "./spec.ts";

export interface Line {
  readonly name: string;
  /** Lines of one name are drawn alike. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LinePlot {
  readonly lines: readonly Line[];
  readonly x: string;
  readonly y: string;
  /** Both axes from 0 to 1, and square. */
  readonly unit?: boolean;
  /** A dashed line to compare with. */
  readonly reference?: readonly (readonly [x: number, y: number])[];
  readonly zero?: boolean;
  /** Values of y spread over powers of ten are drawn by their logarithms, where all are positive. */
  readonly logWhereWide?: boolean;
  readonly faint?: boolean;
}

export function lineSpec(plot: LinePlot): Chart {
  const { lines, unit = false, reference } = plot;
  const names = [...new Set(lines.map(({ name }) => name))];
  const labels = uniqueLabels(names, 200);
  const values = lines.flatMap(({ name, points }, line) =>
    points.map(([x, y]) => ({ x, y, line, name: labels[names.indexOf(name)] })),
  );
  const domain = unit ? [0, 1] : undefined;
  const scale = { zero: plot.zero ?? false, nice: !unit, ...(domain ? { domain } : {}) };
  const axis = unit ? { tickCount: 5 } : {};
  const layer: ChartSpec["layer"] = [];
  if (reference) {
    layer.push({
      data: { values: reference.map(([x, y]) => ({ x, y })) },
      mark: { type: "line", color: "var(--axis)", strokeDash: [4, 4], strokeWidth: 1 },
      encoding: {
        x: { field: "x", type: "quantitative", scale, title: plot.x },
        y: { field: "y", type: "quantitative", scale, title: plot.y },
      },
    });
  }
  layer.push({
    mark: { type: "line", opacity: plot.faint ? 0.65 : 1, strokeWidth: plot.faint ? 1.25 : 1.75 },
    encoding: {
      x: { field: "x", type: "quantitative", title: plot.x, scale, axis },
      y: {
        field: "y",
        type: "quantitative",
        title: plot.y,
        scale: plot.logWhereWide && isWide(values.map(({ y }) => y)) ? { type: "log" } : scale,
        axis,
      },
      detail: { field: "line" },
      // The points of a curve are in its own order, which may go straight up.
      order: { value: 0 },
      color: {
        field: "name",
        type: "nominal",
        scale: { domain: labels, range: [...SERIES] },
      },
    },
  });
  return {
    spec: { data: { values }, height: unit ? 330 : 260, layer },
    legend: labels.map((name, i) => ({ name, colour: SERIES[i % SERIES.length] })),
  };
}
