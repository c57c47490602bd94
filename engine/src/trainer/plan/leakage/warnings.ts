/**
 * What of the data makes scores look better than predictions will be, or says nothing: told, and
 * never acted upon. Each warning names its column and what to do.
 */

import { deriveKey } from "../../../compute/random.ts";
import type { FeatureSchema } from "../../../data/feature-schema.ts";
import type { SequenceFrame } from "../../../data/frame.ts";
import { noValues } from "../../../data/readers/reading.ts";
import { type EqualRows, equalRows, RowHashes } from "../../../data/row-hashes.ts";
import { shown } from "../../../data/shown.ts";
import type { Column, Table } from "../../../data/table.ts";
import { hasClasses, type Task } from "../../../tasks/index.ts";
import type { Fold } from "../../../validation/fold.ts";
import type { RunConfig } from "../../config/config.ts";
import { lastValues } from "./channels.ts";
import { type Formula, FormulaSearch } from "./exact-formula.ts";
import { explainedShare, type LabelSample, sampleLabels } from "./explained-share.ts";
import { identifierSign } from "./identifier.ts";
import { repeatedCases } from "./repeated-cases.ts";
import { ChanceOfRepeats, repeatedRows } from "./repeated-rows.ts";
import { isInOrderOfTime } from "./time-order.ts";

/**
 * Of the columns of forty public tables none that is honest explains more than 0.94 of its label
 * (the exposure behind a count of claims 0.94, the length of a diamond 0.94, the odour of a mushroom
 * 0.91); the count of registered riders, a summand of the riders that are predicted, explains 0.98.
 */
const SUSPICIOUS_SHARE = 0.96;
/** From this on, labels of rows that are near in time are alike. */
const TIMELY_SHARE = 0.05;
/** Below these, a stray time or twin is no news. */
const LATER_SHARE = 0.02;
const REPEATED_SHARE = 0.02;
/** Columns depend on each other, so that rows are equal by chance more often than columns by themselves let expect. */
const CLEARLY_MORE = 2;
/** Columns or values named one by one. */
const NAMED = 10;
/** Categories from which on they may be cases of several rows. */
const CASES = 10;

export interface LeakageInput {
  readonly table: Table;
  readonly config: RunConfig;
  readonly task: Task;
  readonly schema: FeatureSchema;
  /** Columns that a few cells keep from being numbers or times, which is told of them already. */
  readonly unclean: ReadonlySet<string>;
  /** Whether equal features may be of different rows. */
  readonly mayRepeat: boolean;
  /** Rows of the table; null = all. The members below follow them. */
  readonly rows: Uint32Array | null;
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  /** An id a row, alike in a group; null without a group column. */
  readonly groups: Int32Array | null;
  /** Of the time column; null without one. */
  readonly time: Float64Array | null;
  readonly folds: readonly Fold[];
  /** Where the rows of the run are sequences; absent: they are not. */
  readonly sequences?: SequenceFrame | undefined;
}

/** Rows by what tells them apart. */
export interface ToldApart {
  readonly hashes: RowHashes;
  readonly groups: EqualRows;
  /** Columns that look like identifiers: copies of a row have numbers of their own, and hashes are without them. */
  readonly numbered: readonly string[];
}

export interface Leakage {
  readonly warnings: readonly string[];
  /** Null where equal features may be of different rows. */
  readonly rows: ToldApart | null;
}

export function findLeakage(input: LeakageInput): Leakage {
  const { table, schema, config } = input;
  const used = new Set(schema.columns.map(({ name }) => name));
  const features = table.columns.filter(({ name }) => used.has(name));
  const { task, target, rows, weights, groups } = input;
  const key = deriveKey(config.randomState, "leakage");
  const sample = sampleLabels(task, target, { rows, weights, groups, key });
  const hashes = input.mayRepeat ? null : new RowHashes(rows, target.length);
  const found: Record<"predicting" | "ordering" | "identifying" | "late", string[]> = {
    predicting: [],
    ordering: [],
    identifying: [],
    late: [],
  };
  const numbered: string[] = [];
  const formulas =
    hasClasses(task) || input.sequences ? null : new FormulaSearch(rows, target, weights);
  // All of one column before the next: each may be read anew once another was looked at.
  for (const column of features) {
    // What has a role is known beforehand: whoever named it said so.
    const isKnown = hasRole(column.name, config);
    const share = isKnown ? 0 : (explainedShare(column, sample) ?? 0);
    if (share >= SUSPICIOUS_SHARE) found.predicting.push(predicting(column, share, config));
    else if (share >= TIMELY_SHARE) found.ordering.push(...ordering(column, share, input));
    if (!isKnown) formulas?.add(column);
    const identifier = identifying(column, input);
    found.identifying.push(...identifier);
    found.late.push(...late(column, input));
    if (identifier.length > 0) numbered.push(column.name);
    else hashes?.add(column);
  }
  hashes?.addLabel(config.task.labelColumn, target, task.classes);
  const told = hashes && { hashes, groups: equalRows(hashes), numbered };
  return {
    warnings: [
      ...found.predicting,
      ...saidFormula(formulas?.found() ?? null),
      ...(input.sequences ? tellingChannels(input.sequences, sample, config) : []),
      ...found.ordering,
      ...found.identifying,
      ...found.late,
      ...cases(input),
      ...(told ? repeats(told, features, input) : []),
      ...constants(schema),
    ],
    rows: told,
  };
}

function predicting(column: Column, share: number, config: RunConfig): string {
  return `Column ${shown(column.name)} alone explains ${(100 * share).toFixed(1)} % of the label: if it is not known when predictions are made, put it into \`ignoreColumns\`.${groupHint(column, config)}`;
}

function saidFormula(formula: Formula | null): string[] {
  if (formula === null) return [];
  const gaps = formula.fillsGaps ? " (where empty cells count as 0)" : "";
  return [
    `The label is the ${formula.kind} ${formulaText(formula)} in each of ${formula.rows.toLocaleString("en")} rows that were looked at${gaps}. If these columns are known when predictions are made, compute it and train on something else; if not, put them into \`ignoreColumns\`.`,
  ];
}

function formulaText({ kind, terms, constant }: Formula): string {
  const isSum = kind === "sum";
  const parts = terms.map(({ column, coefficient }) => {
    const size = Math.abs(coefficient);
    const name = shown(column);
    const factor = isSum ? `${size} × ${name}` : `${name}^${size}`;
    return { isInverse: coefficient < 0, text: size === 1 ? name : factor };
  });
  if (isSum && constant !== 0) {
    parts.push({ isInverse: constant < 0, text: String(Math.abs(constant)) });
  }
  if (!isSum && (constant !== 1 || parts.every(({ isInverse }) => isInverse))) {
    parts.unshift({ isInverse: false, text: String(constant) });
  }
  const [forth, back] = isSum ? ["+", "-"] : ["×", "/"];
  const ordered = [
    ...parts.filter(({ isInverse }) => !isInverse),
    ...parts.filter(({ isInverse }) => isInverse),
  ];
  return ordered
    .map(({ isInverse, text }, at) => {
      if (at === 0) return isInverse ? `${back}${text}` : text;
      return ` ${isInverse ? back : forth} ${text}`;
    })
    .join("");
}

/** Folds without order hold out rows between those that they learn from, and future rows are not between. */
function ordering(
  column: Column,
  share: number,
  { rows, config: { task } }: LeakageInput,
): string[] {
  if (task.timeColumn != null || task.groupColumn != null || !isInOrderOfTime(column, rows)) {
    return [];
  }
  return [
    `The rows are in order of ${shown(column.name)}, which alone explains ${(100 * share).toFixed(0)} % of the label: if future rows are later than these, scores of shuffled folds are too good. Name it as \`timeColumn\`; folds are then validated on rows later than those they learn from.`,
  ];
}

/** Of several channels of one column, as of its categories, the most telling. */
function tellingChannels(frame: SequenceFrame, sample: LabelSample, config: RunConfig): string[] {
  const found = new Map<string, number>();
  for (const { column, values } of lastValues(frame)) {
    if (hasRole(column, config)) continue;
    const share = explainedShare({ kind: "numeric", name: column, values }, sample);
    if (share === null || share < SUSPICIOUS_SHARE) continue;
    found.set(column, Math.max(share, found.get(column) ?? 0));
  }
  return [...found].map(
    ([column, share]) =>
      `Column ${shown(column)} alone explains ${(100 * share).toFixed(1)} % of the label by its last step: if it is not known when predictions are made, put it into \`ignoreColumns\`.`,
  );
}

/** Whether a column orders, parts or weighs the rows. */
function hasRole(name: string, { task }: RunConfig): boolean {
  return [
    task.timeColumn,
    task.groupColumn,
    task.weightColumn,
    task.sequenceColumn,
    task.orderColumn,
    ...(task.seriesColumns ?? []),
  ].includes(name);
}

/** Categories that give the label away may be cases of several rows, which folds then share. */
function groupHint(column: Column, { task }: RunConfig): string {
  if (task.groupColumn != null || column.kind !== "categorical") return "";
  if (column.categories.length < CASES) return "";
  return " If each value is a case of several rows, and future rows belong to other cases, name it as `groupColumn`.";
}

function identifying(column: Column, { rows, config, unclean }: LeakageInput): string[] {
  if (column.name === config.task.timeColumn || unclean.has(column.name)) return [];
  const sign = identifierSign(column, rows);
  return sign === null
    ? []
    : [
        `Column ${shown(column.name)} looks like an identifier: ${sign}. If it says nothing about future rows, put it into \`ignoreColumns\`.`,
      ];
}

function late(column: Column, { time, rows, config }: LeakageInput): string[] {
  const { timeColumn } = config.task;
  if (time === null || !timeColumn) return [];
  if (column.kind !== "timestamp" || column.name === timeColumn) return [];
  const { later, known } = laterTimes(column, time, rows);
  if (later === 0 || later < LATER_SHARE * known) return [];
  return [
    `Column ${shown(column.name)} is later than ${shown(timeColumn)} in ${later} of ${known} rows: if it is not known when predictions are made, put it into \`ignoreColumns\`.`,
  ];
}

/** Columns that are ignored name cases all the same. */
function cases({
  table,
  config: { task: asked },
  task,
  rows,
  target,
  mayRepeat,
}: LeakageInput): string[] {
  if (asked.groupColumn != null || asked.timeColumn != null || mayRepeat) return [];
  const others = [asked.labelColumn, asked.weightColumn];
  const columns = table.columns.filter(({ name }) => !others.includes(name));
  const said = repeatedCases({ columns, rows, target, classes: task.classes.length });
  return said === null ? [] : [said];
}

function repeats(
  { hashes, groups, numbered }: ToldApart,
  features: readonly Column[],
  input: LeakageInput,
): string[] {
  const { folds, rows, target, task } = input;
  // Of marks alone, different cases have equal ones.
  if (numbered.length > 0 && !hashes.hasMeasured) return [];
  const { validated, repeated } = repeatedRows(groups, folds);
  if (repeated === 0 || repeated < REPEATED_SHARE * validated) return [];
  const chance = new ChanceOfRepeats(rows, target.length);
  for (const column of features) if (!numbered.includes(column.name)) chance.add(column);
  // Which class a row has, its features may well determine.
  if (task.classes.length === 0) chance.addLabel(target);
  if (repeated < CLEARLY_MORE * chance.expected(folds)) return [];
  return [
    `${repeated} of ${validated} validation rows equal a training row of their fold in every feature${numbered.length === 0 ? "" : ` but ${someOf(numbered.map(shown))}`} and the label. If they are repeats of the same cases, scores reward memorisation: remove them, or keep them in one fold with \`groupColumn\`.`,
  ];
}

/** Texts that are left out for another reason have a note of their own. */
function constants({ dropped, notes }: FeatureSchema): string[] {
  const words = {
    constant: "one value only",
    empty: "no values",
  } as const;
  return (["constant", "empty"] as const).flatMap((reason) => {
    const names = dropped
      .filter((one) => one.reason === reason)
      .map(({ name }) => shown(name))
      .filter((name) => !notes.some((note) => note.includes(name)));
    if (names.length === 0) return [];
    return [
      names.length === 1
        ? `Column ${names[0]} has ${words[reason]}; it is not used.`
        : `Columns ${someOf(names)} have ${words[reason]}; they are not used.`,
    ];
  });
}

/** What reading said, but of columns without values that the plan names as well: it says what follows for them. */
export function notSaidAgain(
  readWarnings: readonly string[],
  { dropped }: Pick<FeatureSchema, "dropped">,
  said: readonly string[],
): string[] {
  const again = new Set(
    dropped
      .filter(
        ({ name, reason }) => reason === "empty" && said.some((one) => one.includes(shown(name))),
      )
      .map(({ name }) => noValues(name)),
  );
  return readWarnings.filter((one) => !again.has(one));
}

function someOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}

/** How many rows have a time in `column` behind their moment, and in how many both are known. */
function laterTimes(
  column: Extract<Column, { kind: "timestamp" }>,
  moments: Float64Array,
  rows: Uint32Array | null,
): { readonly later: number; readonly known: number } {
  let [later, known] = [0, 0];
  for (let i = 0; i < moments.length; i++) {
    const time = column.values[rows?.[i] ?? i];
    if (Number.isNaN(time) || Number.isNaN(moments[i])) continue;
    known++;
    if (time > moments[i]) later++;
  }
  return { later, known };
}
