/** What two features say together, as a grid of few lines a side. */

import type { ShapeFunction } from "../../families/shape-function.ts";
import { mergedNeighbours, weightedMean } from "../figures/merged-neighbours.ts";
import { figure } from "../html/format.ts";
import type { ShapesSection } from "../shapes-document.ts";
import {
  categoryName,
  outputSizes,
  rounded,
  type ShapeReading,
  type SizedShape,
} from "./shape-reading.ts";

type PairSection = ShapesSection["pairs"][number];

/** Lines of a side beside that of missing values. */
const MOST_LINES = 12;
const NAMED_CATEGORIES = 3;

export function pairSection(
  { shape, size }: SizedShape,
  reading: ShapeReading,
  classes: readonly string[],
): PairSection {
  const { values, covers, width } = shape;
  const outputs = values.length / covers.length;
  const sizes = outputSizes(shape);
  const output = sizes.indexOf(Math.max(...sizes));
  const [down, across] = [0, 1].map((side) => linesOf(shape, side, output));
  const cells = down.flatMap((rows) =>
    across.map((columns) => {
      const places = rows.flatMap((row) => columns.map((column) => row * width + column));
      const weights = places.map((place) => covers[place]);
      if (!weights.some((weight) => weight > 0)) return null;
      return rounded(
        weightedMean(
          places.map((place) => values[place * outputs + output]),
          weights,
        ),
      );
    }),
  );
  return {
    size: rounded(size),
    of: classes.length === 0 ? null : outputs === 1 ? classes[1] : classes[output],
    down: sideOf(shape, 0, down, reading),
    across: sideOf(shape, 1, across, reading),
    values: cells,
  };
}

/** Groups of a side's lines, that of missing values the last where a row has none. */
function linesOf(
  { values, covers, height, width }: ShapeFunction,
  side: number,
  output: number,
): number[][] {
  const outputs = values.length / covers.length;
  const [count, along] = side === 0 ? [height, width] : [width, height];
  const lines = Array.from({ length: count }, (_, line) => {
    const places = Array.from({ length: along }, (__, i) =>
      side === 0 ? line * width + i : i * width + line,
    );
    return {
      weights: places.map((place) => covers[place]),
      values: places.map((place) => values[place * outputs + output]),
    };
  });
  const missing = lines[count - 1].weights.some((weight) => weight > 0) ? [[count - 1]] : [];
  return [...mergedNeighbours(lines.slice(0, -1), MOST_LINES), ...missing];
}

function sideOf(
  shape: ShapeFunction,
  side: number,
  groups: readonly (readonly number[])[],
  { features, bins }: ShapeReading,
): PairSection["down"] {
  const place = shape.features[side];
  const feature = features[place];
  const own = bins[place];
  const lineOf = shape.lines[side];
  const binsOf = (group: readonly number[]): number[] =>
    [...lineOf.keys()].filter((bin) => group.includes(lineOf[bin]));
  return {
    feature: feature.name,
    lines: groups.map((group) => {
      const held = binsOf(group);
      if (held.includes(own.valueBins)) return "missing";
      if (feature.kind === "numeric") return rangeName(own.edges, held);
      const names = held.map((bin) => categoryName(feature.categories, own, bin) ?? "rarer ones");
      const more = names.length - NAMED_CATEGORIES;
      return more > 1
        ? `${names.slice(0, NAMED_CATEGORIES).join(", ")} and ${more} more`
        : names.join(", ");
    }),
  };
}

/** @param bins ascending, one behind another */
function rangeName(edges: Float64Array, bins: readonly number[]): string {
  const low = bins[0] === 0 ? null : edges[bins[0] - 1];
  const high = edges[bins[bins.length - 1]] ?? null;
  if (low === null && high === null) return "all values";
  if (low === null) return `≤ ${figure(high)}`;
  if (high === null) return `> ${figure(low)}`;
  return `${figure(low)} … ${figure(high)}`;
}
