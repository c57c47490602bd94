/** The functions that a member of the model is a sum of, as what is drawn of them. */

import type { ShapeFunction } from "../../families/shape-function.ts";
import type { Model } from "../../model/model.ts";
import type { PartOfModel } from "../../model/parts.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import { mergedNeighbours, weightedMean } from "../figures/merged-neighbours.ts";
import type { ShapesSection } from "../shapes-document.ts";
import { pairSection } from "./shape-pairs.ts";
import {
  categoryName,
  outputSizes,
  rounded,
  type ShapeReading,
  type SizedShape,
} from "./shape-reading.ts";

type TermSection = ShapesSection["terms"][number];
type CellSection = NonNullable<TermSection["missing"]>;

const MOST_TERMS = 12;
const MOST_PAIRS = 6;
const MOST_CLASSES = 6;
const MOST_STEPS = 100;
const MOST_LEVELS = 20;

/** Of the member of most weight that has them; null where none has. */
export function shapesSection(model: Model): ShapesSection | null {
  const { features, bins, members, document } = model.parts();
  const shaped = members.flatMap((member) => {
    const shapes = member.model.shapes?.();
    return shapes === undefined ? [] : [{ member, shapes }];
  });
  if (shaped.length === 0) return null;
  const { member, shapes } = shaped.reduce((a, b) => (b.member.weight > a.member.weight ? b : a));
  const { classes } = document.task;
  const outputs = shownOutputs(shapes);
  const read: ShapeReading = { features, bins: bins[member.encoder], outputs: outputs.shown };
  const own = ordered(shapes.filter((shape) => shape.features.length === 1));
  const pairs = ordered(shapes.filter((shape) => shape.features.length === 2));
  const shownPairs = pairs.slice(0, MOST_PAIRS);
  return {
    ...factsOf(member),
    others: shaped.length - 1,
    space: typeOf(document.task).link,
    of:
      classes.length === 0
        ? []
        : outputCount(document.task) === 1
          ? [classes[1]]
          : outputs.shown.map((k) => classes[k]),
    outputsLeftOut: outputs.leftOut,
    terms: own.slice(0, MOST_TERMS).map((each) => termSection(each, read)),
    termsLeftOut: Math.max(0, own.length - MOST_TERMS),
    pairs: shownPairs.map((each) => pairSection(each, read, classes)),
    pairsLeftOut: pairs.length - shownPairs.length,
  };
}

const factsOf = ({ family, weight }: PartOfModel) => ({ family, weight: rounded(weight) });

/** Those that say something, the largest first. */
function ordered(shapes: readonly ShapeFunction[]): SizedShape[] {
  return shapes
    .map((shape) => {
      const sizes = outputSizes(shape);
      return { shape, size: sizes.reduce((sum, size) => sum + size, 0) / sizes.length };
    })
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
}

/** Of many classes those that all terms together move most, in the order of the classes. */
function shownOutputs(shapes: readonly ShapeFunction[]): { shown: number[]; leftOut: number } {
  const sizes = shapes
    .map(outputSizes)
    .reduce((sums, own) => own.map((size, k) => size + (sums[k] ?? 0)), [0]);
  const largest = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const shown = largest.slice(0, MOST_CLASSES).sort((a, b) => a - b);
  return { shown, leftOut: sizes.length - shown.length };
}

function termSection({ shape, size }: SizedShape, reading: ShapeReading): TermSection {
  const [place] = shape.features;
  const feature = reading.features[place];
  const bins = reading.bins[place];
  const total = shape.covers.reduce((sum, cover) => sum + cover, 0) || 1;
  const { outputs } = reading;
  const of = (places: readonly number[]): CellSection => cellOf(shape, places, outputs, total);
  const missing = shape.covers[bins.valueBins] > 0 ? of([bins.valueBins]) : null;
  const facts = { feature: feature.name, column: feature.column, size: rounded(size), missing };
  const cells = Array.from({ length: bins.valueBins }, (_, bin) => bin);
  if (feature.kind === "categorical") {
    const levels = cells.filter((bin) => shape.covers[bin] > 0);
    levels.sort((a, b) => shape.covers[b] - shape.covers[a] || a - b);
    const shown = levels.slice(0, MOST_LEVELS);
    return {
      ...facts,
      levels: shown.map((bin) => ({
        name: categoryName(feature.categories, bins, bin),
        ...of([bin]),
      })),
      levelsLeftOut: levels.length - shown.length,
    };
  }
  const all = shape.values.length / shape.covers.length;
  const lines = cells.map((bin) => ({
    weights: outputs.map(() => shape.covers[bin]),
    values: outputs.map((k) => shape.values[bin * all + k]),
  }));
  const steps = mergedNeighbours(lines, MOST_STEPS).map((places) => ({
    to: bins.edges[places[places.length - 1]] ?? null,
    ...of(places),
  }));
  return { ...facts, steps, levelsLeftOut: 0 };
}

/** Some bins as one cell. */
function cellOf(
  { values, deviations, covers }: ShapeFunction,
  places: readonly number[],
  outputs: readonly number[],
  total: number,
): CellSection {
  const all = values.length / covers.length;
  const weights = places.map((place) => covers[place]);
  const mean = (from: Float64Array): number[] =>
    outputs.map((k) =>
      rounded(
        weightedMean(
          places.map((place) => from[place * all + k]),
          weights,
        ),
      ),
    );
  return {
    weight: rounded(weights.reduce((sum, weight) => sum + weight, 0) / total),
    values: mean(values),
    deviations: mean(deviations),
  };
}
