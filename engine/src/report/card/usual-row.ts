/** A row such as a model meets most: what its card shows as an example, and where forms begin. */

import type { FeatureBins } from "../../data/encoded.ts";
import type { SourceColumn } from "../../data/feature-schema.ts";
import { formatTimestamp } from "../../data/readers/timestamp-text.ts";
import type { Distribution } from "../../drift/reference.ts";
import type { Model } from "../../model/model.ts";

type Edges = FeatureBins["edges"];

/** Between which numbers of the training data lie. */
export interface NumberRange {
  readonly range: readonly [least: number, greatest: number];
  /** Training rows whose least and greatest they are; null: they are the outermost edges of bins. */
  readonly rows: number | null;
}

/**
 * For each numeric column the least and the greatest number of those training rows that were counted: all, or some of
 * many. Of models that counted none, the outermost edges of the bins that their members share.
 *
 * @returns by column; columns of which neither is known are missing
 */
export function rangesOf(model: Model): ReadonlyMap<string, NumberRange> {
  const counted = distributionsOf(model);
  const rows = model.reference?.rows ?? null;
  return new Map(
    model.inputs.columns.flatMap(({ name, kind }): [string, NumberRange][] => {
      if (kind !== "numeric") return [];
      const of = counted.get(name);
      if (of?.kind === "numeric" && of.range !== null) return [[name, { range: of.range, rows }]];
      const edges = edgesOf(model, name);
      if (edges === null) return [];
      return [[name, { range: [edges[0], edges[edges.length - 1]], rows: null }]];
    }),
  );
}

/**
 * A row with a usual cell in each column: of numbers and times one at the median, else the most frequent. Of
 * columns whose distribution was not counted, the middle of the bins or the first that is known.
 */
export function usualRow(model: Model): Record<string, unknown> {
  const counted = distributionsOf(model);
  return Object.fromEntries(
    model.inputs.columns.map((source) => [
      source.name,
      usualCell(source, counted.get(source.name) ?? null, () => edgesOf(model, source.name)),
    ]),
  );
}

const distributionsOf = ({ reference }: Model): ReadonlyMap<string, Distribution> =>
  new Map(reference?.columns.map((of) => [of.name, of]));

/** Null where the column was not binned. */
function edgesOf(model: Model, name: string): Edges | null {
  const { features, bins } = model.parts();
  const edges = bins[0]?.[features.findIndex((feature) => feature.name === name)]?.edges;
  return edges && edges.length > 0 ? edges : null;
}

function usualCell(
  source: SourceColumn,
  of: Distribution | null,
  edgesOf: () => Edges | null,
): unknown {
  switch (source.kind) {
    case "numeric": {
      const edges = edgesOf();
      const middle = edges === null ? 0 : edges[edges.length >> 1];
      return Number((medianOf(of) ?? middle).toPrecision(4));
    }
    case "timestamp":
      return formatTimestamp(medianOf(of) ?? source.origin);
    case "boolean":
      return of?.kind !== "boolean" || of.counts[1] >= of.counts[0];
    case "categorical":
      return (of?.kind === "categorical" ? of.values[0] : source.categories[0]) ?? "";
    case "text":
      return "some text";
  }
}

/** The upper edge of the bin that half of the rows reach, which is a number of the data. */
function medianOf(of: Distribution | null): number | null {
  if (of === null || !("edges" in of) || of.kind === "text" || of.range === null) return null;
  let left = of.counts.reduce((sum, count) => sum + count, 0) / 2;
  const bin = of.counts.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return of.edges[bin] ?? of.range[1];
}
