/**
 * How a table's columns become features: plain JSON, fitted once, saved with every model, so that
 * a table seen years later is encoded as the training data were.
 */

import type { Feature } from "./encoded.ts";
import type { TextPart } from "./expansion/text.ts";
import type { TimestampPart } from "./expansion/timestamp.ts";
import type { SlashedOrder } from "./readers/timestamp-text.ts";
import type { ColumnKind } from "./table.ts";

/** Numbers as they are: one feature of the column's own name. */
export interface NumericSource {
  readonly kind: "numeric";
  readonly name: string;
}

/** Likewise, as 0 and 1. */
export interface BooleanSource {
  readonly kind: "boolean";
  readonly name: string;
}

export interface CategoricalSource {
  readonly kind: "categorical";
  readonly name: string;
  /** By descending count, then by first sight. */
  readonly categories: readonly string[];
  /** Categories beyond the cap, which are treated like unseen ones. */
  readonly omitted: number;
}

export interface TimestampSource {
  readonly kind: "timestamp";
  readonly name: string;
  /** What elapsed days are counted from, in milliseconds since 1970: the earliest time fitted. */
  readonly origin: number;
  readonly parts: readonly TimestampPart[];
  /** How dates like 1/2/2011 are read, since the training data were written so; else they are refused. */
  readonly slashed?: SlashedOrder | undefined;
}

export interface TextSource {
  readonly kind: "text";
  readonly name: string;
  readonly parts: readonly TextPart[];
  /** Words whose presence is a feature each, the most frequent first. */
  readonly tokens: readonly string[];
  /**
   * Of the texts that stand for a missing cell, such as the empty one, those that the training data held as
   * texts; the others are missing. Absent, as in models that did not keep it: all are texts.
   */
  readonly literalTexts?: readonly string[] | undefined;
}

export type SourceColumn =
  | NumericSource
  | BooleanSource
  | CategoricalSource
  | TimestampSource
  | TextSource;

export interface DroppedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly reason: "excluded" | "empty" | "constant";
}

export interface FeatureSchema {
  readonly columns: readonly SourceColumn[];
  readonly dropped: readonly DroppedColumn[];
  /** What the reader of a model card should know, e.g. of capped categories. */
  readonly notes: readonly string[];
}

/** The features the columns make, in their fixed order, with unique names. */
export function schemaFeatures(columns: readonly SourceColumn[]): Feature[] {
  const taken = new Set(columns.map((column) => column.name));
  const unique = (wanted: string): string => {
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}.${i}`;
    taken.add(name);
    return name;
  };
  const features: Feature[] = [];
  for (const source of columns) {
    const column = source.name;
    switch (source.kind) {
      case "categorical":
        features.push({ kind: "categorical", name: column, column, categories: source.categories });
        break;
      case "timestamp":
        for (const part of source.parts) {
          features.push({ kind: "numeric", name: unique(`${column}.${part}`), column });
        }
        break;
      case "text":
        for (const part of [...source.parts, ...source.tokens.map((token) => `has(${token})`)]) {
          features.push({ kind: "numeric", name: unique(`${column}.${part}`), column });
        }
        break;
      default:
        features.push({ kind: "numeric", name: column, column });
    }
  }
  return features;
}
