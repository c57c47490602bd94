/** The profile of a column as the service gives it, read into what the page shows. */

import * as z from "zod/mini";

/** Times are texts of ISO 8601, null beyond the years that it can say. */
const place = z.nullable(z.union([z.number(), z.string()]));

const figuresSchema = z.object({
  name: z.string(),
  kind: z.string(),
  count: z.number(),
  missing: z.number(),
  distinct: z.number(),
  distinct_is_estimate: z.optional(z.boolean()),
  infinite: z.optional(z.number()),
  implausible: z.optional(z.array(z.looseObject({ kind: z.string(), count: z.number() }))),
  min: z.optional(place),
  max: z.optional(place),
  mean: z.optional(place),
  std: z.optional(z.number()),
  std_days: z.optional(z.number()),
  quantiles: z.optional(z.array(z.object({ q: z.number(), value: place }))),
  histogram: z.optional(z.object({ edges: z.array(place), counts: z.array(z.number()) })),
  top_values: z.optional(z.array(z.object({ value: z.string(), count: z.number() }))),
});

export type ColumnFigures = z.output<typeof figuresSchema>;
export type Place = z.output<typeof place>;

const profileSchema = z.array(figuresSchema);

/** @throws where the service gives figures of another form */
export const readProfile = (profile: unknown): readonly ColumnFigures[] =>
  profileSchema.parse(profile);

export const SORTS = {
  place: "As in the table",
  missing: "Most missing first",
  distinct: "Most different values first",
  name: "By name",
} as const;
export type Sort = keyof typeof SORTS;

export interface ColumnChoice {
  /** A part of the name, in any case. */
  readonly part: string;
  /** Empty = every kind. */
  readonly kind: string;
  /** Only what there is something to say of. */
  readonly onlyOdd: boolean;
  readonly sort: Sort;
}

const ORDERS: Readonly<Record<Sort, (a: ColumnFigures, b: ColumnFigures) => number>> = {
  place: () => 0,
  missing: (a, b) => b.missing - a.missing,
  distinct: (a, b) => b.distinct - a.distinct,
  name: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }),
};

/** The columns that are to be shown, in order. */
export function chosenColumns(
  columns: readonly ColumnFigures[],
  { part, kind, onlyOdd, sort }: ColumnChoice,
): readonly ColumnFigures[] {
  const wanted = part.trim().toLowerCase();
  return columns
    .filter(
      (column) =>
        (kind === "" || column.kind === kind) &&
        column.name.toLowerCase().includes(wanted) &&
        (!onlyOdd || oddities(column).length > 0),
    )
    .toSorted(ORDERS[sort]);
}

const IMPLAUSIBLE: Readonly<Record<string, string>> = {
  missing_mark: "a number that may stand for a missing value",
  far_value: "values far from all others",
  infinite: "infinite values",
  out_of_time: "times that are hardly meant",
  almost_constant: "nearly always the same value",
};

/** What to look at before training on a column, in words. */
export function oddities(column: ColumnFigures): readonly string[] {
  const { count, missing, distinct, kind, implausible = [] } = column;
  const found = new Set(
    implausible.map((odd) => IMPLAUSIBLE[odd.kind] ?? odd.kind.replaceAll("_", " ")),
  );
  if (missing === count) return ["no value at all"];
  if (distinct === 1) found.add("the same value in every row");
  if (missing * 2 > count) found.add("more than half is missing");
  const isEach = kind !== "numeric" && kind !== "timestamp" && count > 20;
  if (isEach && distinct === count - missing) found.add("a different value in every row");
  return [...found];
}
