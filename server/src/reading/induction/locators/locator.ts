/**
 * Where in a document a field's value stands, as data: learned by an inducer or written in a skill,
 * frozen in the schema, and followed by `locate` on documents that nobody has seen.
 */

import { z } from "zod";
import { VALUE_KINDS } from "../values/value.ts";

const texts = z.array(z.string().min(1)).min(1);
const pick = z.enum(["first", "last", "largest", "smallest"]);
/** `end`: of the first, the day that it goes to; nothing where it is no range. */
const pickOfLabel = z.enum([...pick.options, "end"]);

export const locatorSchema = z.discriminatedUnion("kind", [
  /** Beside or below a label: `Invoice no.: 123`, a form's cell, a header over its value, `17 kWh  used`. */
  z.strictObject({
    kind: z.literal("label"),
    /** Normalised (`labelKey`); any of them. */
    labels: texts,
    where: z.array(z.enum(["right", "below", "above", "left"])).min(1),
    pick: pickOfLabel.default("first"),
    /** A label line that holds one of these is passed over, e.g. `sub` for `total`. */
    except: z.array(z.string()).default([]),
  }),
  /** Beside or below a label that means one of these (`meaningOf`), whatever words it takes. */
  z.strictObject({
    kind: z.literal("meaning"),
    meanings: texts,
    except: z.array(z.string()).default([]),
  }),
  /** The text under a heading, or after a heading that ends in a colon on its own line. */
  z.strictObject({ kind: z.literal("section"), headings: texts }),
  /** A table's cell by its row's label and its column's header. */
  z.strictObject({
    kind: z.literal("cell"),
    rows: texts,
    columns: z.array(z.string()).default([]),
    pick: pick.default("first"),
  }),
  /** All entries of a table's column, by its header, one for each row; or how many rows there are. */
  z.strictObject({
    kind: z.literal("column"),
    /** Normalised (`labelKey`); any of them. */
    headers: texts,
    /** Columns that stand beside it: of several tables, the one that has most of them. */
    beside: z.array(z.string()).default([]),
    /** What its entries are. */
    entries: z.enum(VALUE_KINDS),
    gives: z.enum(["list", "count"]).default("list"),
  }),
  /**
   * In running text: a pattern over one sentence with one slot `{value}`, e.g.
   * `governed by the laws of {value}`. Words match regardless of case and of the punctuation between
   * them; `(a|b)` are alternatives, `[x]` is optional, `word*` a beginning, `#` a number, `...` any
   * few words. No regular expressions: their cost is not bounded (`phrase-pattern.ts`).
   */
  z.strictObject({
    kind: z.literal("phrase"),
    patterns: texts,
    pick: pick.default("first"),
    /** The value where one of the patterns has no slot and matches, e.g. `raised`. */
    says: z.string().min(1).optional(),
  }),
  /** The party that a contract calls so: `Acme, Inc. (the "Seller")`. */
  z.strictObject({
    kind: z.literal("role"),
    /** Normalised (`labelKey`); any of them. */
    roles: texts,
  }),
  /** Whether a clause is there: true where a sentence matches one and none of `except`; else false. */
  z.strictObject({
    kind: z.literal("presence"),
    patterns: texts,
    except: z.array(z.string()).default([]),
  }),
  /** The value of the field's kind that stands first (or last, …) in a part of the document. */
  z.strictObject({
    kind: z.literal("position"),
    /** `head`: the first lines alone, as a person heads a letter. `recipient`: over an address that no label points at. */
    region: z.enum(["top", "head", "bottom", "title", "anywhere", "recipient"]),
    pick: pick.default("first"),
    /** Of organizations: by a legal form or a word of business alone, as any line may stand first. */
    isByForm: z.boolean().optional(),
  }),
  /** The day in a line of place and day: `Bremen, den 27.10.2021`. */
  z.strictObject({ kind: z.literal("dateline") }),
  /** The unit that most values of a kind are written in: of money, its currency. */
  z.strictObject({ kind: z.literal("unit"), of: z.enum(["money", "quantity"]) }),
  /** Between fixed words that all documents of the sample share. */
  z.strictObject({ kind: z.literal("template"), before: z.string(), after: z.string() }),
]);
export type Locator = z.output<typeof locatorSchema>;

/** A locator with how often it was right where that could be seen; a field's are tried in order. */
export const weighedLocatorSchema = z.strictObject({
  locator: locatorSchema,
  /** 0 to 1. */
  trust: z.number().min(0).max(1),
});
export type WeighedLocator = z.output<typeof weighedLocatorSchema>;

/** Whether what they find is a table's column, or its length: read whole, whatever is in it. */
export const areOfColumn = (locators: readonly WeighedLocator[]): boolean =>
  locators.length > 0 && locators.every(({ locator }) => locator.kind === "column");

/** What a locator reads: the kind decides how the text that it points at becomes a value. */
export const targetSchema = z.strictObject({
  kind: z.enum(VALUE_KINDS),
  /** Several values, joined by `; `. */
  multiple: z.boolean().default(false),
  /** The values that it may have, as answers name them; empty where open. */
  enum: z.array(z.string()).default([]),
});
export type Target = z.output<typeof targetSchema>;
