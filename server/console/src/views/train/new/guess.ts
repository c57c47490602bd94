/** What a newcomer would choose: the label, the kind of task, the column of times. Read off the profile. */

import type { Outputs } from "@distillery/client";

export type Dataset = Outputs["datasets"]["get"];
export type Options = Outputs["training"]["options"];
export type TaskOptions = Options["task_kinds"][number];

/** Names that labels have; what is told apart by them is only a guess. */
const LABEL_NAME =
  /^(?:target|label|class|y|outcome|response|diagnosis|churn(?:ed)?|survived|price|cnt|count)$|[_ ](?:target|label|class)$/i;
/** Words whose case tells no classes apart. */
const TRUTH = /^(?:true|false|yes|no|on|off)$/i;
/** Whole numbers of so few values are taken for names of classes. */
const MOST_NUMBERED_CLASSES = 10;

/** One column of a dataset, in the figures that a guess needs. */
export interface ColumnFacts {
  readonly name: string;
  readonly kind: Dataset["columns"][number]["datatype"]["kind"];
  readonly distinct: number;
  readonly missing: number;
  readonly isWhole: boolean;
  /** The most frequent values, most frequent first; empty of numbers and times. */
  readonly top: readonly { readonly value: string; readonly count: number }[];
  readonly range: readonly [least: number, most: number] | null;
}

export function columnFacts(dataset: Dataset): ColumnFacts[] {
  const profiles = new Map(dataset.profile.map((entry) => [entry["name"], entry]));
  return dataset.columns.map(({ name, datatype: { kind } }) => {
    const profile = profiles.get(name) ?? {};
    const [min, max] = [profile["min"], profile["max"]];
    const range: ColumnFacts["range"] =
      typeof min === "number" && typeof max === "number" ? [min, max] : null;
    return {
      name,
      kind,
      distinct: numberOf(profile["distinct"]),
      missing: numberOf(profile["missing"]),
      isWhole:
        range !== null && wholeQuantiles(profile["quantiles"]) && range.every(Number.isInteger),
      top: topOf(profile["top_values"]),
      range,
    };
  });
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function wholeQuantiles(quantiles: unknown): boolean {
  if (!Array.isArray(quantiles)) return false;
  return quantiles.every((entry) => isRecord(entry) && Number.isInteger(entry["value"]));
}

function topOf(values: unknown): ColumnFacts["top"] {
  if (!Array.isArray(values)) return [];
  return values.flatMap((entry) =>
    isRecord(entry) && typeof entry["value"] === "string" && typeof entry["count"] === "number"
      ? [{ value: entry["value"], count: entry["count"] }]
      : [],
  );
}

/** Empty where the dataset has no column that could be one. */
export function guessLabel(columns: readonly ColumnFacts[]): string {
  const able = columns.filter(({ kind, distinct }) => kind !== "timestamp" && distinct > 1);
  const named = able.findLast(({ name }) => LABEL_NAME.test(name));
  return (named ?? able.at(-1))?.name ?? "";
}

/** The kind that suits the label and what rows seem to be; undefined where none does. */
export function guessKind(
  options: Options,
  label: ColumnFacts | undefined,
  steps: Steps | null = null,
): TaskOptions | undefined {
  const ofRows = options.task_kinds.filter(({ row }) => row === (steps?.row ?? "row"));
  if (!label) return ofRows[0];
  const isNumber = label.kind === "numeric";
  const classes = classCount(label);
  const hasClasses =
    !isNumber || classes === 2 || (label.isWhole && classes <= MOST_NUMBERED_CLASSES);
  return (
    ofRows.find(
      ({ target, most_classes: most }) =>
        (target === "class") === hasClasses &&
        (!hasClasses || ((most ?? 0) === 2) === (classes === 2)),
    ) ?? ofRows[0]
  );
}

/** Different values, those as one that a run takes for spellings of one class: " Yes", "yes" and "YES". */
function classCount({ distinct, top }: ColumnFacts): number {
  if (top.length < distinct) return distinct;
  const plain = top.map(({ value }) => value.trim());
  return new Set(plain.map((value) => (TRUTH.test(value) ? value.toLowerCase() : value))).size;
}

/** What rows together seem to be: values of series, or steps of sequences. */
export interface Steps {
  readonly row: "series" | "sequences";
  /** That tells them apart; empty: all rows are one. */
  readonly name: string;
  /** By which their rows follow each other. */
  readonly order: string;
}

/** Of the places that they could have, so many are taken at least, where not all are equally long. */
const LEAST_TAKEN = { series: 0.2, sequences: 0.5 };
const FEWEST_STEPS = 8;
/** From fewer sequences nobody learns what tells them apart. */
const FEWEST_SEQUENCES = 8;

/**
 * Series where there is nothing beside one column of times, names, and numbers to predict; sequences where a
 * column numbers the rows of each name, and the label has no more values than there are names.
 */
export function guessSteps(
  columns: readonly ColumnFacts[],
  rows: number,
  label: ColumnFacts | undefined,
): Steps | null {
  if (!label) return null;
  const others = columns.filter(({ name }) => name !== label.name);
  const names = others.filter(({ kind }) => kind === "categorical" || kind === "text");
  const fits = (row: Steps["row"], name: ColumnFacts | undefined, steps: number): boolean => {
    const places = steps * (name?.distinct ?? 1);
    return (
      rows <= places &&
      rows >= LEAST_TAKEN[row] * places &&
      rows >= FEWEST_STEPS * (name?.distinct ?? 1)
    );
  };
  const [time, ...further] = others.filter(({ kind }) => kind === "timestamp");
  if (time && further.length === 0 && others.length === names.length + 1) {
    const name = names.toSorted((a, b) => b.distinct - a.distinct)[0];
    const isSeries = label.kind === "numeric" && fits("series", name, time.distinct);
    if (isSeries) return { row: "series", name: name?.name ?? "", order: time.name };
  }
  for (const { name: order, distinct, range } of others) {
    const [first, last] = range ?? [Number.NaN, Number.NaN];
    // What numbers all rows of the table numbers no steps: each would be there once.
    const isNumbering =
      (first === 0 || first === 1) && last - first + 1 === distinct && distinct < rows;
    const name =
      isNumbering &&
      names.find((each) => each.distinct >= FEWEST_SEQUENCES && fits("sequences", each, distinct));
    if (name && label.distinct <= name.distinct)
      return { row: "sequences", name: name.name, order };
  }
  return null;
}

/** The first column of times; empty where there is none. */
export const guessTime = (columns: readonly ColumnFacts[]): string =>
  columns.find(({ kind }) => kind === "timestamp")?.name ?? "";

/** In a few words, what the label holds. */
export function describeColumn({ kind, distinct, missing, top, range }: ColumnFacts): string {
  const count = (n: number): string => n.toLocaleString("en");
  const values =
    kind === "numeric" && range
      ? `Numbers from ${range[0].toLocaleString("en")} to ${range[1].toLocaleString("en")}, ${count(distinct)} different`
      : top.length > 0
        ? `${count(distinct)} different values: ${top
            .slice(0, 4)
            .map((each) => `${shortened(each.value)} (${count(each.count)})`)
            .join(", ")}${distinct > 4 ? ", …" : ""}`
        : `${count(distinct)} different values`;
  return missing === 0 ? `${values}.` : `${values}; ${count(missing)} rows are without.`;
}

const LONGEST = 24;
const shortened = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
