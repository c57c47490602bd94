/**
 * From a row's cells to features, as nodes. Numbers, booleans (0 and 1) and times (milliseconds since
 * 1970, UTC) come as doubles in which NaN is missing, categories as strings in which the empty one is, one
 * tensor a column, rows × 1. What no member reads is declared, since it is a column of the model, and left
 * alone.
 */

import type { FeatureBins } from "../../data/encoded.ts";
import type {
  CategoricalSource,
  FeatureSchema,
  SourceColumn,
  TimestampSource,
} from "../../data/feature-schema.ts";
import { MISSING_TOKENS } from "../../data/readers/missing.ts";
import { shown } from "../../data/shown.ts";
import { type DerivedColumn, hasEdges } from "../../trees/derived-columns.ts";
import { ExportError } from "../export-error.ts";
import { CalendarNodes } from "./calendar.ts";
import { type Graph, ML, type Value } from "./graph.ts";

/** Which feature stands where in its column. */
interface Place {
  readonly source: SourceColumn;
  readonly part: number;
}

const ABOUT: Readonly<Record<SourceColumn["kind"], string>> = {
  numeric: "A number; NaN is missing.",
  boolean: "1 is true, 0 is false, NaN is missing.",
  timestamp: "Milliseconds since 1970-01-01T00:00:00Z; NaN is missing.",
  categorical: "A category; the empty string is missing.",
  text: "A text; the empty string is missing.",
};

export class FeatureNodes {
  readonly #graph: Graph;
  readonly #places: readonly Place[];
  readonly #inputs: ReadonlyMap<string, Value>;
  readonly #numbers = new Map<number, Value>();
  readonly #codes = new Map<number, Value>();
  readonly #calendars = new Map<string, CalendarNodes>();

  constructor(graph: Graph, { columns }: FeatureSchema) {
    this.#graph = graph;
    this.#places = columns.flatMap((source) => {
      const parts =
        source.kind === "timestamp"
          ? source.parts.length
          : source.kind === "text"
            ? source.parts.length + source.tokens.length
            : 1;
      return Array.from({ length: parts }, (_, part) => ({ source, part }));
    });
    this.#inputs = new Map(
      columns.map((source) => {
        const { name, kind } = source;
        const type = kind === "categorical" || kind === "text" ? "string" : "double";
        const hasEmpty = kind === "categorical" && source.categories.includes("");
        return [name, graph.input(name, type, hasEmpty ? "A category." : ABOUT[kind])];
      }),
    );
  }

  /** A numeric feature: rows × 1, doubles. @throws ExportError for one of a text */
  number(feature: number): Value {
    return remembered(this.#numbers, feature, () => {
      const { source, part } = this.#places[feature];
      if (source.kind === "timestamp") return this.#calendar(source).part(source.parts[part]);
      if (source.kind === "text") {
        throw new ExportError(
          `ONNX cannot say the model: it reads the text column ${shown(source.name)}, whose length and words no standard operator counts. @distillery/predict answers by it anywhere.`,
        );
      }
      return this.#input(source.name);
    });
  }

  /**
   * A categorical feature: rows × 1, int64. Categories by their place, then one more for a missing cell,
   * and one more for a category that the schema does not have.
   */
  code(feature: number): Value {
    return remembered(this.#codes, feature, () => {
      const { source } = this.#places[feature];
      if (source.kind !== "categorical") throw new Error(`Feature ${feature} has no categories.`);
      return this.#graph.node("LabelEncoder", [this.#input(source.name)], codesOf(source), ML);
    });
  }

  /** What trees compare: numbers as they are, or the bin of a category, rows × 1, doubles. */
  compared(feature: number, bins: FeatureBins, encoder: number): Value {
    const { source } = this.#places[feature];
    if (source.kind !== "categorical") return this.number(feature);
    const table = categoryBins(source.categories.length, bins.valueBins);
    // Encoders of folds may differ in what they bin together.
    return remembered(this.#bins, `${encoder} ${feature}`, () =>
      this.#graph.node("Gather", [this.#graph.doubles(table, [table.length]), this.code(feature)]),
    );
  }

  /** What trees compare of a derived column: a number as it is, or the bin of a category, rows × 1, doubles. */
  derived(column: DerivedColumn): Value {
    const { feature } = column;
    if (hasEdges(column)) return this.number(feature);
    const { table } = column;
    // Here missing cells stand before unknown categories.
    const categories = table.length - 2;
    const bins = [...table.subarray(0, categories), table[categories + 1], table[categories]];
    return this.#graph.node("Gather", [
      this.#graph.doubles(bins, [bins.length]),
      this.code(feature),
    ]);
  }

  readonly #bins = new Map<string, Value>();

  #input(name: string): Value {
    const input = this.#inputs.get(name);
    if (input === undefined) throw new Error(`There is no column ${name}.`);
    return input;
  }

  #calendar(source: TimestampSource): CalendarNodes {
    return remembered(
      this.#calendars,
      source.name,
      () => new CalendarNodes(this.#graph, this.#input(source.name), source.origin),
    );
  }
}

function remembered<Key, T>(known: Map<Key, T>, key: Key, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** As the encoding of a request's rows reads them: `data/records.ts`. */
function codesOf({ categories }: CategoricalSource) {
  const known = new Set(categories);
  const missing = MISSING_TOKENS.filter((token) => !known.has(token));
  return {
    keys_strings: { texts: [...categories, ...missing] },
    values_int64s: {
      ints: [...categories.keys(), ...missing.map(() => categories.length)],
    },
    default_int64: { int: categories.length + 1 },
  };
}

/** As `assignBins` has them, of the codes of `FeatureNodes.code`. */
function categoryBins(categories: number, valueBins: number): number[] {
  const bins = Array.from({ length: categories }, (_, code) => Math.min(code, valueBins - 1));
  return [...bins, valueBins, categories > valueBins ? valueBins - 1 : valueBins];
}
