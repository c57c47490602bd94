/**
 * The columns that are known in advance, as numbers that a regression weighs: one a number, one a category. Of columns
 * whose blanks are a value of their own, as on days without a holiday, whether something is there is one too.
 */

import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { valueColumns } from "../../data/value-columns.ts";

/** Rarer categories have no weight of their own. */
const MOST_CATEGORIES = 20;
/** More than that are words of texts, or many columns; the first ones are weighed. */
const MOST_TERMS = 300;

/** A number of each row: the feature's value, or whether it is that category, or there at all. */
export interface Term {
  readonly feature: number;
  readonly code?: number | undefined;
  /** Blanks are a level: of a category none of these; without one the number is whether a value is there. */
  readonly blankIsLevel?: boolean | undefined;
}

export function termsOf(
  { features }: EncodedData,
  { known = [], blank = [] }: SeriesFrame,
): Term[] {
  const terms = features.flatMap((feature, f): Term[] => {
    if (!known.includes(feature.column)) return [];
    const ofBlanks = blank.includes(feature.column) ? { blankIsLevel: true } : {};
    if (feature.kind === "numeric") {
      // Of the features of a text or a time one says it for all.
      const isFirst = features.findIndex(({ column }) => column === feature.column) === f;
      return ofBlanks.blankIsLevel && isFirst
        ? [{ feature: f, ...ofBlanks }, { feature: f }]
        : [{ feature: f }];
    }
    const count = Math.min(MOST_CATEGORIES, feature.categories.length);
    return Array.from({ length: count }, (_, code) => ({ feature: f, code, ...ofBlanks }));
  });
  return terms.slice(0, MOST_TERMS);
}

/** Of each term, a function of rows; NaN where nothing is known. */
export function readTerms(data: EncodedData, terms: readonly Term[]): ((row: number) => number)[] {
  const columnOf = valueColumns(data);
  return terms.map((term) => {
    const read = readTerm(term, columnOf(term.feature));
    const untold = untoldOf(data, term);
    return untold ? (row) => (untold[row] ? Number.NaN : read(row)) : read;
  });
}

function readTerm({ code, blankIsLevel }: Term, column: Float64Array): (row: number) => number {
  if (code === undefined) {
    return blankIsLevel ? (row) => Number(!Number.isNaN(column[row])) : (row) => column[row];
  }
  const blank = blankIsLevel ? 0 : Number.NaN;
  return (row) => {
    const value = column[row];
    return Number.isNaN(value) || value < 0 ? blank : Number(value === code);
  };
}

/** Rows of sums at which a blank says nothing. */
function untoldOf(
  { features, frame }: EncodedData,
  { feature, blankIsLevel }: Term,
): Uint8Array | undefined {
  if (!blankIsLevel || frame?.kind !== "series") return undefined;
  return frame.untold?.find(({ name }) => name === features[feature].column)?.rows;
}

/** Whether a row lacks some of the columns that terms are of, be it a level or not. */
export function readLacking(data: EncodedData, terms: readonly Term[]): (row: number) => boolean {
  const columnOf = valueColumns(data);
  const columns = [...new Set(terms.map(({ feature }) => feature))].map(columnOf);
  return (row) => columns.some((column) => Number.isNaN(column[row]));
}
