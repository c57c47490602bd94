/** What a value in a document can be, and one that was read. */

export const VALUE_KINDS = [
  "date",
  "money",
  "number",
  "percent",
  "quantity",
  "duration",
  "phone",
  "email",
  "url",
  "identifier",
  "person",
  "organization",
  "address",
  "place",
  "boolean",
  "text",
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** Kinds whose values are words, which may be misread and cut. */
export const WORDED: ReadonlySet<ValueKind> = new Set([
  "text",
  "organization",
  "person",
  "address",
  "place",
]);

/**
 * A value in one form, whatever was written: dates as `YYYY-MM-DD` (`YYYY-MM` where no day is said),
 * money, numbers, percents (5 for 5 %) and quantities as numbers, durations as ISO 8601 (`P2Y`),
 * phones as digits with a leading `+` where it is written, everything else as tidied text.
 */
export type Normal = string | number | boolean;

export interface TypedValue {
  readonly kind: ValueKind;
  /** Offsets of what was written, into the text that was read. */
  readonly start: number;
  readonly end: number;
  readonly normal: Normal;
  /** ISO 4217 code of money, symbol of a quantity (`kg`, `km`); null where none is written. */
  readonly unit: string | null;
  /** 0 to 1: how surely the text is of this kind by its form alone. */
  readonly certainty: number;
}

/** How the documents of one sample write values: voted by all of them, kept in the schema. */
export interface Conventions {
  /** 3/4/2018 is the 3rd of April. */
  readonly dayFirst: boolean;
  /** Whether their dates or their language show that order; absent in schemas that are older than this. */
  readonly isOrderShown?: boolean | undefined;
  /** Whether some documents show the one order and some the other; absent where one does not. */
  readonly isOrderMixed?: boolean | undefined;
  /** 1.234,50 */
  readonly decimalComma: boolean;
  /** What money without a symbol is in, or null. */
  readonly currency: string | null;
  /** ISO 639-1 codes, most frequent first. */
  readonly languages: readonly string[];
  /**
   * What the sample's documents call things, as `labelKey`s: a value ends where one begins, and none
   * is a value. Absent where nobody looked, as in schemas that are older than this.
   */
  readonly labels?: readonly string[] | undefined;
}

export const NEUTRAL_CONVENTIONS: Conventions = {
  dayFirst: true,
  decimalComma: false,
  currency: null,
  languages: ["en"],
};
